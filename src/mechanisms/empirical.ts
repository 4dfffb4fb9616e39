// A lower bound on ε from runs of a mechanism: for any set of outcomes S, P(S | first) ≤ e^ε P(S | second) + δ, and the same with
// the inputs exchanged, so ε is at least ln((p − δ)/q). Half of the runs choose S, the other half count, and p and q are bounded
// by Clopper–Pearson: the bound exceeds the true ε with probability at most 1 − confidence.

import { ArgumentError, check } from '../checks/index.js';
import { clopperPearson } from '../math/index.js';

/** Options of `lowerBoundEpsilon`. */
export interface EmpiricalOptions {
  /** δ of the guarantee that is tested. Default: 0. */
  readonly delta?: number;
  /** One minus the probability that the bound exceeds the truth. Default: 1 − 1e-6. For many bounds, divide that probability. */
  readonly confidence?: number;
}

/** What runs prove about ε, and how. */
export interface EmpiricalBound {
  /** 0 when the runs prove nothing. */
  readonly epsilonLowerBound: number;
  readonly delta: number;
  readonly confidence: number;
  /** The outcomes counted: scores of at least this (evidence for the first input) or at most this (for the second). */
  readonly threshold: number;
  readonly side: 'at least' | 'at most';
  /** Lower bound on the probability of these outcomes under the input they indicate, upper bound under the other. */
  readonly lowerProbability: number;
  readonly upperProbability: number;
  /** The number of runs that were counted, per input. */
  readonly runs: readonly [number, number];
}

/**
 * Proves a lower bound on ε from scores of independent runs on two neighbouring inputs; a high score indicates the first. It finds
 * bugs and false claims, and never proves privacy.
 */
export function lowerBoundEpsilon(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  { delta = 0, confidence = 1 - 1e-6 }: EmpiricalOptions = {},
): EmpiricalBound {
  check({ delta }, 'at least 0 and below 1', (value) => value >= 0 && value < 1);
  check({ confidence }, 'above 0 and below 1', (value) => value > 0 && value < 1);
  const [chooseFirst, countFirst] = halves(first, 'first');
  const [chooseSecond, countSecond] = halves(second, 'second');
  const bound = (side: EmpiricalBound['side'], threshold: number, one: Float64Array, other: Float64Array) => {
    const [forIt, against] = side === 'at least' ? [one, other] : [other, one];
    const lowerProbability = proportion(forIt, side, threshold, confidence).lower;
    const upperProbability = proportion(against, side, threshold, confidence).upper;
    const epsilonLowerBound = Math.max(0, Math.log(Math.max(0, lowerProbability - delta) / upperProbability));
    return { epsilonLowerBound, threshold, side, lowerProbability, upperProbability };
  };
  const candidates = [
    ...tails(chooseSecond, 'at least').map((value) => bound('at least', value, chooseFirst, chooseSecond)),
    ...tails(chooseFirst, 'at most').map((value) => bound('at most', value, chooseFirst, chooseSecond)),
  ];
  const best = candidates.reduce((one, next) => (next.epsilonLowerBound > one.epsilonLowerBound ? next : one));
  return {
    ...bound(best.side, best.threshold, countFirst, countSecond),
    delta,
    confidence,
    runs: [countFirst.length, countSecond.length],
  };
}

/** The runs that choose the outcomes and the runs that count, each sorted. */
function halves(scores: ArrayLike<number>, name: string): [Float64Array, Float64Array] {
  check({ [`runs of the ${name} input`]: scores.length }, 'at least 2', (count) => count >= 2);
  const all = Float64Array.from(scores);
  if (all.some(Number.isNaN)) throw new ArgumentError(`invalid scores of the ${name} input: expected numbers, got NaN`);
  const middle = all.length >> 1;
  return [all.slice(0, middle).sort(), all.slice(middle).sort()];
}

/** Thresholds whose tails shrink from all runs to one, each about a fifth smaller than the last. */
function tails(sorted: Float64Array, side: EmpiricalBound['side']): number[] {
  const found = new Set<number>();
  for (let size = sorted.length; size >= 1; size = Math.min(size - 1, Math.floor(size * 0.8))) {
    found.add(sorted[side === 'at least' ? sorted.length - size : size - 1] as number);
  }
  return [...found];
}

function proportion(sorted: Float64Array, side: EmpiricalBound['side'], threshold: number, confidence: number) {
  const below = countBelow(sorted, threshold, side === 'at most');
  const count = side === 'at most' ? below : sorted.length - below;
  return clopperPearson(count, sorted.length, confidence);
}

/** How many scores are below the threshold, or equal to it if `included`. */
function countBelow(sorted: Float64Array, threshold: number, included: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const value = sorted[middle] as number;
    if (value < threshold || (included && value === threshold)) low = middle + 1;
    else high = middle;
  }
  return low;
}
