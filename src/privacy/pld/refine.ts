// Finer and finer lattices until the bounds from below and above meet. Both are off by order h², so the next
// lattice is known from the last width.

import { type Bounds, meet } from './curve.js';
import type { CountedPair } from './directions.js';
import type { Lattice } from './lattice.js';
import { totalOf } from './total.js';

const SMALLEST = 2 ** 13;
const LARGEST = 2 ** 18;

/**
 * Bounds of one direction. `tail` is the mass that may be lost on each side, `known` is what holds anyway, `read` gets the
 * number asked for from a total, `tolerance` is how far apart its bounds may be when δ is wrong by `error` at least.
 */
export function refine(
  pairs: readonly CountedPair[],
  tail: number,
  known: Bounds,
  read: (total: Lattice) => Bounds,
  tolerance: (bounds: Bounds, error: number) => number,
): Bounds {
  let best = known;
  if (Number.isFinite(best.upper) && best.upper - best.lower <= tolerance(best, 0)) return best;
  for (let size = SMALLEST; ; ) {
    const total = totalOf(pairs, size, tail);
    let doublings = 2;
    if (total) {
      const found = read(total);
      best = meet(best, found);
      // An infinite bound comes from what was cut off and rounded, which finer lattices do not mend.
      if (found.upper === Number.POSITIVE_INFINITY) return best;
      const excess = (best.upper - best.lower) / tolerance(best, total.error);
      if (excess <= 1) return best;
      doublings = Math.min(4, Math.max(1, Math.ceil(Math.log2(1.1 * Math.sqrt(excess)))));
    }
    if (size === LARGEST) return best;
    size = Math.min(LARGEST, size * 2 ** doublings);
  }
}
