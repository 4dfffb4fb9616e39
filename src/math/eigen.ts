// The largest eigenvalues of a symmetric positive semidefinite matrix and their vectors, in float64: subspace iteration for a large
// matrix, Jacobi rotations for the small one inside. Matrices are stored row by row.

import { check, positiveInteger } from '../checks/index.js';
import { dotRange, multiplyRows } from './dot.js';

export interface Eigen {
  /** In falling order. */
  readonly values: Float64Array;
  /** One vector after the other, each of length `size`. */
  readonly vectors: Float64Array;
}

export interface LeadingOptions {
  readonly size: number;
  readonly count: number;
  readonly iterations?: number;
  /** Where the search begins: vectors of length `size`, some more than `count`. Random vectors will do. */
  readonly start: Float64Array;
}

/** The `count` largest eigenvalues and their vectors. Those that stand out converge first; among equal values any basis is as good. */
export function leadingEigen(matrix: Float64Array, options: LeadingOptions): Eigen {
  const { size, count, iterations = 9, start } = options;
  positiveInteger({ size, count });
  check({ 'elements of the matrix': matrix.length }, `${size * size}`, (length) => length === size * size);
  const width = start.length / size;
  check(
    { 'vectors to start with': width },
    `a whole number from ${count} to ${size}`,
    (n) => Number.isInteger(n) && n >= count && n <= size,
  );
  let basis = start;
  for (let iteration = 0; iteration < iterations; iteration++) {
    basis = multiplyRows(matrix, basis, size);
    orthonormalise(basis, size, width);
  }
  const image = multiplyRows(matrix, basis, size);
  const small = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      const product = dotRows(basis, i, image, j, size);
      small[i * width + j] = product;
      small[j * width + i] = product;
    }
  }
  const inner = jacobiEigen(small, width);
  const vectors = new Float64Array(count * size);
  for (let k = 0; k < count; k++) {
    for (let i = 0; i < width; i++) {
      const share = inner.vectors[k * width + i] as number;
      for (let j = 0; j < size; j++)
        vectors[k * size + j] = (vectors[k * size + j] as number) + share * (basis[i * size + j] as number);
    }
  }
  return { values: inner.values.slice(0, count), vectors };
}

/** All eigenvalues of a small symmetric matrix and their vectors, by cyclic Jacobi rotations. */
export function jacobiEigen(matrix: Float64Array, size: number): Eigen {
  positiveInteger({ size });
  check({ 'elements of the matrix': matrix.length }, `${size * size}`, (length) => length === size * size);
  const a = matrix.slice();
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  for (let sweep = 0; sweep < 50; sweep++) {
    let [off, diagonal] = [0, 0];
    for (let i = 0; i < size; i++) {
      for (let j = 0; j < size; j++) {
        const square = (a[i * size + j] as number) ** 2;
        if (i === j) diagonal += square;
        else off += square;
      }
    }
    if (off <= 1e-28 * diagonal) break;
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (i, j) => (a[j * size + j] as number) - (a[i * size + i] as number),
  );
  const vectors = new Float64Array(size * size);
  for (const [place, i] of order.entries()) vectors.set(v.subarray(i * size, (i + 1) * size), place * size);
  return { values: Float64Array.from(order, (i) => a[i * size + i] as number), vectors };
}

/** Makes a_pq zero by a rotation; the rows of v are the vectors. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q] as number;
  if (apq === 0) return;
  const theta = ((a[q * size + q] as number) - (a[p * size + p] as number)) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k++) turn(a, k * size + p, k * size + q, c, s);
  for (let k = 0; k < size; k++) turn(a, p * size + k, q * size + k, c, s);
  for (let k = 0; k < size; k++) turn(v, p * size + k, q * size + k, c, s);
}

function turn(array: Float64Array, i: number, j: number, c: number, s: number): void {
  const [x, y] = [array[i] as number, array[j] as number];
  array[i] = c * x - s * y;
  array[j] = s * x + c * y;
}

const dotRows = (a: Float64Array, i: number, b: Float64Array, j: number, size: number): number =>
  dotRange(a, i * size, b, j * size, size);

/** Modified Gram–Schmidt, repeated where much was subtracted. A vector in the span of those before it becomes zero. */
function orthonormalise(vectors: Float64Array, size: number, width: number): void {
  for (let k = 0; k < width; k++) {
    const before = Math.sqrt(dotRows(vectors, k, vectors, k, size));
    subtractEarlier(vectors, size, k);
    let length = Math.sqrt(dotRows(vectors, k, vectors, k, size));
    if (length < 0.7 * before) {
      subtractEarlier(vectors, size, k);
      length = Math.sqrt(dotRows(vectors, k, vectors, k, size));
    }
    const own = vectors.subarray(k * size, (k + 1) * size);
    if (length > 1e-14 * before) for (let i = 0; i < size; i++) own[i] = (own[i] as number) / length;
    else own.fill(0);
  }
}

/** Subtracts from the k-th vector its projections on those before it. */
function subtractEarlier(vectors: Float64Array, size: number, k: number): void {
  const own = k * size;
  for (let j = 0; j < k; j++) {
    const other = j * size;
    const share = dotRange(vectors, own, vectors, other, size);
    for (let i = 0; i < size; i++)
      vectors[own + i] = (vectors[own + i] as number) - share * (vectors[other + i] as number);
  }
}
