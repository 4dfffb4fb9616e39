// Command-line flags from option schemas: an attack or a mechanism describes its options once.

import { expectationOf, isOption, type Option, type OptionSchema } from '../checks/index.js';
import { type Command, InvalidArgumentError } from './command.js';

/** `batchSize` is `--batch-size`. */
export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Adds a flag per option. Defaults are named in the help and filled in by `readOptions`, so that an absent flag stays absent. */
export function addOptionFlags(command: Command, schema: OptionSchema): Command {
  for (const [name, option] of Object.entries(schema)) {
    const help = helpOf(option);
    if (option.type === 'boolean') command.option(flagOf(name), help);
    else command.option(`${flagOf(name)} <${placeholders[option.type]}>`, help, (text) => parse(option, text));
  }
  return command;
}

/** The options of a schema among all flags. */
export const optionsAmong = (schema: OptionSchema, flags: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).filter(([name, value]) => value !== undefined && name in schema));

const placeholders = { integer: 'count', positive: 'number', choice: 'name', text: 'text' } as const;

function helpOf(option: Option): string {
  const choices = option.type === 'choice' ? [option.choices.join(' or ')] : [];
  const usual = option.default === undefined || option.type === 'boolean' ? [] : [`default: ${option.default}`];
  const more = [...choices, ...usual].join('; ');
  return more === '' ? option.help : `${option.help} (${more})`;
}

function parse(option: Option, text: string): unknown {
  const value = option.type === 'integer' || option.type === 'positive' ? numberOf(text) : text;
  if (isOption(option, value)) return value;
  throw new InvalidArgumentError(`Expected ${expectationOf(option)}.`);
}

const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));
