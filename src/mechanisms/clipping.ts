// Bounds on what one record can change: clipping shortens vectors that are too long, scaling gives all the same length (a
// length below the bound would otherwise be visible).

import { positive } from '../checks/index.js';

/** The norm in which vectors are measured. */
export type Norm = 'l1' | 'l2';

type Numbers = Float32Array | Float64Array;

/** The norm ‖x‖ (default ℓ₂), summed in float64 without overflow; NaN where x holds NaN. */
export function normOf(x: Numbers, norm: Norm = 'l2'): number {
  let sum = 0;
  if (norm === 'l1') {
    for (let i = 0; i < x.length; i++) sum += Math.abs(x[i] as number);
    return sum;
  }
  for (let i = 0; i < x.length; i++) sum += (x[i] as number) ** 2;
  if (Number.isFinite(sum) && sum > 1e-280) return Math.sqrt(sum);
  let largest = 0;
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i])) return Number.NaN;
    largest = Math.max(largest, Math.abs(x[i] as number));
  }
  if (largest === 0 || largest === Number.POSITIVE_INFINITY) return largest;
  sum = 0;
  for (let i = 0; i < x.length; i++) sum += ((x[i] as number) / largest) ** 2;
  return largest * Math.sqrt(sum);
}

/**
 * The factor that brings a vector of this norm to at most `clipNorm`: min(1, C/‖x‖). A norm that is not finite gives 0, so
 * such a record contributes nothing.
 */
export function clipFactor(norm: number, clipNorm: number): number {
  positive({ clipNorm });
  if (!Number.isFinite(norm)) return 0;
  return norm <= clipNorm ? 1 : clipNorm / norm;
}

/** The factor that brings a vector of this norm to exactly `length` (default 1); 0 for a norm that is 0 or not finite. */
export function scaleFactor(norm: number, length = 1): number {
  positive({ length });
  return norm > 0 && Number.isFinite(norm) && Number.isFinite(length / norm) ? length / norm : 0;
}
