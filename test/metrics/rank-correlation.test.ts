// Spearman's rank correlation against scipy, and what holds for every sample.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rankCorrelation } from '../../src/metrics/index.js';

// scipy 1.17 stats.spearmanr.
const golden = [
  [[1, 2, 3, 4, 5], [5, 6, 7, 8, 7], 0.8207826816681233],
  [[0, 1, 2, 3, 4], [1, 1, 1, 0.5, 0.2], -0.8944271909999157],
  [[0, 1, 2, 3, 4, 5], [1, 1, 0.8, 0.8, 0.1, 0.1], -0.956182887467515],
  [[0, 1, 2, 3], [0.3, 0.1, 0.4, 0.1], -0.21081851067789195],
  [[2, 2, 2, 1, 1, 3], [1, 5, 1, 5, 2, 2], -0.32274861218395146],
  [[-1.5, 3, 3, 0, 7, 7, 7, 2], [4, 4, 4, 4, 1, 0, 0, 9], -0.79008947172521],
] as const;

describe('rank correlation', () => {
  it.each(golden)('of %j and %j', (left, right, expected) => {
    expect(rankCorrelation(left, right)).toBeCloseTo(expected, 14);
  });

  it('is 1 with any rising function of itself, −1 with any falling one, and the same both ways', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(numbers, fc.infiniteStream(fc.integer({ min: 0, max: 5 })), (left, more) => {
        const rising = left.map((value) => value ** 3 + value);
        expect(rankCorrelation(left, rising)).toBe(1);
        expect(
          rankCorrelation(
            left,
            rising.map((value) => -value),
          ),
        ).toBe(-1);
        const right = [...more.take(left.length)];
        const value = rankCorrelation(left, right);
        expect(rankCorrelation(right, left)).toBe(value);
        if (new Set(right).size > 1) expect(Math.abs(value)).toBeLessThanOrEqual(1);
        else expect(value).toBeNaN();
      }),
    );
  });

  it('refuses lists of different lengths', () => {
    expect(() => rankCorrelation([1, 2], [1])).toThrow('invalid right: expected 2 values, got 1');
  });
});
