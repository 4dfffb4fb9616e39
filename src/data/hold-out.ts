// Holds examples out of training. Whether an example is trained on follows from its own group, or from its text if it has
// none, and from the seed, and never from other examples: if one is added to a data set or removed, at most that one is added
// to the training set or removed, so a guarantee for such neighbours holds for the whole data set.

import { createHash } from 'node:crypto';
import { check } from '../checks/index.js';
import type { Example } from './data-set.js';

/** Which share of the examples is held out, and the seed that chooses them. */
export interface HoldOutOptions {
  /** From 0 to .5. It is the probability of each group or text, so the number that is held out varies a little around it. */
  readonly share: number;
  readonly seed: number | string;
}

/** Rising indices of examples. */
export interface HeldOut {
  readonly trained: Uint32Array;
  readonly heldOut: Uint32Array;
  /** Examples of held-out groups whose text is also trained on: they serve neither side. None where no example has a group. */
  readonly omitted: Uint32Array;
}

/** Chooses at random which examples are held out. Neither a group nor a text is ever on both sides. */
export function holdOut(examples: readonly Example[], { share, seed }: HoldOutOptions): HeldOut {
  check({ holdOut: share }, 'a share from 0 to 0.5', (value) => value >= 0 && value <= 0.5);
  const isHeldOut = examples.map((example) => share > 0 && placeOf(unitOf(example), seed) < share);
  const texts = new Set(examples.filter((_, index) => !isHeldOut[index]).map(({ text }) => text.trim()));
  const sides = examples.map(({ text }, index) => {
    if (!isHeldOut[index]) return 'trained';
    return texts.has(text.trim()) ? 'omitted' : 'heldOut';
  });
  const at = (side: keyof HeldOut) => Uint32Array.from(sides.flatMap((one, index) => (one === side ? [index] : [])));
  return { trained: at('trained'), heldOut: at('heldOut'), omitted: at('omitted') };
}

const unitOf = ({ group, text }: Example): string => (group === undefined ? `text ${text.trim()}` : `group ${group}`);

/** A number from 0 to 1 that looks uniform: the first 48 bits of SHA-256 over seed and unit. JSON keeps the two apart. */
const placeOf = (unit: string, seed: number | string): number =>
  createHash('sha256')
    .update(JSON.stringify(['hold out', seed, unit]))
    .digest()
    .readUIntBE(0, 6) /
  2 ** 48;
