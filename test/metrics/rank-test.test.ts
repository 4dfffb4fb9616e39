// The Mann–Whitney test against the exact distribution over all ways to assign ranks.

import { describe, expect, it } from 'vitest';
import { rankTest } from '../../src/metrics/index.js';

/** All ways to choose `count` of these numbers. */
function* choices(numbers: readonly number[], count: number): Generator<number[]> {
  if (count === 0) yield [];
  else
    for (const [place, first] of numbers.entries())
      for (const rest of choices(numbers.slice(place + 1), count - 1)) yield [first, ...rest];
}

describe('the rank test', () => {
  it.each([
    ['without ties', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    ['with ties', [1, 1, 1, 2, 2, 3, 5, 5, 5]],
  ])('has mean 0 and variance 1 over all assignments, %s', (_, scores) => {
    const places = [...scores.keys()];
    const found = [...choices(places, 4)].map((chosen) => {
      const [inside, outside] = [true, false].map((side) =>
        scores.filter((_score, place) => chosen.includes(place) === side),
      ) as [number[], number[]];
      return rankTest(inside, outside).z;
    });
    const mean = (numbers: number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
    expect(found.length).toBe(126);
    expect(mean(found)).toBeCloseTo(0, 12);
    expect(mean(found.map((z) => z * z))).toBeCloseTo(1, 12);
  });

  it('has the AUC of its scores, and 0 where all are equal', () => {
    expect(rankTest([3, 4], [1, 2]).auc).toBe(1);
    expect(rankTest([3, 4], [1, 2]).z).toBeGreaterThan(0);
    expect(rankTest([1, 1], [1, 1, 1])).toEqual({ auc: 0.5, z: 0 });
  });
});
