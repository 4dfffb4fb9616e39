// What becomes of a curve as noise grows. A height is the value above the floor, as a share of the value above the floor without noise.

import type { Curve, Point } from './curves.js';
import type { Level } from './results.js';
import { stoppedShare } from './shares.js';

/** The greatest height of any single text: a mean over twenty hides one that comes back in full. */
const textShare = 0.5;
/** An attack whose search failed in more texts than this share was not stopped by the noise: a better search would find more. */
const failedShare = 0.5;
/** Utility has fallen where less than this share of what training gained is left. */
const usefulShare = 0.5;
/** A curve that begins less than this above its floor cannot show what noise does. */
export const leastHeight = 0.03;

/** A curve at one level. */
export interface CurvePoint {
  readonly level: Level;
  readonly mean: number;
  /** Ends of the 95 % interval; both are the mean if there is a single value. */
  readonly lower: number;
  readonly upper: number;
  /** The highest value of a single text or seed. */
  readonly highest: number;
  /** How many texts or seeds there are. */
  readonly count: number;
  /** The value of the measure if nothing was learnt or found. */
  readonly floor: number;
  /** The share of texts in which the attack's search failed; absent for measures without a search. */
  readonly searchFailed?: number;
}

interface Measured {
  /** The point without noise. */
  readonly start: CurvePoint;
  /** Whether the start may be at its floor, as far as chance goes. */
  readonly doubtful: boolean;
  /** Whether some level of the mechanism was not measured. */
  readonly partial: boolean;
  /** The last level at which the curve is low although it is high again with more noise. */
  readonly dip?: CurvePoint;
}

/** What becomes of a curve as noise grows. */
export type CurveOutcome =
  | { readonly kind: 'not measured'; readonly where: 'without noise' | 'under noise' }
  /** Already at the floor without noise. */
  | { readonly kind: 'nothing to lose'; readonly start: CurvePoint }
  /** Above the floor without noise, but there are too few texts or seeds to be sure. */
  | { readonly kind: 'too few to tell'; readonly start: CurvePoint }
  /** Still high at `last`, the level with the most noise. */
  | ({ readonly kind: 'never falls'; readonly last: CurvePoint } & Measured)
  /** Low from `at` on, still high at `before`, which may be the start. */
  | ({ readonly kind: 'falls'; readonly before: CurvePoint; readonly at: CurvePoint } & Measured);

/** The outcome of a curve that can show what noise does: measured with and without noise, and well above its floor without. */
export type ConclusiveOutcome = Extract<CurveOutcome, { readonly kind: 'never falls' | 'falls' }>;

/** Whether a curve can show what noise does. */
export const isConclusive = (outcome: CurveOutcome): outcome is ConclusiveOutcome =>
  outcome.kind === 'never falls' || outcome.kind === 'falls';

/** The point that decides the outcome: where the curve falls, or its last one. */
export const decidingPoint = (outcome: ConclusiveOutcome): CurvePoint =>
  outcome.kind === 'falls' ? outcome.at : outcome.last;

/**
 * An attack is stopped where it gains at most a tenth of what it gains without noise, and at most half from any single text, unless its
 * search failed in most texts. Few texts with wide intervals do not count as stopped.
 */
export function leakageOutcome(curve: Curve, isText: boolean): CurveOutcome {
  const outcome = outcomeOf(
    curve,
    ({ height, best, searchFailed }) =>
      height <= stoppedShare && (!isText || best <= textShare) && searchFailed <= failedShare,
  );
  return isConclusive(outcome) && outcome.doubtful ? { kind: 'too few to tell', start: outcome.start } : outcome;
}

/** Utility counts above the most frequent class. Too few seeds are reported, but do not prevent an outcome. */
export const utilityOutcome = (curve: Curve): CurveOutcome => outcomeOf(curve, ({ height }) => height < usefulShare);

interface Height {
  readonly height: number;
  /** The height of the highest single value. */
  readonly best: number;
  readonly searchFailed: number;
}

/** Finds the level from which on the curve stays low. */
function outcomeOf({ clean, noisy, partial }: Curve, isDown: (height: Height) => boolean): CurveOutcome {
  if (noisy.length === 0) return { kind: 'not measured', where: 'under noise' };
  if (!clean) return { kind: 'not measured', where: 'without noise' };
  const [start, points] = [pointOf(clean), noisy.map(pointOf)];
  const range = start.mean - start.floor;
  if (range < leastHeight) return { kind: 'nothing to lose', start };
  const down = points.map(({ mean, highest, floor, searchFailed = 0 }) =>
    isDown({ height: (mean - floor) / range, best: (highest - floor) / range, searchFailed }),
  );
  const place = down.lastIndexOf(false) + 1;
  const dip = place > 0 ? points[down.lastIndexOf(true, place - 1)] : undefined;
  const measured = { start, doubtful: isDoubtful(start), partial, ...(dip && { dip }) };
  const at = points[place];
  return at
    ? { kind: 'falls', before: points[place - 1] ?? start, at, ...measured }
    : { kind: 'never falls', last: points.at(-1) as CurvePoint, ...measured };
}

function pointOf({ level, value: { mean, lower, upper, values }, floor, searchFailed }: Point): CurvePoint {
  const highest = values.length > 0 ? Math.max(...values) : mean;
  const search = searchFailed === undefined ? {} : { searchFailed };
  return { level, mean, lower, upper, highest, count: values.length, floor, ...search };
}

/** A single value has no interval, so it raises no doubt. */
const isDoubtful = ({ lower, upper, floor }: CurvePoint): boolean => lower < upper && lower <= floor;
