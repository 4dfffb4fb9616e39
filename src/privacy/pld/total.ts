// The sum of all steps, on circles with a given number of points. Every move to a lattice costs h², so many equal steps are first
// added up in blocks on a fine lattice, then the blocks on a coarser one (Ghazi et al. 2022, evolving discretisation):
// √T moves of the coarse h² instead of T.

import { compose } from './compose.js';
import type { CountedPair } from './directions.js';
import { coarsen, discretise } from './discretise.js';
import type { Lattice, Part } from './lattice.js';
import { window } from './window.js';

/** Fewer steps are not worth a block. */
const FEWEST = 64;
/** Coarser lattices bound nothing, and e^step must not overflow. */
const LARGEST_STEP = 30;
/** The most points for a single loss, which may reach much further than the sum. */
const MOST_POINTS = 2 ** 20;
/** Points for the first look at a single loss, which only finds the length of the circle. */
const FIRST_LOOK = 2000;

/** A loss that can be put on any lattice. */
interface Source {
  readonly count: number;
  /** How long the losses' range is. */
  readonly reach: number;
  at(step: number): Lattice;
}

/** The sum of all pairs; undefined when this many points cannot hold it. `tail` may be lost on each side. */
export function totalOf(pairs: readonly CountedPair[], size: number, tail: number): Lattice | undefined {
  const steps = pairs.reduce((sum, { count }) => sum + count, 0);
  const sources: Source[] = [];
  for (const { pair, count } of pairs) {
    const [low, high] = pair.range(tail / steps);
    const single = { reach: high - low, at: (step: number) => discretise(pair, step, tail / steps) };
    const length = blockLength(count);
    const blocks = Math.floor(count / length);
    const rest = count - blocks * length;
    if (rest > 0) sources.push({ ...single, count: rest });
    if (length === 1) {
      sources.push({ ...single, count: blocks });
      continue;
    }
    const block = add([{ ...single, count: length }], size, tail / blocks);
    if (block === undefined) return undefined;
    sources.push({ reach: block.upper.length * block.step, at: (step) => coarsen(block, step), count: blocks });
  }
  // Single losses reach far for their spread, so the blocks need the points.
  return add(sources, pairs.some(({ count }) => blockLength(count) > 1) ? size / 2 : size, tail);
}

/** A block length near √T that leaves the fewest steps outside a block. */
function blockLength(count: number): number {
  if (count < FEWEST) return 1;
  const root = Math.floor(Math.sqrt(count));
  let best = root;
  for (let length = Math.ceil(0.8 * root); length <= 1.25 * root; length++) {
    if (count % length < count % best) best = length;
  }
  return best;
}

/** Adds up on a circle just long enough. Coarse lattices widen the sum, so length and step depend on each other. */
function add(sources: readonly Source[], size: number, tail: number): Lattice | undefined {
  const at = (step: number): Part[] => sources.map((source) => ({ lattice: source.at(step), count: source.count }));
  const reach = Math.max(...sources.map((source) => source.reach));
  // No lattice can hold a single loss that reaches this far, not even that of the first look.
  if (reach > MOST_POINTS * LARGEST_STEP) return undefined;
  const [from, to] = window(at(Math.min(LARGEST_STEP, reach / FIRST_LOOK)), tail);
  for (let length = 1.02 * (to - from), attempt = 0; attempt < 8; attempt++) {
    const step = length / (size - 4);
    if (!(step < LARGEST_STEP) || reach > MOST_POINTS * step) return undefined;
    const parts = at(step);
    const [low, high] = window(parts, tail);
    const needed = 1.01 * (high - low);
    if (needed <= length && needed > length / 1.5) return compose(parts, size, low, tail);
    length = 1.01 * needed;
  }
  return undefined;
}
