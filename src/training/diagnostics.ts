// Measures how far noise turns a release. The figures come from the data without noise: they are for the person who trains,
// not for publication.

import { dot } from '../math/index.js';
import type { Arrays } from './optimizers.js';

/** Compares a release with what it would be without noise. Not private. */
export interface ReleaseDiagnostics {
  /** Length of the release. */
  readonly norm: number;
  /** Cosine between the release and the clipped sum before noise. */
  readonly cosineToSum: number;
  /** Cosine between the release and the plain gradient, neither clipped nor noisy. */
  readonly cosineToGradient: number;
}

/** Copies of all arrays. */
export const copyArrays = (arrays: Arrays): Arrays =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, array.slice()]));

/** Compares a release with the plain gradient and with the sum before noise. */
export function compareRelease(
  release: Arrays,
  { plain, clipped }: { readonly plain: Arrays; readonly clipped: Arrays },
): ReleaseDiagnostics {
  return {
    norm: Math.sqrt(product(release, release)),
    cosineToSum: cosine(release, clipped),
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
