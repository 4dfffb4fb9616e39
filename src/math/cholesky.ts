// Pivoted Cholesky factorisation of small symmetric positive semidefinite matrices, in float64. Matrices are row by row.

import { ArgumentError, check, nonNegative, positiveInteger } from './check.js';

/** P A Pᵀ = L Lᵀ with L lower trapezoidal: size × rank, row by row. */
export interface PivotedCholesky {
  readonly size: number;
  readonly rank: number;
  readonly factor: Float64Array;
  /** Row i of L belongs to row order[i] of A. */
  readonly order: readonly number[];
}

/**
 * Stops when the largest remaining diagonal element is at most `tolerance` times the largest of A: that is the rank.
 * A remaining diagonal below minus that bound means A is not positive semidefinite.
 */
export function pivotedCholesky(matrix: Float64Array, size: number, tolerance = 1e-12): PivotedCholesky {
  positiveInteger({ size });
  nonNegative({ tolerance });
  check({ 'elements of the matrix': matrix.length }, `${size * size}`, (count) => count === size * size);
  check({ 'elements of the matrix': matrix }, 'finite numbers', (elements) => elements.every(Number.isFinite));
  const work = Float64Array.from(matrix);
  const at = (row: number, column: number) => work[row * size + column] as number;
  const order = Array.from({ length: size }, (_, i) => i);
  const bound = tolerance * Math.max(...order.map((i) => Math.abs(at(i, i))));
  let rank = 0;
  for (; rank < size; rank++) {
    let best = rank;
    for (let i = rank; i < size; i++) {
      if (at(i, i) < -bound)
        throw new ArgumentError(`invalid matrix: expected positive semidefinite, got ${at(i, i)} as a pivot`);
      if (at(i, i) > at(best, best)) best = i;
    }
    if (!(at(best, best) > bound)) break;
    swapSymmetric(work, size, rank, best);
    [order[rank], order[best]] = [order[best] as number, order[rank] as number];
    eliminate(work, size, rank);
  }
  const factor = new Float64Array(size * rank);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < Math.min(row + 1, rank); column++) factor[row * rank + column] = at(row, column);
  }
  return { size, rank, factor, order };
}

function swapSymmetric(work: Float64Array, size: number, a: number, b: number): void {
  if (a === b) return;
  const swap = (i: number, j: number) => {
    [work[i], work[j]] = [work[j] as number, work[i] as number];
  };
  for (let k = 0; k < size; k++) swap(a * size + k, b * size + k);
  for (let k = 0; k < size; k++) swap(k * size + a, k * size + b);
}

/** One column of L, and the rest of the matrix without it. */
function eliminate(work: Float64Array, size: number, k: number): void {
  const pivot = Math.sqrt(work[k * size + k] as number);
  work[k * size + k] = pivot;
  for (let i = k + 1; i < size; i++) work[i * size + k] = (work[i * size + k] as number) / pivot;
  for (let i = k + 1; i < size; i++) {
    const left = work[i * size + k] as number;
    for (let j = k + 1; j <= i; j++) {
      const value = (work[i * size + j] as number) - left * (work[j * size + k] as number);
      work[i * size + j] = value;
      work[j * size + i] = value;
    }
  }
}

/** x with L x = b, for the leading rank × rank triangle. */
export function solveLower({ factor, rank }: PivotedCholesky, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(rank);
  for (let i = 0; i < rank; i++) {
    let sum = b[i] as number;
    for (let j = 0; j < i; j++) sum -= (factor[i * rank + j] as number) * (x[j] as number);
    x[i] = sum / (factor[i * rank + i] as number);
  }
  return x;
}

/** x with Lᵀ x = b, for the leading rank × rank triangle. */
export function solveUpper({ factor, rank }: PivotedCholesky, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(rank);
  for (let i = rank - 1; i >= 0; i--) {
    let sum = b[i] as number;
    for (let j = i + 1; j < rank; j++) sum -= (factor[j * rank + i] as number) * (x[j] as number);
    x[i] = sum / (factor[i * rank + i] as number);
  }
  return x;
}
