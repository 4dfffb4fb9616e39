// Systems with a positive definite matrix, against their definition.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solvePositiveDefinite } from '../../src/math/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

/** B Bᵀ + I, which is positive definite. */
function randomMatrix(size: number, seed: number): Float64Array {
  const b = fillNormal(seededSource(seed), new Float64Array(size * size));
  const at = (i: number, j: number) => b[i * size + j] as number;
  return Float64Array.from({ length: size * size }, (_, place) => {
    const [i, j] = [Math.floor(place / size), place % size];
    let sum = i === j ? 1 : 0;
    for (let k = 0; k < size; k++) sum += at(i, k) * at(j, k);
    return sum;
  });
}

describe('positive definite systems', () => {
  it('A x is b, and the inverse has this diagonal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 19 }), fc.nat(10_000), (size, seed) => {
        const matrix = randomMatrix(size, seed);
        const b = fillNormal(seededSource(seed + 1), new Float64Array(size));
        const { solution, inverseDiagonal } = solvePositiveDefinite(matrix, b);
        for (let i = 0; i < size; i++) {
          const row = matrix.subarray(i * size, (i + 1) * size);
          expect(row.reduce((sum, x, j) => sum + x * (solution[j] as number), 0)).toBeCloseTo(b[i] as number, 8);
          const unit = Float64Array.from({ length: size }, (_, j) => Number(i === j));
          expect(solvePositiveDefinite(matrix, unit).solution[i]).toBeCloseTo(inverseDiagonal[i] as number, 10);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('refuses other matrices', () => {
    expect(() => solvePositiveDefinite(Float64Array.of(1, 2, 2, 1), [1, 1])).toThrow('expected positive definite');
    expect(() => solvePositiveDefinite(Float64Array.of(1, 2), [1, 1])).toThrow('elements of the matrix');
    expect(() => solvePositiveDefinite(Float64Array.of(Number.NaN), [1])).toThrow('expected positive definite');
  });
});
