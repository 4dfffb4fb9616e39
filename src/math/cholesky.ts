// Pivoted Cholesky factorisation of small symmetric positive semidefinite matrices, in float64. Matrices are stored row by row.

import { ArgumentError, check, nonNegative, positiveInteger } from '../checks/index.js';
import { dotRange } from './dot.js';

/** The factorisation P A Pᵀ = L Lᵀ, with L lower trapezoidal: size × rank, row by row. */
export interface PivotedCholesky {
  readonly size: number;
  readonly rank: number;
  readonly factor: Float64Array;
  /** Row i of L belongs to row order[i] of A. */
  readonly order: readonly number[];
}

/**
 * Factorises A, stopping when the largest remaining diagonal element is at most `tolerance` times the largest of A: that gives the
 * rank. Throws if a remaining diagonal element is below minus that bound, because A is then not positive semidefinite.
 */
export function pivotedCholesky(matrix: Float64Array, size: number, tolerance = 1e-12): PivotedCholesky {
  positiveInteger({ size });
  nonNegative({ tolerance });
  check({ 'elements of the matrix': matrix.length }, `${size * size}`, (count) => count === size * size);
  check({ 'elements of the matrix': matrix }, 'finite numbers', areFinite);
  // L in the row order of A, filled column by column; `left` is the diagonal of what remains of A.
  const rows = new Float64Array(size * size);
  const left = Float64Array.from({ length: size }, (_, i) => matrix[i * size + i] as number);
  const order = Array.from({ length: size }, (_, i) => i);
  const bound = tolerance * Math.max(...left.map(Math.abs));
  let rank = 0;
  for (; rank < size; rank++) {
    const best = largest(left, order, rank, bound);
    const pivot = left[order[best] as number] as number;
    if (!(pivot > bound)) break;
    [order[rank], order[best]] = [order[best] as number, order[rank] as number];
    addColumn(matrix, rows, left, order, rank, Math.sqrt(pivot));
  }
  const factor = new Float64Array(size * rank);
  for (const [place, row] of order.entries()) factor.set(rows.subarray(row * size, row * size + rank), place * rank);
  return { size, rank, factor, order };
}

/** A loop, because a call per element took a quarter of the time of a factorisation. */
function areFinite(numbers: Float64Array): boolean {
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) return false;
  return true;
}

/** The place of the largest remaining diagonal element. */
function largest(left: Float64Array, order: readonly number[], from: number, bound: number): number {
  let best = from;
  for (let place = from; place < order.length; place++) {
    const value = left[order[place] as number] as number;
    if (value < -bound) {
      throw new ArgumentError(`invalid matrix: expected positive semidefinite, got ${value} as a pivot`);
    }
    if (value > (left[order[best] as number] as number)) best = place;
  }
  return best;
}

/** L_ik = (A_ip − Σ_{j<k} L_ij L_pj) / pivot for all rows i after the pivot's own, p. */
function addColumn(
  matrix: Float64Array,
  rows: Float64Array,
  left: Float64Array,
  order: readonly number[],
  k: number,
  pivot: number,
): void {
  const size = order.length;
  const own = (order[k] as number) * size;
  rows[own + k] = pivot;
  for (let place = k + 1; place < size; place++) {
    const row = order[place] as number;
    const start = row * size;
    const entry = ((matrix[own + row] as number) - dotRange(rows, start, rows, own, k)) / pivot;
    rows[start + k] = entry;
    left[row] = (left[row] as number) - entry * entry;
  }
}

/** Solves L x = b, for the leading rank × rank triangle. */
export function solveLower({ factor, rank }: PivotedCholesky, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(rank);
  for (let i = 0; i < rank; i++) {
    let sum = b[i] as number;
    for (let j = 0; j < i; j++) sum -= (factor[i * rank + j] as number) * (x[j] as number);
    x[i] = sum / (factor[i * rank + i] as number);
  }
  return x;
}

/** Solves Lᵀ x = b, for the leading rank × rank triangle. */
export function solveUpper({ factor, rank }: PivotedCholesky, b: ArrayLike<number>): Float64Array {
  const x = new Float64Array(rank);
  for (let i = rank - 1; i >= 0; i--) {
    let sum = b[i] as number;
    for (let j = i + 1; j < rank; j++) sum -= (factor[j * rank + i] as number) * (x[j] as number);
    x[i] = sum / (factor[i * rank + i] as number);
  }
  return x;
}
