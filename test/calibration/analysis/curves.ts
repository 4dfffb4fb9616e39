// Curves whose answer is known: the mean at each level, each item's own part, chance at each level, kept within 0 and 1.

import { normal, type SeededSource } from '../../../src/random/index.js';

export interface Noise {
  readonly items: number;
  /** Spread of what an item adds at every level. */
  readonly item?: number;
  /** Spread of what chance adds. */
  readonly chance: number;
}

/** Values by level and item. */
export function draw(
  source: SeededSource,
  truth: readonly number[],
  { items, item = 0, chance }: Noise,
): readonly (readonly number[])[] {
  const own = Array.from({ length: items }, () => item * normal(source));
  return truth.map((mean) => own.map((part) => Math.min(1, Math.max(0, mean + part + chance * normal(source)))));
}
