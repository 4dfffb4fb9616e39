// The privacy flags of `epsilens train`.

import type { PrivacyOptions } from '../api/index.js';
import { ArgumentError, type Option } from '../checks/index.js';
import { isNoisy, type MechanismName, mechanismOf, trainingNames } from '../mechanisms/index.js';
import type { Command } from './command.js';
import { addMechanismFlags, type MechanismChoice, type MechanismFlags, readMechanismFlags } from './mechanism-flags.js';

export interface PrivacyFlags extends MechanismFlags {
  readonly insecureSeed?: number;
}

const insecureSeed: Option = {
  type: 'integer',
  least: 0,
  help: 'noise from a seed, for experiments: the guarantee is void',
};

/** Where the noise always comes from a seed, there is no flag for it. */
const choicesFor = (seeded: boolean) =>
  trainingNames.map((name): MechanismChoice<MechanismName> => {
    const { words, parameter, planOptions } = mechanismOf(name);
    if (parameter === undefined) return { name, words, options: planOptions };
    return { name, words, parameter, options: { ...planOptions, ...(!seeded && { insecureSeed }) } };
  });

export const addPrivacyFlags = (command: Command, { seeded = false } = {}): void =>
  addMechanismFlags(command, 'how training is made private', choicesFor(seeded));

/** Privacy options from the flags, checked before anything is read or written; undefined without a mechanism. */
export function privacyFrom(flags: PrivacyFlags, { seeded = false } = {}): PrivacyOptions | undefined {
  const names = `${trainingNames.slice(0, -1).join(', ')} or ${trainingNames.at(-1)}`;
  const { name, values, flagOf } = readMechanismFlags(choicesFor(seeded), flags, names);
  expectOne(name, mechanismOf(name).planNeeds, values, flagOf);
  return isNoisy(name) ? ({ mechanism: name, ...values } as PrivacyOptions) : undefined;
}

function expectOne(
  mechanism: string,
  needs: readonly string[],
  values: Readonly<Record<string, unknown>>,
  flagOf: (key: string) => string,
): void {
  const given = needs.filter((key) => values[key] !== undefined);
  if (needs.length === 0 || given.length === 1) return;
  const flags = needs.map(flagOf).join(' or ');
  const got = given.length > 1 ? ', got both' : '';
  throw new ArgumentError(`--mechanism ${mechanism} needs ${needs.length > 1 ? 'either ' : ''}${flags}${got}`);
}
