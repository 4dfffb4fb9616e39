// Sentences whose lengths the attacker does not know: the option that says so, and how far attacks then look.

import type { Option } from '../checks/index.js';
import type { AttackedModel } from './model.js';

/** The longest sentence to look for if nothing says how long it is. */
export const longestGuess = 64;

export const unknownLengthsOption = {
  type: 'boolean',
  default: false,
  help: 'the attacker does not know how long a sentence is and must find out',
} as const satisfies Option;

/** The most tokens to look for, where the longest sentence of a client has this many. */
export const reachOf = ({ config }: Pick<AttackedModel, 'config'>, longest: number, unknownLengths: boolean): number =>
  unknownLengths ? Math.min(config.positions, Math.max(longest, longestGuess)) : longest;
