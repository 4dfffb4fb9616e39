// Command-line flags from option schemas: an attack or a mechanism describes its options once.

import type { Option, OptionSchema } from '../checks/index.js';
import type { Command } from './command.js';

/** `batchSize` is `--batch-size`. */
export const flagOf = (name: string): string => `--${dashed(name)}`;

export const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Adds one flag per option. Help names the defaults, and `readOptions` fills them in, so that an absent flag stays absent. */
export function addOptionFlags(command: Command, schema: OptionSchema): Command {
  for (const [name, option] of Object.entries(schema)) addOptionFlag(command, flagOf(name), option, helpOf(option));
  return command;
}

export function addOptionFlag(command: Command, flag: string, option: Option, help: string): void {
  if (option.type === 'boolean') command.option(flag, help);
  else command.option(`${flag} <${placeholders[option.type]}>`, help, parserOf(option));
}

/** The options of a schema among all flags. */
export const optionsAmong = (schema: OptionSchema, flags: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(flags).filter(([name, value]) => value !== undefined && name in schema));

const placeholders = { integer: 'count', positive: 'number', choice: 'name', text: 'text', model: 'model' } as const;

function helpOf(option: Option): string {
  const choices = option.type === 'choice' ? [option.choices.join(' or ')] : [];
  const usual = option.default === undefined || option.type === 'boolean' ? [] : [`default: ${option.default}`];
  const more = [...choices, ...usual].join('; ');
  return more === '' ? option.help : `${option.help} (${more})`;
}

/** `readOptions` checks values and reports errors in one sentence; text that is not a number stays text and is refused there. */
const parserOf =
  ({ type }: Option) =>
  (text: string): string | number => {
    if (type !== 'integer' && type !== 'positive') return text;
    return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
  };
