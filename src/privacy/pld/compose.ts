// The distribution of a sum of independent lattice losses, by Fourier transform on a circle that is long enough: the mass that
// wraps around is bounded and counted against the result, as is the rounding of the transform.

import type { Lattice, Part } from './lattice.js';
import { emptySpectrum, massesFrom, multiply } from './spectrum.js';

/** Both sums on `size` points, beginning at the loss `low`; `tail` bounds the mass beyond either end of the circle. */
export function compose(parts: readonly Part[], size: number, low: number, tail: number): Lattice {
  const step = (parts[0] as Part).lattice.step;
  const spectrum = emptySpectrum(size);
  let [steps, error, squares, upperSafe, lowerSafe] = [0, 2 * tail, 0, 0, 0];
  let [lowerError, lowerMass] = [2 * tail, 0];
  for (const { lattice, count } of parts) {
    multiply(spectrum, lattice, count);
    steps += count;
    error += count * lattice.error;
    squares += count * lattice.squares;
    upperSafe += count * Math.log1p(-lattice.upperInfinity);
    lowerSafe += count * Math.log1p(-lattice.lowerInfinity);
    lowerError += count * lattice.lowerError;
    lowerMass += count * Math.log(sumOf(lattice.lower));
  }
  const first = Math.floor(low / step);
  const { upper, lower } = massesFrom(spectrum, first);
  const rounding = 4e-16 * (steps + 16 * Math.log2(size));
  return {
    step,
    first,
    upper,
    lower,
    upperInfinity: -Math.expm1(upperSafe),
    lowerInfinity: -Math.expm1(lowerSafe),
    error: error + rounding + roundingOf(upper, Math.exp(upperSafe)),
    lowerError: lowerError + rounding + roundingOf(lower, Math.exp(lowerMass)),
    squares,
  };
}

/** The rounding error, seen in the total mass and in negative masses. */
function roundingOf(masses: Float64Array, whole: number): number {
  return Math.abs(sumOf(masses) - whole) + 2 * sumOf(masses.map((mass) => Math.max(0, -mass)));
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}
