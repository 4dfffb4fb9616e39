// Exponential and Laplace numbers by inversion, rounded to doubles. Not every double can occur, and the holes would
// betray what the noise was added to: sums must be rounded to a grid before release, or the noise drawn exactly
// (discrete.ts).

import { positive } from '../checks/index.js';
import { ln } from '../math/index.js';
import type { WordSource } from './source.js';
import { uniform } from './uniform.js';

/** Below the smallest step of `uniform` the exponential begins again, this much further out. */
const STEP_LOGARITHM = 53 * Math.LN2;

/** Mean 1. Never 0 and without a largest value: the tail is not cut off at the resolution of the uniform number. */
function standardExponential(source: WordSource): number {
  for (let beyond = 0; ; beyond += STEP_LOGARITHM) {
    const value = uniform(source);
    if (value > 0) return beyond - ln(value);
  }
}

// The named checks cost more than a draw, so they run only to throw.
const isPositive = (value: number): boolean => value > 0 && value < Number.POSITIVE_INFINITY;

/** Density exp(-x / scale) / scale for x > 0; the mean is the scale. */
export function exponential(source: WordSource, scale = 1): number {
  if (!isPositive(scale)) positive({ scale });
  return scale * standardExponential(source);
}

/** Density exp(-|x| / scale) / (2 scale); the variance is 2 scale². */
export function laplace(source: WordSource, scale = 1): number {
  if (!isPositive(scale)) positive({ scale });
  const size = scale * standardExponential(source);
  return source.next() < 2 ** 31 ? size : -size;
}
