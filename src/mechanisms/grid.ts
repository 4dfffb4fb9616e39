// Rounding to a grid that does not depend on the data. Sums in floating point leave gaps that reveal what was summed; after
// rounding, the same grid points can occur for all data.

import { ArgumentError, positive } from '../checks/index.js';

/** The grid for noise of this deviation: the power of two at or below 2⁻⁴⁰ of it, fine enough to keep accuracy, coarse enough to close the gaps. */
export function gridFor(noiseDeviation: number): number {
  positive({ noiseDeviation });
  return 2 ** (Math.floor(Math.log2(noiseDeviation)) - 40);
}

/** Rounds x to the nearest multiple of `grid`, a power of two; ties go to the even multiple. */
export function roundToGrid(x: number, grid: number): number {
  if (!(grid > 0) || Math.log2(grid) % 1 !== 0) {
    throw new ArgumentError(`invalid grid: expected a power of two, got ${grid}`);
  }
  const steps = x / grid; // exact, except for underflow
  if (!Number.isFinite(steps))
    throw new ArgumentError(`invalid number: expected one that fits the grid ${grid}, got ${x}`);
  if (Math.abs(steps) >= 2 ** 52) return x; // already a multiple
  const low = Math.floor(steps);
  const rest = steps - low;
  const up = rest > 0.5 || (rest === 0.5 && low % 2 !== 0);
  return (low + Number(up)) * grid;
}
