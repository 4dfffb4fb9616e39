// The accountant of privacy-loss distributions: composes the loss itself, so that its bounds from below and above enclose the
// truth as closely as asked. Epsilon and delta are the upper ones.

import { ArgumentError } from '../math/index.js';
import { type Accountant, type AccountantOptions, makeAccountant, type Rules } from './accountant.js';
import { gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js';
import { composed, selfComposed } from './events.js';
import { deltaOf, epsilonOf } from './pld/curve.js';
import { type CountedPair, directions, plainGaussianSquares } from './pld/directions.js';
import { type Bounds, refine } from './pld/refine.js';
import { rdpAccountant } from './rdp-accountant.js';
import { refuseReplaceOneSampling, refuseUnknownSampling } from './refusals.js';
import { type Release, sampledOnce } from './releases.js';

export const pldAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(rules, options);

/** How far apart the bounds on ε may be. */
const epsilonTolerance = ({ upper }: Bounds) => Math.max(1e-7, Math.min(8e-4, 0.008 * upper), 0.0001 * upper);
const deltaTolerance = ({ upper }: Bounds) => Math.max(1e-14, 0.004 * upper);

const onlyGaussian = (events: readonly Release[]) =>
  events.every(({ event }) => {
    const inner = sampledOnce(event);
    return inner?.sampleRate === 1 && inner.event.kind === 'gaussian';
  });

/** Bounds in each direction. One that is already below the other's lower bound need not be known better. */
function eachDirection(
  events: readonly Release[],
  find: (pairs: readonly CountedPair[], floor: number) => Bounds,
): Bounds[] {
  const found: Bounds[] = [];
  for (const pairs of directions(events)) found.push(find(pairs, Math.max(0, ...found.map(({ lower }) => lower))));
  return found;
}

const unless = (floor: number, tolerance: (bounds: Bounds) => number) => (bounds: Bounds) =>
  bounds.upper <= floor ? Number.POSITIVE_INFINITY : tolerance(bounds);

/** The worse of both directions. From the lattices' errors, the truth is expected a third of the way up. */
function worst(all: readonly Bounds[]) {
  const lower = Math.max(...all.map((bounds) => bounds.lower));
  const upper = Math.max(...all.map((bounds) => bounds.upper));
  const estimate = Math.max(...all.map((bounds) => bounds.lower + (bounds.upper - bounds.lower) / 3));
  return { value: upper, lower, estimate, upper, bound: 'upper' as const };
}

function exactly(value: number) {
  return { value, lower: value, estimate: value, upper: value, bound: 'exact' as const };
}

const rules: Rules = {
  name: 'pld',
  refuse: (event, relation) =>
    event.kind === 'parallel'
      ? 'different events on disjoint parts have no single loss distribution'
      : (refuseReplaceOneSampling(event, relation) ?? refuseUnknownSampling(event)),

  epsilon(events, delta, relation) {
    if (onlyGaussian(events)) return exactly(gaussianEpsilon(delta, Math.sqrt(plainGaussianSquares(events))));
    if (delta === 0) return worst(directions(events).map(largestLoss));
    const bounds = eachDirection(events, (pairs, floor) =>
      refine(
        pairs,
        delta * 1e-6,
        (total) => ({ lower: epsilonOf(total, delta, 'lower'), upper: epsilonOf(total, delta, 'upper') }),
        unless(floor, epsilonTolerance),
      ),
    );
    const found = worst(bounds);
    if (Number.isFinite(found.upper) && found.upper - found.lower <= Math.max(0.002, 0.01 * found.upper)) return found;
    const instead = ledger(events, relation).epsilon(delta).epsilon;
    if (found.lower === Number.POSITIVE_INFINITY || instead === Number.POSITIVE_INFINITY)
      return exactly(Number.POSITIVE_INFINITY);
    throw new ArgumentError(
      `invalid delta: the pld accountant cannot resolve ${delta} for these events in float64; the rdp accountant gives epsilon <= ${instead}`,
    );
  },

  delta(events, epsilon, relation) {
    if (onlyGaussian(events)) return exactly(gaussianDelta(epsilon, Math.sqrt(plainGaussianSquares(events))));
    if (epsilon === Number.POSITIVE_INFINITY) return exactly(0);
    const coarse = ledger(events, relation).delta(epsilon).delta;
    const tail = Math.min(1e-9, Math.max(1e-16, 1e-7 * coarse));
    const bounds = eachDirection(events, (pairs, floor) =>
      refine(
        pairs,
        tail,
        (total) => ({ lower: deltaOf(total, epsilon, 'lower'), upper: deltaOf(total, epsilon, 'upper') }),
        unless(floor, deltaTolerance),
      ),
    );
    return worst(bounds.map(({ lower, upper }) => ({ lower, upper: Math.min(upper, Math.max(lower, coarse)) })));
  },
};

/** At δ = 0 only the largest possible loss counts. */
function largestLoss(pairs: readonly CountedPair[]): Bounds {
  let sum = 0;
  for (const { pair, count } of pairs) {
    sum += pair.bounded && pair.infinity === 0 ? count * pair.range(0)[1] : Number.POSITIVE_INFINITY;
  }
  return { lower: sum, upper: sum };
}

/** The same events with the Rényi accountant. */
function ledger(events: readonly Release[], relation: AccountantOptions): Accountant {
  return rdpAccountant(relation).compose(composed(events.map(({ event, count }) => selfComposed(count, event))));
}
