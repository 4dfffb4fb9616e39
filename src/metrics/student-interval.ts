// Intervals for means of a few values (Student 1908), such as three seeds, where a bootstrap is far too narrow.

import { ArgumentError, check } from '../checks/index.js';
import { studentQuantile } from '../math/index.js';
import type { MeanWithInterval } from './bootstrap.js';

/** The standard error of an estimate, with its degrees of freedom. */
export interface StandardError {
  readonly error: number;
  readonly degrees: number;
}

/** The mean with Student's interval (confidence .95 by default). A single value says nothing about chance: both ends are then the mean. */
export function studentInterval(values: readonly number[], confidence = 0.95): MeanWithInterval {
  const count = values.length;
  const mean = meanOf(values);
  const half = count === 1 ? 0 : halfWidth(errorOfMean(values), confidence);
  return { mean, lower: mean - half, upper: mean + half, count };
}

/** Half the width of the interval around an estimate. */
export function halfWidth({ error, degrees }: StandardError, confidence = 0.95): number {
  check({ confidence }, 'between 0 and 1', (value) => value > 0 && value < 1);
  return error === 0 ? 0 : error * studentQuantile((1 + confidence) / 2, degrees);
}

/** The standard error of the mean of two values or more. */
export function errorOfMean(values: readonly number[]): StandardError {
  const degrees = values.length - 1;
  if (degrees < 1) throw new ArgumentError(`invalid values: expected two or more, got ${values.length}`);
  const mean = meanOf(values);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / degrees;
  return { error: Math.sqrt(variance / values.length), degrees };
}

/** The standard error of a sum of independent estimates (Satterthwaite 1946, Welch 1947). */
export function addErrors(parts: readonly StandardError[]): StandardError {
  const variance = parts.reduce((sum, { error }) => sum + error ** 2, 0);
  const uncertainty = parts.reduce((sum, { error, degrees }) => sum + error ** 4 / degrees, 0);
  return {
    error: Math.sqrt(variance),
    degrees: uncertainty === 0 ? Number.POSITIVE_INFINITY : variance ** 2 / uncertainty,
  };
}

function meanOf(values: readonly number[]): number {
  if (values.length === 0) throw new ArgumentError('invalid values: expected one or more, got none');
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
