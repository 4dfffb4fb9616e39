// How far noise turns a release. Computed from the data without noise: for the person who trains, not for publication.

import { dot } from '../math/index.js';
import type { Arrays } from './optimizers.js';

export interface ReleaseDiagnostics {
  /** Length of the release. */
  readonly norm: number;
  /** Cosine to the sum before the noise. */
  readonly cosineToSum: number;
  /** Cosine to the plain gradient, neither bounded nor noisy. */
  readonly cosineToGradient: number;
}

export const copyArrays = (arrays: Arrays): Arrays =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, array.slice()]));

export function compareRelease(
  release: Arrays,
  { plain, bounded }: { readonly plain: Arrays; readonly bounded: Arrays },
): ReleaseDiagnostics {
  return {
    norm: Math.sqrt(product(release, release)),
    cosineToSum: cosine(release, bounded),
    cosineToGradient: cosine(release, plain),
  };
}

function cosine(a: Arrays, b: Arrays): number {
  const lengths = Math.sqrt(product(a, a) * product(b, b));
  return lengths > 0 ? product(a, b) / lengths : 0;
}

function product(a: Arrays, b: Arrays): number {
  let sum = 0;
  for (const [name, x] of Object.entries(a)) sum = dot(x, b[name] as Float32Array, sum);
  return sum;
}
