// Flags of 0.1 that were renamed. They are refused with their new name, so that old scripts say what to change.

import { ArgumentError } from '../checks/index.js';
import { type Command, Option } from './command.js';

/** For each command, without dashes: the name in 0.1 and the current name. */
export const renamedFlags = {
  train: {
    kappa: 'concentration',
    bounding: 'clipping',
    batch: 'batch-size',
    train: 'trainable',
    parts: 'parameter-groups',
  },
  account: { 'target-epsilon': 'epsilon' },
  protection: { kappa: 'concentration', bounding: 'clipping' },
  attack: { batch: 'batch-size', part: 'split' },
  score: { 'no-cosine': 'no-similarity' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const renamedMechanisms: Readonly<Record<string, string>> = { vmf: 'directional' };

/** Adds the old flags, hidden from help, so that using one is an error that names the new flag. */
export function refuseRenamed(command: Command, renamed: Readonly<Record<string, string>>): Command {
  for (const [before, now] of Object.entries(renamed)) {
    const refuse = () => {
      throw new ArgumentError(`--${before} is now --${now}`);
    };
    if (!before.startsWith('no-')) {
      command.addOption(new Option(`--${before} <value>`).hideHelp().argParser(refuse));
      continue;
    }
    // A switch has no value to parse, so it is checked before the command acts.
    command.addOption(new Option(`--${before}`).hideHelp());
    command.hook('preAction', () => {
      if (command.opts()[before.slice('no-'.length)] === false) refuse();
    });
  }
  return command;
}

/** Parses the name of a mechanism, and refuses one of 0.1 with its new name. */
export function currentMechanism(name: string): string {
  const now = Object.hasOwn(renamedMechanisms, name) ? renamedMechanisms[name] : undefined;
  if (now !== undefined) throw new ArgumentError(`--mechanism ${name} is now --mechanism ${now}`);
  return name;
}
