// Rounding to a grid that does not depend on the data. Sums in floating point leave holes that betray what was summed;
// after rounding, which grid points can occur is the same for all data.

import { ArgumentError, positive } from '../checks/index.js';

/** The power of two next below 2⁻⁴⁰ times the noise: fine enough not to cost accuracy, coarse enough to close the holes. */
export function gridFor(noiseDeviation: number): number {
  positive({ noiseDeviation });
  return 2 ** (Math.floor(Math.log2(noiseDeviation)) - 40);
}

/** The multiple of `grid` (a power of two) nearest to x; ties go to the even one. */
export function roundToGrid(x: number, grid: number): number {
  if (!(grid > 0) || Math.log2(grid) % 1 !== 0) {
    throw new ArgumentError(`invalid grid: expected a power of two, got ${grid}`);
  }
  const steps = x / grid; // exact, but for underflow
  if (!Number.isFinite(steps))
    throw new ArgumentError(`invalid number: expected one that fits the grid ${grid}, got ${x}`);
  if (Math.abs(steps) >= 2 ** 52) return x; // already a multiple
  const low = Math.floor(steps);
  const rest = steps - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  return (low + Number(up)) * grid;
}
