// Linear systems with a symmetric positive definite matrix, by Cholesky factorisation in float64. Matrices are stored row by row.

import { ArgumentError, check, positiveInteger } from '../checks/index.js';
import { dotRange } from './dot.js';

/** What follows from A and b. */
interface Solved {
  /** A⁻¹ b. */
  readonly solution: Float64Array;
  /** The diagonal of A⁻¹. */
  readonly inverseDiagonal: Float64Array;
}

/** Solves A x = b, and gives the diagonal of A⁻¹ with it. Throws if A is not positive definite. */
export function solvePositiveDefinite(matrix: Float64Array, b: ArrayLike<number>): Solved {
  const size = b.length;
  positiveInteger({ size });
  check({ 'elements of the matrix': matrix.length }, `${size * size}`, (count) => count === size * size);
  const inverse = invertTriangle(choleskyOf(matrix, size), size);
  // x = L⁻ᵀ (L⁻¹ b).
  const half = new Float64Array(size);
  for (let j = 0; j < size; j++)
    for (let k = j; k < size; k++) half[k] = (half[k] as number) + (inverse[j * size + k] as number) * (b[j] as number);
  const solution = new Float64Array(size);
  const inverseDiagonal = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    const own = j * size + j;
    solution[j] = dotRange(inverse, own, half, j, size - j);
    inverseDiagonal[j] = dotRange(inverse, own, inverse, own, size - j);
  }
  return { solution, inverseDiagonal };
}

/** The lower triangle L with A = L Lᵀ. */
function choleskyOf(matrix: Float64Array, size: number): Float64Array {
  const factor = new Float64Array(size * size);
  const four = new Float64Array(4);
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let first = 0; first < i; first += 4) {
      const last = Math.min(first + 4, i);
      fourProducts(four, factor, { row, from: 0, to: first }, first * size, size);
      for (let j = first; j < last; j++) {
        const known = (four[j - first] as number) + dotRange(factor, row + first, factor, j * size + first, j - first);
        factor[row + j] = ((matrix[row + j] as number) - known) / (factor[j * size + j] as number);
      }
    }
    const pivot = (matrix[row + i] as number) - dotRange(factor, row, factor, row, i);
    if (!(pivot > 0)) throw new ArgumentError(`invalid matrix: expected positive definite, got the pivot ${pivot}`);
    factor[row + i] = Math.sqrt(pivot);
  }
  return factor;
}

/** L⁻¹, with its columns as rows, so that all products run over neighbouring numbers. */
function invertTriangle(factor: Float64Array, size: number): Float64Array {
  const inverse = new Float64Array(size * size);
  const four = new Float64Array(4);
  for (let k = 0; k < size; k++) {
    const row = k * size;
    const pivot = factor[row + k] as number;
    for (let first = 0; first < k; first += 4) {
      // Columns of L⁻¹ begin with zeros, so all four can start where the first one does.
      fourProducts(four, factor, { row, from: first, to: k }, first * size, size, inverse);
      for (let j = first; j < Math.min(first + 4, k); j++) inverse[j * size + k] = -(four[j - first] as number) / pivot;
    }
    inverse[row + k] = 1 / pivot;
  }
  return inverse;
}

interface RowRange {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** Products of a part of one row with the same part of four following rows: four sums at a time, so that additions need not wait for each other. */
function fourProducts(
  four: Float64Array,
  a: Float64Array,
  { row, from, to }: RowRange,
  start: number,
  size: number,
  b: Float64Array = a,
): void {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const [r1, r2, r3] = [start + size, start + 2 * size, start + 3 * size];
  // There may be fewer rows at the end.
  const rows = Math.min(4, Math.floor((b.length - start) / size));
  if (rows === 4) {
    for (let i = from; i < to; i++) {
      const x = a[row + i] as number;
      s0 += x * (b[start + i] as number);
      s1 += x * (b[r1 + i] as number);
      s2 += x * (b[r2 + i] as number);
      s3 += x * (b[r3 + i] as number);
    }
  } else {
    const length = to - from;
    s0 = dotRange(a, row + from, b, start + from, length);
    if (rows > 1) s1 = dotRange(a, row + from, b, r1 + from, length);
    if (rows > 2) s2 = dotRange(a, row + from, b, r2 + from, length);
  }
  four[0] = s0;
  four[1] = s1;
  four[2] = s2;
  four[3] = s3;
}
