// How well a score separates two groups, at all thresholds. Positives (members) should score high: pass the negative loss, not the
// loss.

import { ArgumentError, check } from '../checks/index.js';

type Scores = ArrayLike<number>;

/** The two rates of a threshold: one point of a ROC curve, as it is drawn. */
export interface RocRates {
  readonly falsePositiveRate: number;
  readonly truePositiveRate: number;
}

/** One point of a ROC curve, with its threshold. */
export interface RocPoint extends RocRates {
  /** Scores of at least this count as positive. */
  readonly threshold: number;
}

/** The area under the ROC curve: the probability that a positive scores above a negative, where a tie counts one half. */
export function areaUnderRoc(positives: Scores, negatives: Scores): number {
  return areaOfSorted(sorted({ positives }), sorted({ negatives }));
}

function areaOfSorted(high: Float64Array, low: Float64Array): number {
  let [below, upTo, wins] = [0, 0, 0];
  for (const score of high) {
    while (below < low.length && (low[below] as number) < score) below += 1;
    while (upTo < low.length && (low[upTo] as number) <= score) upTo += 1;
    wins += (below + upTo) / 2;
  }
  return wins / (high.length * low.length);
}

/** The ROC curve, from no positives (threshold ∞) to all positives, with one point per distinct score. */
export function rocCurve(positives: Scores, negatives: Scores): RocPoint[] {
  const [high, low] = [sorted({ positives }), sorted({ negatives })];
  const points: RocPoint[] = [{ threshold: Number.POSITIVE_INFINITY, truePositiveRate: 0, falsePositiveRate: 0 }];
  let [hits, alarms] = [0, 0];
  const next = (scores: Float64Array, used: number) => scores[scores.length - 1 - used] ?? Number.NEGATIVE_INFINITY;
  while (hits < high.length || alarms < low.length) {
    const threshold = Math.max(next(high, hits), next(low, alarms));
    while (hits < high.length && next(high, hits) === threshold) hits += 1;
    while (alarms < low.length && next(low, alarms) === threshold) alarms += 1;
    points.push({ threshold, truePositiveRate: hits / high.length, falsePositiveRate: alarms / low.length });
  }
  return points;
}

/**
 * The greatest true positive rate of any threshold whose false positive rate is at most the given one. It does not interpolate, so
 * only rates that a threshold reaches are reported.
 */
export function truePositiveRateAt(positives: Scores, negatives: Scores, falsePositiveRate: number): number {
  check({ falsePositiveRate }, 'from 0 to 1', (rate) => rate >= 0 && rate <= 1);
  return readRoc(rocCurve(positives, negatives), falsePositiveRate);
}

/** The same, read from a curve whose rates rise: of its points, the last whose false positive rate is at most the given one. */
export const readRoc = (curve: readonly RocRates[], falsePositiveRate: number): number =>
  curve.findLast((point) => point.falsePositiveRate <= falsePositiveRate)?.truePositiveRate ?? 0;

/** The greatest true positive rate − false positive rate of any threshold, chosen on the same scores: above 0 by chance alone. */
export const bestAdvantage = (positives: Scores, negatives: Scores): number =>
  rocCurve(positives, negatives).reduce(
    (best, { truePositiveRate, falsePositiveRate }) => Math.max(best, truePositiveRate - falsePositiveRate),
    0,
  );

/** How well a score separates two groups, in figures that need the scores in order. */
export interface Separation {
  /** As `areaUnderRoc`. */
  readonly area: number;
  /** As `bestAdvantage`. */
  readonly advantage: number;
  /** As `truePositiveRateAt`, for each rate asked for. */
  readonly truePositiveRates: readonly number[];
}

/** Several figures at once: the scores are sorted once and no curve is built, which counts where thousands of samples are drawn. */
export function separation(
  positives: Scores,
  negatives: Scores,
  falsePositiveRates: readonly number[] = [],
): Separation {
  const [high, low] = [sorted({ positives }), sorted({ negatives })];
  const truePositiveRates = falsePositiveRates.map(() => 0);
  let advantage = 0;
  let [hits, alarms] = [high.length, low.length];
  // From the highest score down; what is left of each group lies below the threshold.
  while (hits > 0 || alarms > 0) {
    const threshold = Math.max(high[hits - 1] ?? lowest, low[alarms - 1] ?? lowest);
    while (hits > 0 && high[hits - 1] === threshold) hits--;
    while (alarms > 0 && low[alarms - 1] === threshold) alarms--;
    const truePositiveRate = (high.length - hits) / high.length;
    const falsePositiveRate = (low.length - alarms) / low.length;
    advantage = Math.max(advantage, truePositiveRate - falsePositiveRate);
    for (const [place, rate] of falsePositiveRates.entries())
      if (falsePositiveRate <= rate) truePositiveRates[place] = truePositiveRate;
  }
  return { area: areaOfSorted(high, low), advantage, truePositiveRates };
}

const lowest = Number.NEGATIVE_INFINITY;

function sorted(named: Readonly<Record<string, Scores>>): Float64Array {
  const [[name, scores]] = Object.entries(named) as [[string, Scores]];
  if (scores.length === 0) throw new ArgumentError(`invalid ${name}: expected at least one score, got none`);
  const numbers = Float64Array.from(scores).sort();
  // NaN is sorted to the end.
  if (Number.isNaN(numbers.at(-1))) throw new ArgumentError(`invalid ${name}: expected numbers, got NaN`);
  return numbers;
}
