// Normal noise on gradients, in training and on what a client shares. The result lies on a grid that does not depend on the data.

import { fillNormal, type RandomSource } from '../../random/index.js';
import { gridFor } from '../grid.js';
import type { GradientSums, Tensors } from './batch-gradients.js';

/** Numbers drawn at once. */
const chunk = 8192;

/** How much noise is added, and what follows it. */
export interface GradientNoise {
  /** Standard deviation on each number. */
  readonly deviation: number;
  /** Multiplies the noisy sum. Default: 1. */
  readonly factor?: number;
}

/**
 * Adds normal noise to every number in place, then multiplies by `factor`. Sum and noise are rounded to multiples of about 2⁻⁴⁰ of
 * the deviation before they are added in float64, so the result depends on the data only through the exact sum; the rest is
 * post-processing. Adding and subtracting 1.5·2⁵² steps rounds; float32 numbers too large for that are multiples already.
 */
export function addGradientNoise(
  random: RandomSource,
  { gradients, exact }: GradientSums,
  { deviation, factor = 1 }: GradientNoise,
): void {
  const shift = 1.5 * 2 ** 52 * gridFor(deviation);
  const noise = new Float64Array(chunk);
  for (const [name, sum] of Object.entries(gradients)) {
    const before = exact?.[name] ?? sum;
    for (let start = 0; start < sum.length; start += chunk) {
      const count = Math.min(chunk, sum.length - start);
      fillNormal(random, count === chunk ? noise : noise.subarray(0, count), { standardDeviation: deviation });
      for (let i = 0; i < count; i++) {
        const onGrid = (before[start + i] as number) + shift - shift;
        sum[start + i] = (onGrid + ((noise[i] as number) + shift - shift)) * factor;
      }
    }
  }
}

/** Rounds every number to the nearest multiple of `grid` (a power of two) and multiplies by `factor`. */
export function roundGradients(gradients: Tensors, grid: number, factor: number): void {
  const shift = 1.5 * 2 ** 52 * grid;
  for (const sum of Object.values(gradients)) {
    for (let i = 0; i < sum.length; i++) sum[i] = ((sum[i] as number) + shift - shift) * factor;
  }
}

/** Multiplies every number by `factor` in place. */
export function scaleGradients(gradients: Tensors, factor: number): void {
  for (const sum of Object.values(gradients)) {
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) * factor;
  }
}
