import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jacobiEigen, leadingEigen } from '../../src/math/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const draw = (count: number, seed: string) => fillNormal(seededSource(seed), new Float64Array(count));

/** Vᵀ diag(values) V for random orthonormal rows V (from Jacobi itself would prove nothing: Gram–Schmidt here). */
function withValues(values: readonly number[], seed: string): Float64Array {
  const size = values.length;
  const rows = Array.from({ length: size }, (_, i) => [...draw(size, `${seed} ${i}`)]);
  for (const [i, row] of rows.entries()) {
    for (const other of rows.slice(0, i)) {
      const share = row.reduce((sum, x, k) => sum + x * (other[k] as number), 0);
      for (const k of row.keys()) row[k] = (row[k] as number) - share * (other[k] as number);
    }
    const length = Math.hypot(...row);
    for (const k of row.keys()) row[k] = (row[k] as number) / length;
  }
  return Float64Array.from({ length: size * size }, (_, at) => {
    const [i, j] = [Math.floor(at / size), at % size];
    return values.reduce((sum, value, k) => sum + value * (rows[k]?.[i] as number) * (rows[k]?.[j] as number), 0);
  });
}

/** ‖A v − λ v‖. */
function residual(matrix: Float64Array, size: number, value: number, vector: Float64Array): number {
  return Math.hypot(
    ...Array.from({ length: size }, (_, i) => {
      let sum = -value * (vector[i] as number);
      for (let j = 0; j < size; j++) sum += (matrix[i * size + j] as number) * (vector[j] as number);
      return sum;
    }),
  );
}

describe('eigenvalues', () => {
  it('of small matrices are those they were made from, with their vectors', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 1, maxLength: 9 }),
        fc.nat(999),
        (given, seed) => {
          const values = given.toSorted((a, b) => b - a);
          const size = values.length;
          const matrix = withValues(values, `${seed}`);
          const found = jacobiEigen(matrix, size);
          for (const [k, value] of values.entries()) {
            expect(found.values[k]).toBeCloseTo(value, 9);
            const vector = found.vectors.subarray(k * size, (k + 1) * size);
            expect(Math.hypot(...vector)).toBeCloseTo(1, 10);
            expect(residual(matrix, size, value, vector)).toBeLessThan(1e-8);
          }
        },
      ),
      { numRuns: 40, seed: 3 },
    );
  });

  it('that stand out in a large matrix are found', () => {
    const size = 60;
    const values = Array.from({ length: size }, (_, i) => (i < 4 ? 100 / (i + 1) : 1 / (i + 1)));
    const matrix = withValues(values, 'large');
    const found = leadingEigen(matrix, { size, count: 4, start: draw(8 * size, 'start') });
    for (let k = 0; k < 4; k++) {
      expect(found.values[k]).toBeCloseTo(values[k] as number, 8);
      expect(
        residual(matrix, size, values[k] as number, found.vectors.subarray(k * size, (k + 1) * size)),
      ).toBeLessThan(1e-6);
    }
  });

  it('of a matrix of low rank: the rest is zero', () => {
    const matrix = withValues([5, 3, 0, 0, 0, 0], 'low');
    const { values } = leadingEigen(matrix, { size: 6, count: 4, start: draw(24, 'start') });
    expect([...values].map((value) => Math.round(value * 1e9) / 1e9 + 0)).toEqual([5, 3, 0, 0]);
    expect(() => leadingEigen(matrix, { size: 6, count: 7, start: draw(36, 's') })).toThrow('vectors to start with');
  });
});
