// Errors of the library in the words of the command that ran: options are its flags.

import { messageOf, type OptionWord, writeMessage } from '../checks/index.js';
import type { Command } from './command.js';
import { flagOf } from './option-flags.js';

/** Options whose flags have other names. */
const otherNames: Readonly<Record<string, string>> = {
  folder: 'out',
  texts: 'text',
  noiseMultiplier: 'noise',
  privacy: 'mechanism',
};

/** Text for errors of a program, which names the flags of the command that is running. */
export function errorWriter(program: Command): (error: unknown) => string {
  let running = program;
  program.hook('preAction', (_, command) => {
    running = command;
  });
  return (error) =>
    error instanceof Error ? writeMessage(messageOf(error), (word) => nameIn(running, word)) : String(error);
}

/** The flag of a command for an option; undefined if it has none. */
export function nameIn(command: Command, { option, value }: OptionWord): string | undefined {
  // Flags of calibrate replace the study's data.
  const key = option.replace(/^data\./, '');
  const flag = flagOf(otherNames[key] ?? key);
  const flags = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
  const off = flagOf(`no-${flag.slice(2)}`);
  if (value === false && flags.includes(off)) return off;
  if (flags.includes(flag)) return value === undefined || value === true ? flag : `${flag} ${value}`;
  // A key of the study, which has no flag.
  if (option.includes('.')) return `${option}${value === undefined ? '' : `: ${value}`} (in the study)`;
  return undefined;
}
