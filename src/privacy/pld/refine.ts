// Finer and finer lattices until the bounds from below and above meet. Both are off by order h², so the next
// lattice is known from the last width.

import { compose, type Part, type Total, window } from './compose.js';
import type { CountedPair } from './directions.js';
import { discretise } from './discretise.js';

export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

const SMALLEST = 2 ** 12;
const LARGEST = 2 ** 19;
/** Coarser lattices say nothing, and e^step must not overflow. */
const LARGEST_STEP = 30;
/** Points of the first look at a single step, which only serves to find the length of the circle. */
const FIRST_LOOK = 2000;

/**
 * Bounds of one direction. `tail` is the mass that may be lost on each side, `read` gets the number asked for from a total,
 * `tolerance` is how far apart its bounds may be.
 */
export function refine(
  pairs: readonly CountedPair[],
  tail: number,
  read: (total: Total) => Bounds,
  tolerance: (bounds: Bounds) => number,
): Bounds {
  const steps = pairs.reduce((sum, { count }) => sum + count, 0);
  const at = (step: number): Part[] =>
    pairs.map(({ pair, count }) => ({ lattice: discretise(pair, step, tail / steps), count }));
  const ranges = pairs.map(({ pair }) => pair.range(tail / steps));
  const widest = Math.max(...ranges.map(([from, to]) => to - from));
  const [low, high] = window(at(Math.min(LARGEST_STEP, widest / FIRST_LOOK)), tail);
  let length = high - low;
  let best: Bounds = { lower: 0, upper: Number.POSITIVE_INFINITY };
  for (let size = SMALLEST; ; ) {
    const settled = settle(at, size, length, tail);
    length = settled.length;
    if (settled.parts) {
      const bounds = read(compose(settled.parts, size, settled.low, tail));
      best = { lower: Math.max(best.lower, bounds.lower), upper: Math.min(best.upper, bounds.upper) };
    }
    const excess = (best.upper - best.lower) / tolerance(best);
    if (excess <= 1 || size === LARGEST) break;
    const doublings = Number.isFinite(excess) ? Math.ceil(Math.log2(1.1 * Math.sqrt(excess))) : 1;
    size = Math.min(LARGEST, size * 2 ** Math.min(4, Math.max(1, doublings)));
  }
  return best;
}

/** A lattice whose circle is long enough for itself: coarse lattices spread the sum, so length and step depend on each other. */
function settle(at: (step: number) => Part[], size: number, guess: number, tail: number) {
  let length = guess;
  for (let attempt = 0; attempt < 8; attempt++) {
    const step = length / (size - 4);
    if (!(step < LARGEST_STEP)) return { length: guess };
    const parts = at(step);
    const [low, high] = window(parts, tail);
    const needed = 1.01 * (high - low);
    if (needed <= length && needed > length / 1.5) return { parts, low, length };
    length = needed;
  }
  return { length };
}
