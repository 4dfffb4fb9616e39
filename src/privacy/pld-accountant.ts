// The accountant of privacy-loss distributions: it composes the loss itself, so its lower and upper bounds enclose the truth
// as closely as asked. ε and δ are the upper bounds.

import { type Accountant, type AccountantOptions, type Guarantee, makeAccountant, type Rules } from './accountant.js';
import { gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js';
import { composed, selfComposed } from './events.js';
import { type Bounds, deltaBounds, epsilonBounds, meet } from './pld/curve.js';
import { type CountedPair, directions, plainGaussianSquares } from './pld/directions.js';
import { refine } from './pld/refine.js';
import { rdpAccountant } from './rdp-accountant.js';
import { refuseReplaceOneSampling, refuseUnknownSampling } from './refusals.js';
import { type Release, sampledOnce } from './releases.js';
import { writeNumber } from './write-number.js';

/** Privacy-loss distributions: the tightest accountant, and the one to quote. Gives lower, estimate and upper; ε is the upper. */
export const pldAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(rules, options);

/** How far apart the bounds on ε may be. */
const epsilonTolerance = ({ upper }: Bounds) => Math.max(1e-7, Math.min(8e-4, 0.008 * upper), 0.0001 * upper);
/** How far apart the bounds on δ may be: at least four times its numerical error. */
const deltaTolerance = ({ upper }: Bounds, error: number) => Math.max(4 * error, 0.004 * upper);

const onlyGaussian = (events: readonly Release[]) =>
  events.every(({ event }) => {
    const inner = sampledOnce(event);
    return inner?.sampleRate === 1 && inner.event.kind === 'gaussian';
  });

/** Bounds in each direction. The second is not refined once its upper bound is below the first one's lower bound. */
function eachDirection(
  events: readonly Release[],
  find: (pairs: readonly CountedPair[], floor: number) => Bounds,
): Bounds[] {
  const found: Bounds[] = [];
  for (const pairs of directions(events)) found.push(find(pairs, Math.max(0, ...found.map(({ lower }) => lower))));
  return found;
}

/** Wider bounds on ε get a warning. */
const isNarrow = ({ lower, upper }: Bounds) => Number.isFinite(upper) && upper - lower <= Math.max(0.002, 0.01 * upper);

type Tolerance = (bounds: Bounds, error: number) => number;

const unless =
  (floor: number, tolerance: Tolerance): Tolerance =>
  (bounds, error) =>
    bounds.upper <= floor ? Number.POSITIVE_INFINITY : tolerance(bounds, error);

/** The worse of both directions. */
function worst(all: readonly Bounds[]) {
  const lower = Math.max(...all.map((bounds) => bounds.lower));
  const upper = Math.max(...all.map((bounds) => bounds.upper));
  const estimate = Math.max(...all.map((bounds) => bounds.estimate));
  return { value: upper, lower, estimate, upper, bound: 'upper' as const };
}

/** The wide bounds, or the Rényi bound where it is smaller: both hold. */
function better(found: ReturnType<typeof worst>, { epsilon, order }: Guarantee) {
  if (found.upper < epsilon) {
    const [least, most] = [writeNumber(found.lower, 4, 'down'), writeNumber(found.upper, 4, 'up')];
    return { ...found, warnings: [`the bounds are wide here: the truth lies between ${least} and ${most}`] };
  }
  if (epsilon === Number.POSITIVE_INFINITY) return found;
  return {
    ...worst([meet(found, { ...found, upper: epsilon })]),
    ...(order !== undefined && { order }),
    warnings: ['float64 cannot resolve the loss distribution here: this is the bound of the rdp accountant'],
  };
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
    const tail = delta * 1e-5;
    const within = (pairs: readonly CountedPair[], floor: number) => {
      const most = largestSum(pairs, tail);
      const known = { lower: 0, estimate: most, upper: most };
      return refine(pairs, tail, known, (total) => epsilonBounds(total, delta), unless(floor, epsilonTolerance));
    };
    const found = worst(eachDirection(events, within));
    if (isNarrow(found)) return found;
    if (found.lower === Number.POSITIVE_INFINITY) return exactly(Number.POSITIVE_INFINITY);
    return better(found, renyi(events, relation).epsilon(delta));
  },

  delta(events, epsilon, relation) {
    if (onlyGaussian(events)) return exactly(gaussianDelta(epsilon, Math.sqrt(plainGaussianSquares(events))));
    if (epsilon === Number.POSITIVE_INFINITY) return exactly(0);
    const coarse = renyi(events, relation).delta(epsilon).delta;
    const tail = Math.min(1e-12, Math.max(1e-16, 1e-6 * coarse));
    const bounds = eachDirection(events, (pairs, floor) =>
      refine(
        pairs,
        tail,
        { lower: 0, estimate: 0, upper: epsilon >= largestSum(pairs, tail) ? Math.min(tail, coarse) : coarse },
        (total) => deltaBounds(total, epsilon),
        unless(floor, deltaTolerance),
      ),
    );
    return worst(bounds);
  },
};

/** ε at δ = 0: the largest possible loss. */
function largestLoss(pairs: readonly CountedPair[]): Bounds {
  const bounded = pairs.every(({ pair }) => pair.bounded);
  const sum = bounded ? largestSum(pairs, 0) : Number.POSITIVE_INFINITY;
  return { lower: sum, estimate: sum, upper: sum };
}

/** A number that the sum of all losses exceeds with probability at most `tail`. */
function largestSum(pairs: readonly CountedPair[], tail: number): number {
  if (pairs.some(({ pair }) => pair.infinity > 0)) return Number.POSITIVE_INFINITY;
  const steps = pairs.reduce((sum, { count }) => sum + count, 0);
  return pairs.reduce((sum, { pair, count }) => sum + count * pair.range(tail / steps)[1], 0);
}

/** The Rényi accountant with the same events. */
function renyi(events: readonly Release[], relation: AccountantOptions): Accountant {
  return rdpAccountant(relation).compose(composed(events.map(({ event, count }) => selfComposed(count, event))));
}
