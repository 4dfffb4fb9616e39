// Refines the lattice until the lower and upper bounds meet. Both are off by order h², so the width on one lattice tells how
// fine the next must be.

import { type Bounds, meet } from './curve.js';
import type { CountedPair } from './directions.js';
import type { Lattice } from './lattice.js';
import { totalOf } from './total.js';

const SMALLEST = 2 ** 13;
const LARGEST = 2 ** 18;

/**
 * Bounds in one direction. `tail` is the mass that may be lost on each side, `known` holds without any lattice, `read` gets the
 * bounds from a total, and `tolerance` is how far apart they may be when δ is wrong by at least `error`.
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
      // An infinite bound comes from cut-off and rounding, which finer lattices do not improve.
      if (found.upper === Number.POSITIVE_INFINITY) return best;
      const excess = (best.upper - best.lower) / tolerance(best, total.error);
      if (excess <= 1) return best;
      doublings = Math.min(4, Math.max(1, Math.ceil(Math.log2(1.1 * Math.sqrt(excess)))));
    }
    if (size === LARGEST) return best;
    size = Math.min(LARGEST, size * 2 ** doublings);
  }
}
