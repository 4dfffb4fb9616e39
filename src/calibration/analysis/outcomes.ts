// What becomes of a curve when noise grows. Heights are shares of what there is without noise, both above their floor.

import type { Curve, Point } from './curves.js';
import type { Level } from './results.js';
import { stoppedShare } from './shares.js';

/** No single text may come back by more than this share: a mean over twenty hides one that does in full. */
const textShare = 0.5;
/** Utility has fallen where less than this share of what training gained is left. */
const usefulShare = 0.5;
/** Below this height over the floor there is nothing that noise could take away. */
const leastHeight = 0.03;

/** A curve at one level. */
export interface CurvePoint {
  readonly level: Level;
  readonly mean: number;
  /** 95 %; both ends are the mean where there is one value only. */
  readonly lower: number;
  readonly upper: number;
  /** The highest value of a single text or seed. */
  readonly highest: number;
  /** How many texts or seeds there are. */
  readonly count: number;
  /** What the measure is where nothing was learnt or found. */
  readonly floor: number;
}

interface Measured {
  /** Without noise. */
  readonly start: CurvePoint;
  /** Chance alone may put the start at its floor. */
  readonly doubtful: boolean;
  /** Some level of the mechanism was not measured. */
  readonly partial: boolean;
  /** The last level that is down although a later one, with more noise, is up again. */
  readonly dip?: CurvePoint;
}

export type CurveOutcome =
  | { readonly kind: 'not measured'; readonly where: 'without noise' | 'under noise' }
  /** At the floor without noise already. */
  | { readonly kind: 'nothing to lose'; readonly start: CurvePoint }
  /** Above the floor without noise, but so few texts or seeds do not tell it from that. */
  | { readonly kind: 'too few to tell'; readonly start: CurvePoint }
  /** Still up at `last`, the most noise. */
  | ({ readonly kind: 'never falls'; readonly last: CurvePoint } & Measured)
  /** Down from `at` on, still up at `before`, which may be the start. */
  | ({ readonly kind: 'falls'; readonly before: CurvePoint; readonly at: CurvePoint } & Measured);

/** The outcome of a curve that says something about noise: measured with and without it, from well above its floor. */
export type ConclusiveOutcome = Extract<CurveOutcome, { readonly kind: 'never falls' | 'falls' }>;

export const isConclusive = (outcome: CurveOutcome): outcome is ConclusiveOutcome =>
  outcome.kind === 'never falls' || outcome.kind === 'falls';

/** Where the outcome is seen: the level it falls at, or the last one. */
export const decidingPoint = (outcome: ConclusiveOutcome): CurvePoint =>
  outcome.kind === 'falls' ? outcome.at : outcome.last;

/**
 * An attack is stopped where it gains little of what it gains without noise, and from no text much. Few texts with wide
 * intervals do not count as stopped.
 */
export function leakageOutcome(curve: Curve, isText: boolean): CurveOutcome {
  const outcome = outcomeOf(curve, ({ height, best }) => height <= stoppedShare && (!isText || best <= textShare));
  return isConclusive(outcome) && outcome.doubtful ? { kind: 'too few to tell', start: outcome.start } : outcome;
}

/** Utility counts from the most frequent class. It is said where seeds are too few, and judged all the same. */
export const utilityOutcome = (curve: Curve): CurveOutcome => outcomeOf(curve, ({ height }) => height < usefulShare);

interface Height {
  readonly height: number;
  /** The height of the highest single value. */
  readonly best: number;
}

/** From which level on the curve stays down. */
function outcomeOf({ clean, noisy, partial }: Curve, isDown: (height: Height) => boolean): CurveOutcome {
  if (noisy.length === 0) return { kind: 'not measured', where: 'under noise' };
  if (!clean) return { kind: 'not measured', where: 'without noise' };
  const [start, points] = [pointOf(clean), noisy.map(pointOf)];
  const range = start.mean - start.floor;
  if (range < leastHeight) return { kind: 'nothing to lose', start };
  const down = points.map(({ mean, highest, floor }) =>
    isDown({ height: (mean - floor) / range, best: (highest - floor) / range }),
  );
  const place = down.lastIndexOf(false) + 1;
  const dip = place > 0 ? points[down.lastIndexOf(true, place - 1)] : undefined;
  const measured = { start, doubtful: isDoubtful(start), partial, ...(dip && { dip }) };
  const at = points[place];
  return at
    ? { kind: 'falls', before: points[place - 1] ?? start, at, ...measured }
    : { kind: 'never falls', last: points.at(-1) as CurvePoint, ...measured };
}

function pointOf({ level, value: { mean, lower, upper, values }, floor }: Point): CurvePoint {
  const highest = values.length > 0 ? Math.max(...values) : mean;
  return { level, mean, lower, upper, highest, count: values.length, floor };
}

/** A single value has no interval and cannot say. */
const isDoubtful = ({ lower, upper, floor }: CurvePoint): boolean => lower < upper && lower <= floor;
