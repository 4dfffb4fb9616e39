// Flags of mechanisms, derived from the options that each describes. Mechanisms share a flag for options of the same name; a flag
// that the chosen mechanism does not have is refused.

import { ArgumentError, type Option, type OptionSchema, readOptions } from '../checks/index.js';
import type { MechanismParameter, MechanismWords } from '../mechanisms/index.js';
import type { Command } from './command.js';
import { addOptionFlag, dashed } from './option-flags.js';
import { currentMechanism } from './renamed-flags.js';

/** A mechanism, and its options in one command. */
export interface MechanismChoice<Name extends string> {
  readonly name: Name;
  readonly words: MechanismWords;
  readonly parameter?: MechanismParameter;
  readonly options: OptionSchema;
}

/** The flags as commander gives them: `mechanism`, and the others by their names in camel case. */
export interface MechanismFlags {
  readonly mechanism: string;
}

/** The flag of an option: `noise` for noiseMultiplier, `clip-norm` for clipNorm. */
const flagOf = ({ parameter }: Pick<MechanismChoice<string>, 'parameter'>, key: string): string =>
  parameter?.key === key ? parameter.flag : dashed(key);

/** The property under which commander stores a flag. */
const placeOf = (flag: string): string => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** Adds --mechanism and the flags of all mechanisms. `what` says what the mechanism is for. */
export function addMechanismFlags(command: Command, what: string, choices: readonly MechanismChoice<string>[]): void {
  const names = choices.map(({ name, words }) => (name === words.label ? name : `${name} (${words.label})`));
  command.option('--mechanism <name>', `${what}: ${names.join(', ')}`, currentMechanism, 'none');
  const flags = new Map<string, { readonly name: string; readonly option: Option }[]>();
  for (const choice of choices) {
    for (const [key, option] of Object.entries(choice.options)) {
      const flag = flagOf(choice, key);
      flags.set(flag, [...(flags.get(flag) ?? []), { name: choice.name, option }]);
    }
  }
  for (const [flag, uses] of flags) addFlag(command, flag, uses);
}

function addFlag(
  command: Command,
  flag: string,
  uses: readonly { readonly name: string; readonly option: Option }[],
): void {
  const byHelp = new Map<string, string[]>();
  for (const { name, option } of uses) byHelp.set(helpOf(option), [...(byHelp.get(helpOf(option)) ?? []), name]);
  const help = [...byHelp].map(([text, names]) => `${names.join(', ')}: ${text}`).join('; ');
  // Options of the same name have the same type in all mechanisms.
  addOptionFlag(command, `--${flag}`, (uses[0] as (typeof uses)[0]).option, help);
}

const helpOf = ({ help, default: usual }: Option): string =>
  usual === undefined || usual === false ? help : `${help} (default: ${usual})`;

/** Reads the chosen mechanism and its options, and fills in defaults. */
export function readMechanismFlags<Name extends string>(
  choices: readonly MechanismChoice<Name>[],
  flags: MechanismFlags,
  expected = choices.map(({ name }) => name).join(', '),
): {
  readonly name: Name;
  readonly values: Readonly<Record<string, unknown>>;
  readonly flagOf: (key: string) => string;
} {
  const chosen = choices.find(({ name }) => name === flags.mechanism);
  if (chosen === undefined) {
    throw new ArgumentError(`invalid --mechanism: expected ${expected}, got ${flags.mechanism}`);
  }
  const all: Readonly<Record<string, unknown>> = { ...flags };
  const flagsOf = (choice: MechanismChoice<string>) => Object.keys(choice.options).map((key) => flagOf(choice, key));
  const own = flagsOf(chosen);
  const stray = choices.flatMap(flagsOf).find((flag) => all[placeOf(flag)] !== undefined && !own.includes(flag));
  if (stray !== undefined) {
    const others = choices.filter((choice) => flagsOf(choice).includes(stray)).map(({ name }) => name);
    throw new ArgumentError(`--${stray} is for --mechanism ${others.join(' or ')}, got --mechanism ${chosen.name}`);
  }
  const ownFlag = (key: string) => `--${flagOf(chosen, key)}`;
  const given = Object.keys(chosen.options).map((key) => [key, all[placeOf(flagOf(chosen, key))]] as const);
  return {
    name: chosen.name,
    values: readOptions(chosen.options, Object.fromEntries(given), ownFlag),
    flagOf: ownFlag,
  };
}
