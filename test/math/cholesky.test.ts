import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pivotedCholesky, solveLower, solveUpper } from '../../src/math/index.js';
import { normal, seededSource } from '../../src/random/index.js';

/** Inner products of `size` vectors in `rank` dimensions. */
function gram(size: number, rank: number, seed: string): Float64Array {
  const source = seededSource(seed);
  const rows = Array.from({ length: size }, () => Array.from({ length: rank }, () => normal(source)));
  return Float64Array.from({ length: size * size }, (_, at) => {
    const [a, b] = [rows[Math.floor(at / size)] as number[], rows[at % size] as number[]];
    return a.reduce((sum, x, k) => sum + x * (b[k] as number), 0);
  });
}

describe('pivotedCholesky', () => {
  it('gives back the matrix and its rank', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), fc.integer(), (size, inner, seed) => {
        const matrix = gram(size, inner, `${seed}`);
        const { factor, rank, order } = pivotedCholesky(matrix, size);
        expect(rank).toBe(Math.min(size, inner));
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, i) => i));
        for (let i = 0; i < size; i++) {
          for (let j = 0; j < size; j++) {
            let sum = 0;
            for (let k = 0; k < rank; k++) sum += (factor[i * rank + k] as number) * (factor[j * rank + k] as number);
            expect(sum).toBeCloseTo(matrix[(order[i] as number) * size + (order[j] as number)] as number, 9);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('accepts repeated and opposite vectors, and a zero matrix', () => {
    expect(pivotedCholesky(Float64Array.of(1, 1, -1, 1, 1, -1, -1, -1, 1), 3).rank).toBe(1);
    expect(pivotedCholesky(new Float64Array(4), 2).rank).toBe(0);
  });

  it('solves with both triangles', () => {
    const cholesky = pivotedCholesky(gram(6, 8, 'solve'), 6);
    const b = [1, -2, 3, 0.5, 0, 4];
    const lower = solveLower(cholesky, b);
    const upper = solveUpper(cholesky, b);
    for (let i = 0; i < 6; i++) {
      let [left, right] = [0, 0];
      for (let j = 0; j < 6; j++) {
        left += (cholesky.factor[i * 6 + j] as number) * (lower[j] as number);
        right += (cholesky.factor[j * 6 + i] as number) * (upper[j] as number);
      }
      expect(left).toBeCloseTo(b[i] as number, 9);
      expect(right).toBeCloseTo(b[i] as number, 9);
    }
  });

  it('refuses matrices that are not positive semidefinite', () => {
    expect(() => pivotedCholesky(Float64Array.of(1, 2, 2, 1), 2)).toThrow('expected positive semidefinite');
    expect(() => pivotedCholesky(Float64Array.of(1, 2, 2), 2)).toThrow('expected 4, got 3');
    expect(() => pivotedCholesky(Float64Array.of(Number.NaN), 1)).toThrow('expected finite numbers');
  });
});
