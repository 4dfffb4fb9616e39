// Options as data. An attack or a mechanism describes each option once; command-line flags, study keys, defaults, checks and help
// texts follow from that description.

import { ArgumentError } from './checks.js';
import { option as named, type OptionWord, say, writeMessage } from './message.js';

interface Described {
  /** What the option sets, for help texts and docs, without the default. */
  readonly help: string;
}

/** One option: its type, bounds or choices, default and help text. Without a default it may be absent. */
export type Option =
  | (Described & { readonly type: 'integer'; readonly least: number; readonly default?: number })
  /** Finite, above 0, and below `below` if that is set. */
  | (Described & { readonly type: 'positive'; readonly below?: number; readonly default?: number })
  | (Described & { readonly type: 'choice'; readonly choices: readonly string[]; readonly default?: string })
  | (Described & { readonly type: 'boolean'; readonly default: boolean })
  | (Described & { readonly type: 'text'; readonly default?: string })
  /** A model: a folder, relative to the study file if given in one, bundled:NAME, or hf:owner/name. */
  | (Described & { readonly type: 'model'; readonly default?: string });

/** Options by name. */
export type OptionSchema = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { readonly type: 'choice'; readonly choices: readonly (infer Choice)[] }
  ? Choice
  : O extends { readonly type: 'integer' | 'positive' }
    ? number
    : O extends { readonly type: 'boolean' }
      ? boolean
      : string;

type WithDefault<Schema extends OptionSchema> = {
  [Name in keyof Schema]: Schema[Name] extends { readonly default: string | number | boolean } ? Name : never;
}[keyof Schema];

/** The values of a schema: options with a default are always present, others may be absent. */
export type OptionValues<Schema extends OptionSchema> = {
  readonly [Name in WithDefault<Schema>]: ValueOf<Schema[Name]>;
} & { readonly [Name in Exclude<keyof Schema, WithDefault<Schema>>]?: ValueOf<Schema[Name]> };

/** Fills in defaults and checks the given values. `nameOf` gives the name of an option in errors (`--batch-size`, `attacks.span.batchSize`). */
export function readOptions<Schema extends OptionSchema>(
  schema: Schema,
  given: Readonly<Record<string, unknown>>,
  nameOf: (option: string) => string | OptionWord = (name) => named(name),
): OptionValues<Schema> {
  const unknown = Object.keys(given).find((name) => given[name] !== undefined && !Object.hasOwn(schema, name));
  if (unknown !== undefined) {
    const known = Object.keys(schema)
      .map((name) => writeMessage(say`${nameOf(name)}`))
      .join(', ');
    throw new ArgumentError(say`unknown option ${nameOf(unknown)}: expected ${known === '' ? 'none' : known}`);
  }
  const values = Object.entries(schema).flatMap(([name, option]) => {
    const value = given[name] ?? option.default;
    if (value === undefined) return [];
    if (!isOption(option, value)) {
      throw new ArgumentError(say`invalid ${nameOf(name)}: expected ${expectationOf(option)}, got ${String(value)}`);
    }
    return [[name, value]];
  });
  return Object.fromEntries(values) as OptionValues<Schema>;
}

/** The expected values in words, for errors and help. */
export function expectationOf(option: Option): string {
  switch (option.type) {
    case 'integer':
      return `a whole number >= ${option.least}`;
    case 'positive':
      return option.below === undefined ? 'a number > 0' : `a number > 0 and < ${option.below}`;
    case 'choice':
      return option.choices.join(' or ');
    case 'boolean':
      return 'true or false';
    case 'text':
      return 'text';
    case 'model':
      return 'a folder, bundled:NAME or hf:owner/name';
  }
}

/** Whether the option accepts this value. */
export function isOption(option: Option, value: unknown): boolean {
  switch (option.type) {
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= option.least;
    case 'positive':
      return Number.isFinite(value) && (value as number) > 0 && (value as number) < (option.below ?? Infinity);
    case 'choice':
      return option.choices.includes(value as string);
    case 'boolean':
      return typeof value === 'boolean';
    case 'text':
    case 'model':
      return typeof value === 'string' && value !== '';
  }
}

/** Refuses keys that a function does not know: a misspelt option would otherwise be ignored in silence. */
export function refuseUnknown(given: object, known: readonly string[], whose: string): void {
  const stranger = Object.entries(given).find(([key, value]) => value !== undefined && !known.includes(key));
  if (stranger === undefined) return;
  throw new ArgumentError(`unknown option ${stranger[0]} of ${whose}: expected ${known.join(', ')}`);
}
