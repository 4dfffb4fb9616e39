// The LoRA flags of `epsilens train`, one per option of an adapter.

import type { FineTuneLora } from '../api/index.js';
import type { OptionWord } from '../checks/index.js';
import { loraOptions } from '../models/index.js';
import type { Command } from './command.js';
import { type FlagRule, refuseIgnored } from './flag-rules.js';
import { addOptionFlags, flagOf } from './option-flags.js';

type LoraFlag = `lora${Capitalize<keyof typeof loraOptions>}`;

/** The flags as commander gives them. */
export type LoraFlags = { readonly [Flag in LoraFlag]?: unknown } & { readonly merge?: boolean };

const names = Object.keys(loraOptions) as (keyof typeof loraOptions)[];
const placeOf = (name: string) => `lora${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** One flag asks for an adapter, with the default of every other. */
const switches = names.map((name) => flagOf(placeOf(name)));
const rules: readonly FlagRule[] = [{ flags: ['--merge'], with: switches }];

export function addLoraFlags(command: Command): Command {
  addOptionFlags(command, Object.fromEntries(names.map((name) => [placeOf(name), loraOptions[name]])));
  command.option('--merge', 'save a LoRA adapter merged into its model, not in PEFT’s layout');
  return refuseIgnored(command, rules);
}

/** The adapter that the flags ask for; undefined without any of them. */
export function loraFrom(flags: LoraFlags): FineTuneLora | undefined {
  const given = names.flatMap((name) => {
    const value = flags[placeOf(name) as LoraFlag];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (given.length === 0) return undefined;
  return { ...Object.fromEntries(given), ...(flags.merge && { merge: true }) };
}

/** The flag of an option of adapters, in errors. */
export const loraWord = (word: OptionWord): OptionWord =>
  (names as readonly string[]).includes(word.option) ? { ...word, option: placeOf(word.option) } : word;
