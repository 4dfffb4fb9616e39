// Bootstrap intervals (Efron 1979): the statistic on samples drawn with replacement from the sample itself.

import { ArgumentError, check, positiveInteger } from '../checks/index.js';
import type { Interval } from '../math/index.js';
import { integerBelow, type WordSource } from '../random/index.js';

/** Options of bootstrap intervals. */
export interface BootstrapOptions {
  /** The share of resampled values inside the interval, with equal shares beyond each end. Default: .95. */
  readonly confidence?: number;
  /** Number of resamples. Default: 1000. */
  readonly resamples?: number;
}

/** Computes statistics of a resample, given per group as indices of examples, with repetitions. */
export type Statistics = (drawn: readonly Uint32Array[]) => readonly number[];

/**
 * Percentile intervals of several statistics on the same resamples. Each group (members, non-members) is resampled by itself, so
 * its size stays. Resamples on which a statistic is NaN do not count for it.
 */
export function bootstrapIntervals(
  source: WordSource,
  groupSizes: readonly number[],
  statistics: Statistics,
  { confidence = 0.95, resamples = 1000 }: BootstrapOptions = {},
): Interval[] {
  check({ confidence }, 'between 0 and 1', (value) => value > 0 && value < 1);
  return resample(source, groupSizes, statistics, resamples).map((values) => {
    const inOrder = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
    if (inOrder.length === 0) throw new ArgumentError('bootstrap: expected numbers, got NaN on every resample');
    return { lower: quantile(inOrder, (1 - confidence) / 2), upper: quantile(inOrder, (1 + confidence) / 2) };
  });
}

/** The value of each statistic on each resample. */
export function resample(
  source: WordSource,
  groupSizes: readonly number[],
  statistics: Statistics,
  resamples = 1000,
): number[][] {
  positiveInteger({ resamples });
  for (const groupSize of groupSizes) positiveInteger({ groupSize });
  const drawn = groupSizes.map((size) => new Uint32Array(size));
  const values: number[][] = [];
  for (let round = 0; round < resamples; round++) {
    for (const indices of drawn) {
      for (let place = 0; place < indices.length; place++) indices[place] = integerBelow(source, indices.length);
    }
    for (const [index, value] of statistics(drawn).entries()) {
      const list = values[index] ?? [];
      values[index] = list;
      list.push(value);
    }
  }
  return values;
}

/** A mean with its confidence interval. */
export interface MeanWithInterval extends Interval {
  readonly mean: number;
  /** The number of values. */
  readonly count: number;
}

type Columns<Name extends string> = Readonly<Record<Name, readonly (number | undefined)[]>>;

/** The means of columns over the same examples, with bootstrap intervals; undefined values do not count. */
export function meansWithIntervals<Name extends string>(
  source: WordSource,
  columns: Columns<Name>,
  options: BootstrapOptions = {},
): Partial<Record<Name, MeanWithInterval>> {
  const all = Object.entries(columns) as [Name, readonly (number | undefined)[]][];
  const rows = all[0]?.[1].length ?? 0;
  const uneven = all.find(([, values]) => values.length !== rows);
  if (uneven) throw new ArgumentError(`invalid ${uneven[0]}: expected ${rows} values, got ${uneven[1].length}`);
  const present = all.filter(([, values]) => values.some((value) => value !== undefined));
  if (present.length === 0) return {};
  // NaN marks a missing value, which keeps the arrays typed.
  const numbers = present.map(([, values]) => Float64Array.from(values, (value) => value ?? Number.NaN));
  const everything = Uint32Array.from({ length: rows }, (_, index) => index);
  const intervals = bootstrapIntervals(source, [rows], ([drawn]) => numbers.map((one) => meanOf(one, drawn)), options);
  const results = present.map(([name, values], index) => {
    const count = values.filter((value) => value !== undefined).length;
    const mean = meanOf(numbers[index] as Float64Array, everything);
    return [name, { mean, ...(intervals[index] as Interval), count }];
  });
  return Object.fromEntries(results) as Partial<Record<Name, MeanWithInterval>>;
}

function meanOf(values: Float64Array, drawn: Uint32Array = new Uint32Array()): number {
  let [sum, count] = [0, 0];
  for (let place = 0; place < drawn.length; place++) {
    const value = values[drawn[place] as number] as number;
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  return sum / count;
}

/** A quantile, with linear interpolation between neighbours. */
function quantile(inOrder: Float64Array, share: number): number {
  const place = share * (inOrder.length - 1);
  const [below, above] = [inOrder[Math.floor(place)] as number, inOrder[Math.ceil(place)] as number];
  return below + (place - Math.floor(place)) * (above - below);
}
