// Naming single records by their scores: how many false alarms it takes to name one, and what chance alone would name.

import { ArgumentError, check } from '../checks/index.js';

type Scores = ArrayLike<number>;

/** The rate of false alarms at which reports call a record named: one in a hundred. */
export const namingRate = 0.01;

/**
 * The rate of false alarms at which each positive is named: (1 + negatives that score at least as high)/(1 + negatives). Ties count as false alarms.
 * It is a conformal p-value (Vovk et al. 2005): for a positive that is exchangeable with the negatives, it is at most α with a probability of at
 * most α, for every α. So no rate below 1/(1 + negatives) can be claimed, however high a score is.
 */
export function falseAlarmRates(positives: Scores, negatives: Scores): Float64Array {
  const low = checked({ negatives }).sort();
  const all = low.length + 1;
  return checked({ positives }).map((score) => (all - below(low, score)) / all);
}

/**
 * The probability that a positive that is exchangeable with the negatives is named at this rate of false alarms, which is at most the rate. With ties it
 * is smaller still.
 */
export function chanceOfNaming(rate: number, negatives: number): number {
  check({ rate }, 'from 0 to 1', (value) => value >= 0 && value <= 1);
  return Math.floor(rate * (negatives + 1) + 1e-9) / (negatives + 1);
}

/** How many scores of either group are at least as high as each score, itself among them: 1 for the highest. Only the order is left. */
export function ranksOf<Name extends string>(groups: Readonly<Record<Name, Scores>>): Record<Name, Uint32Array> {
  const entries = Object.entries(groups) as [Name, Scores][];
  const all = checked({ scores: entries.flatMap(([, scores]) => Array.from(scores)) }).sort();
  const ranks = entries.map(([name, scores]) => [
    name,
    Uint32Array.from(scores, (score) => all.length - below(all, score)),
  ]);
  return Object.fromEntries(ranks) as Record<Name, Uint32Array>;
}

/**
 * For each p-value, which share of those that are at most as large are expected to be due to chance (Benjamini and Hochberg 1995): the least share at
 * which their procedure would still name it. At most 1.
 */
export function falseShares(pValues: ArrayLike<number>): Float64Array {
  const order = Array.from(pValues, (_, place) => place).sort(
    (a, b) => (pValues[a] as number) - (pValues[b] as number),
  );
  const shares = new Float64Array(order.length);
  let least = 1;
  for (let rank = order.length; rank > 0; rank--) {
    const place = order[rank - 1] as number;
    least = Math.min(least, ((pValues[place] as number) * order.length) / rank);
    shares[place] = least;
  }
  return shares;
}

/** How many of the sorted numbers are below this. */
function below(numbers: Float64Array, score: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] as number) < score) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A copy of scores that are numbers, at least one. */
function checked(named: Readonly<Record<string, Scores>>): Float64Array {
  const [[name, scores]] = Object.entries(named) as [[string, Scores]];
  const numbers = Float64Array.from(scores);
  if (numbers.length === 0) throw new ArgumentError(`invalid ${name}: expected at least one score, got none`);
  if (numbers.some(Number.isNaN)) throw new ArgumentError(`invalid ${name}: expected numbers, got NaN`);
  return numbers;
}
