// Exponential and Laplace numbers by inversion, rounded to doubles. Not every double can occur, and the gaps reveal
// what the noise was added to: round sums to a grid before release, or draw the noise exactly (discrete.ts).

import { positive } from '../checks/index.js';
import { ln } from '../math/index.js';
import type { WordSource } from './source.js';
import { uniform } from './uniform.js';

/** Below the smallest step of `uniform` the exponential starts again, this much further out. */
const STEP_LOGARITHM = 53 * Math.LN2;

/** Mean 1. Never 0, and without a largest value: the tail is not cut off at the resolution of the uniform number. */
function standardExponential(source: WordSource): number {
  for (let beyond = 0; ; beyond += STEP_LOGARITHM) {
    const value = uniform(source);
    if (value > 0) return beyond - ln(value);
  }
}

// The named checks cost more than a draw, so they run only to throw.
const isPositive = (value: number): boolean => value > 0 && value < Number.POSITIVE_INFINITY;

/** Draws from the exponential distribution: density exp(-x / scale) / scale for x > 0. Its mean is the scale, 1 by default. */
export function exponential(source: WordSource, scale = 1): number {
  if (!isPositive(scale)) positive({ scale });
  return scale * standardExponential(source);
}

/** Draws from the Laplace distribution: density exp(-|x| / scale) / (2 scale), variance 2 scale². The scale is 1 by default. */
export function laplace(source: WordSource, scale = 1): number {
  if (!isPositive(scale)) positive({ scale });
  const size = scale * standardExponential(source);
  return source.next() < 2 ** 31 ? size : -size;
}
