// Products of rows and vectors, against a plain sum.

import { expect, it } from 'vitest';
import { dot, dotRange, multiplyRows } from '../../src/math/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const random = seededSource('dot');
const draw = (count: number) => {
  const numbers = new Float64Array(count);
  fillNormal(random, numbers);
  return numbers;
};
const plain = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

it.each([
  [1, 1, 1],
  [2, 4, 3],
  [5, 7, 10],
  [8, 3, 16],
  [3, 9, 1],
])('%i rows and %i vectors of %i numbers have the products of plain sums', (rows, width, size) => {
  const [matrix, vectors] = [draw(rows * size), draw(width * size)];
  const found = multiplyRows(matrix, vectors, size);
  expect(found).toHaveLength(rows * width);
  for (let k = 0; k < width; k++) {
    for (let i = 0; i < rows; i++) {
      const wanted = plain(matrix.slice(i * size, (i + 1) * size), vectors.slice(k * size, (k + 1) * size));
      expect(found[k * rows + i]).toBeCloseTo(wanted, 12);
      expect(dotRange(matrix, i * size, vectors, k * size, size)).toBeCloseTo(wanted, 12);
    }
  }
});

it('a product over several arrays continues from one to the next, without further rounding', () => {
  const [a, b] = [draw(50), draw(50)];
  expect(dot(a, b)).toBe(plain(a, b));
  expect(dot(a.subarray(20), b.subarray(20), dot(a.subarray(0, 20), b))).toBe(plain(a, b));
  expect(dot([], [])).toBe(0);
});
