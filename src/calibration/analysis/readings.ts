// Reads a measured curve at amounts of noise between its levels, and finds the least noise at which it is low enough. Between two levels mean and
// ends of the interval are linear in the logarithm of the noise. An interval between levels is then no narrower than that of the mean of both, and
// the noise at which an end of the interval crosses a value is an end of the interval of the crossing (Fieller 1954). docs/calibration.md says what is assumed.

import { studentInterval } from '../../metrics/index.js';
import type { Curve, Point } from './curves.js';
import { noiseAmount } from './level.js';
import type { AboutMechanism, Estimate, Level } from './results.js';

/** A value with its 95 % interval; both ends are the value itself if there is no interval. */
export interface Range {
  readonly mean: number;
  readonly lower: number;
  readonly upper: number;
}

/** A curve at one level; `amount` is the logarithm of the noise, growing with it. */
export interface CurveStop extends Range {
  readonly level: Level;
  readonly amount: number;
}

/** Where an amount of noise lies among the levels that were measured. */
export type Place = 'at a level' | 'between levels' | 'less noise than any level' | 'more noise than any level';

/** What a curve has at some amount of noise. */
export interface CurveReading extends Range {
  readonly place: Place;
  /** The levels it was read from: one or two. */
  readonly from: readonly Level[];
}

/** The stops of a curve, from the least noise to the most, without that without noise. */
export const stopsOf = ({ noisy }: Curve, mechanisms: readonly AboutMechanism[], isText: boolean): CurveStop[] =>
  noisy.map(({ level, value }) => ({ level, amount: noiseAmount(mechanisms, level), ...rangeOf(value, isText) }));

/** Means over texts get Student's interval here, because percentiles of a dozen texts are too narrow; others keep theirs. */
export function rangeOf(value: Estimate, isText: boolean): Range {
  const { mean, lower, upper } = isText && value.values.length > 1 ? studentInterval(value.values) : value;
  return { mean, lower: Math.max(0, Math.min(mean, lower)), upper: Math.min(1, Math.max(mean, upper)) };
}

/** What the point without noise has. */
export const cleanRange = ({ clean }: Curve, isText: boolean): Range | undefined =>
  (clean as Point | undefined) && rangeOf((clean as Point).value, isText);

/** Amounts closer than this are the same. */
const sameAmount = 1e-6;

/**
 * What a curve has at an amount of noise. Beyond the most noise that was measured it has at most what it has there, if it falls; below the least
 * nothing can be read, and the least level is given. Undefined for a curve without levels.
 */
export function readAt(stops: readonly CurveStop[], amount: number): CurveReading | undefined {
  const [first, last] = [stops[0], stops.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const at = stops.find((stop) => Math.abs(stop.amount - amount) < sameAmount);
  if (at) return read(at, 'at a level');
  if (amount < first.amount) return read(first, 'less noise than any level');
  if (amount > last.amount) return read(last, 'more noise than any level');
  const next = stops.findIndex((stop) => stop.amount > amount);
  const [left, right] = [stops[next - 1] as CurveStop, stops[next] as CurveStop];
  const share = (amount - left.amount) / (right.amount - left.amount);
  const mix = (key: keyof Range) => (1 - share) * left[key] + share * right[key];
  return {
    mean: mix('mean'),
    lower: mix('lower'),
    upper: mix('upper'),
    place: 'between levels',
    from: [left.level, right.level],
  };
}

const read = ({ mean, lower, upper, level }: CurveStop, place: Place): CurveReading => ({
  mean,
  lower,
  upper,
  place,
  from: [level],
});

/** The least noise from which on a curve stays low enough, as far as it was measured. */
export interface Crossing {
  /** −∞ if the least noise that was measured is enough, +∞ if the most is not. */
  readonly amount: number;
  /** Ends of its 95 % interval; infinite where the interval is open. */
  readonly lower: number;
  readonly upper: number;
}

/** Finds the least noise from which on the curve is at most this high. A curve that rises again with more noise is not low enough before that. */
export const leastNoise = (stops: readonly CurveStop[], most: number): Crossing => ({
  amount: crossing(stops, 'mean', most),
  lower: crossing(stops, 'lower', most),
  upper: crossing(stops, 'upper', most),
});

function crossing(stops: readonly CurveStop[], key: keyof Range, most: number): number {
  const above = stops.findLastIndex((stop) => stop[key] > most);
  const [left, right] = [stops[above], stops[above + 1]];
  if (left === undefined) return Number.NEGATIVE_INFINITY;
  if (right === undefined) return Number.POSITIVE_INFINITY;
  const share = (left[key] - most) / (left[key] - right[key]);
  return left.amount + share * (right.amount - left.amount);
}
