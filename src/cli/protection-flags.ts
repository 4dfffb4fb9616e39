// Flags for how a client protects its gradients, which all gradient attacks have.

import { ArgumentError } from '../checks/index.js';
import { type Protection, type ProtectorName, protectorNames, protectorOf } from '../mechanisms/index.js';
import type { Command } from './command.js';
import { addMechanismFlags, type MechanismChoice, type MechanismFlags, readMechanismFlags } from './mechanism-flags.js';
import { refuseRenamed, renamedFlags } from './renamed-flags.js';

export type ProtectionFlags = MechanismFlags;

const choices = protectorNames.map((name): MechanismChoice<ProtectorName> => {
  const { words, parameter, protectOptions: options } = protectorOf(name);
  return { name, words, options, ...(parameter && { parameter }) };
});

export function addProtectionFlags(command: Command): Command {
  addMechanismFlags(command, 'how the client protects its gradient', choices);
  return refuseRenamed(command, renamedFlags.protection);
}

export function protectionFrom(flags: ProtectionFlags): Protection {
  const { name, values, flagOf } = readMechanismFlags(choices, flags);
  const missing = Object.keys(protectorOf(name).protectOptions).find((key) => values[key] === undefined);
  if (missing !== undefined) throw new ArgumentError(`--mechanism ${name} needs ${flagOf(missing)}`);
  return { mechanism: name, ...values } as Protection;
}
