// Measures how far noise turns a release. The figures come from the data without noise: they are for the person who trains,
// not for publication.

import { isDeepStrictEqual } from 'node:util';
import type { BatchGradients, Clipping } from '../mechanisms/index.js';
import type { BatchSums } from './batch-context.js';
import type { Arrays } from './optimizers.js';

/** Compares a release with what it would be without noise. Not private. */
export interface ReleaseDiagnostics {
  /** Length of the release. */
  readonly norm: number;
  /** Cosine between the release and the clipped sum before noise. */
  readonly cosineToSum: number;
  /** Cosine between the release and the plain gradient, neither clipped nor noisy. */
  readonly cosineToGradient: number;
  /** Length of the clipped sum before noise and before the division by the batch size, in units of the clip norm. */
  readonly sumNorm: number;
  /** The cosine to the clipped sum that follows from the law of the noise; absent where no formula is known. */
  readonly expectedCosine?: number;
}

/** Arrays in which the sums of one step are kept; the next step uses them again. */
export interface SumCopies {
  readonly plain: Record<string, Float32Array>;
  readonly clipped: Record<string, Float32Array>;
  readonly release: Record<string, Float32Array>;
}

export const makeCopies = (): SumCopies => ({ plain: {}, clipped: {}, release: {} });

type Batch = BatchGradients<BatchSums>;

/**
 * Makes a release and compares it with the sums before noise. A sum that the mechanism asks for itself is copied, because noise is
 * added in place; the others are computed afterwards, because they would overwrite what the mechanism works on.
 */
export async function observeRelease(
  batch: Batch,
  { bound, copies }: { readonly bound: Clipping | undefined; readonly copies: SumCopies },
  release: (batch: Batch) => Promise<BatchSums>,
): Promise<{ readonly sums: BatchSums; readonly figures: Omit<ReleaseDiagnostics, 'expectedCosine'> }> {
  const seen = { plain: false, clipped: false };
  const watched: Batch = {
    ...batch,
    plain: async () => {
      const sums = await batch.plain();
      copyArrays(sums.gradients, copies.plain);
      seen.plain = true;
      return sums;
    },
    clipped: async (clipping) => {
      const sums = await batch.clipped(clipping);
      if (!isDeepStrictEqual(clipping, bound)) return sums;
      copyArrays(sums.gradients, copies.clipped);
      seen.clipped = true;
      return sums;
    },
  };
  const sums = await release(watched);
  copyArrays(sums.gradients, copies.release);
  if (!seen.plain) await watched.plain();
  if (bound !== undefined && !seen.clipped) await watched.clipped(bound);
  return { sums: { ...sums, gradients: copies.release }, figures: compare(copies, bound) };
}

function copyArrays(from: Arrays, into: Record<string, Float32Array>): void {
  for (const [name, array] of Object.entries(from)) {
    if (into[name]?.length === array.length) into[name].set(array);
    else into[name] = array.slice();
  }
}

function compare({ plain, clipped, release }: SumCopies, bound: Clipping | undefined) {
  const { own, first, second, toFirst, toSecond } = products(release, plain, bound ? clipped : plain);
  const cosine = (product: number, square: number) => (own * square > 0 ? product / Math.sqrt(own * square) : 0);
  return {
    norm: Math.sqrt(own),
    cosineToSum: cosine(toSecond, second),
    cosineToGradient: cosine(toFirst, first),
    sumNorm: Math.sqrt(second) / (bound?.norm ?? 1),
  };
}

/** The squares of a vector and of two others, and its products with them, in one pass. */
function products(vector: Arrays, one: Arrays, other: Arrays) {
  let [own, first, second, toFirst, toSecond] = [0, 0, 0, 0, 0];
  for (const [name, xs] of Object.entries(vector)) {
    const [ys, zs] = [one[name] as Float32Array, other[name] as Float32Array];
    for (let i = 0; i < xs.length; i++) {
      const x = xs[i] as number;
      const y = ys[i] as number;
      const z = zs[i] as number;
      own += x * x;
      first += y * y;
      second += z * z;
      toFirst += x * y;
      toSecond += x * z;
    }
  }
  return { own, first, second, toFirst, toSecond };
}
