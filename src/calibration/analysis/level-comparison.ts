// Whether two noise levels leak differently, or a level leaks more than its floor, beyond what chance explains.

import { addErrors, errorOfMean, halfWidth, type StandardError } from '../../metrics/index.js';
import { arePaired, type LevelLists, meanOf } from './resampled-means.js';

/** An estimate with its standard error. */
export interface Measured extends StandardError {
  readonly mean: number;
}

export interface LevelComparison {
  readonly means: readonly number[];
  /** Mean at one level minus mean at another. */
  readonly difference: (level: number, other: number) => Measured;
  readonly mean: (level: number) => Measured;
}

/** A spread estimated from fewer values is off by a quarter or more, so all levels then share one. */
const few = 10;

/** Needs at least two levels and two items. */
export function compareLevels(values: LevelLists): LevelComparison {
  const means = values.map(meanOf);
  const error = errorsOf(values, means);
  return {
    means,
    difference: (level, other) => ({
      mean: (means[level] as number) - (means[other] as number),
      ...error.ofDifference(level, other),
    }),
    mean: (level) => ({ mean: means[level] as number, ...error.ofMean(level) }),
  };
}

/** Whether the mean differs from 0 by more than chance explains. */
export const isBeyondChance = (measured: Measured, confidence = 0.95): boolean =>
  Math.abs(measured.mean) > halfWidth(measured, confidence);

interface Errors {
  readonly ofMean: (level: number) => StandardError;
  readonly ofDifference: (level: number, other: number) => StandardError;
}

function errorsOf(values: LevelLists, means: readonly number[]): Errors {
  const at = (level: number) => values[level] as readonly number[];
  const ofMean = (level: number) => errorOfMean(at(level));
  if (!arePaired(values)) {
    return { ofMean, ofDifference: (level, other) => addErrors([ofMean(level), ofMean(other)]) };
  }
  if (at(0).length < few) return sharedErrors(values, means);
  return {
    ofMean,
    ofDifference: (level, other) => errorOfMean(at(level).map((value, item) => value - (at(other)[item] as number))),
  };
}

/** One spread for all levels: a value is item + level + rest (two-way analysis of variance). */
function sharedErrors(values: LevelLists, levelMeans: readonly number[]): Errors {
  const [levels, items] = [values.length, (values[0] as readonly number[]).length];
  const all = meanOf(levelMeans);
  const itemMeans = Array.from({ length: items }, (_, item) => meanOf(values.map((one) => one[item] as number)));
  const ofItems = itemMeans.reduce((sum, mean) => sum + levels * (mean - all) ** 2, 0) / (items - 1);
  const degrees = (items - 1) * (levels - 1);
  let rest = 0;
  for (const [level, one] of values.entries()) {
    for (const [item, value] of one.entries()) {
      rest += (value - (itemMeans[item] as number) - (levelMeans[level] as number) + all) ** 2 / degrees;
    }
  }
  // A level's own variance has mean (ofItems + (levels − 1) rest) / levels.
  const mean = addErrors([
    { error: Math.sqrt(ofItems / levels / items), degrees: items - 1 },
    { error: Math.sqrt(((levels - 1) * rest) / levels / items), degrees },
  ]);
  const difference = { error: Math.sqrt((2 * rest) / items), degrees };
  return { ofMean: () => mean, ofDifference: () => difference };
}
