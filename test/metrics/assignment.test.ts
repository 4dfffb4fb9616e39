// The assignment against all permutations, and on a size too large for them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign, matchGuesses } from '../../src/metrics/index.js';
import { seededSource, uniform } from '../../src/random/index.js';
import { leastCost } from './naive-scores.js';

const matrices = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 })).chain(([rows, columns]) =>
  fc.array(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: columns, maxLength: columns }), {
    minLength: rows,
    maxLength: rows,
  }),
);

const total = (costs: readonly (readonly number[])[], columnOf: Int32Array) =>
  costs.reduce((sum, row, index) => sum + (row[columnOf[index] as number] ?? 0), 0);

describe('assignment', () => {
  it('costs as little as the best permutation', () => {
    fc.assert(
      fc.property(matrices, (costs) => {
        const columnOf = assign(costs);
        const given = [...columnOf].filter((column) => column >= 0);
        expect(new Set(given).size).toBe(Math.min(costs.length, (costs[0] as number[]).length));
        expect(given.length).toBe(new Set(given).size);
        expect(total(costs, columnOf)).toBe(leastCost(costs));
      }),
    );
  });

  it('finds a hidden permutation among 200', () => {
    const source = seededSource(5);
    const size = 200;
    const hidden = Array.from({ length: size }, (_, row) => (row * 77 + 13) % size);
    const costs = hidden.map((own) =>
      Array.from({ length: size }, (_, column) => uniform(source) + (column === own ? 0 : 1)),
    );
    expect([...assign(costs)]).toEqual(hidden);
  });

  it('accepts an empty table, and refuses costs it cannot compare', () => {
    expect([...assign([])]).toEqual([]);
    expect([...assign([[], []])]).toEqual([-1, -1]);
    expect(() => assign([[1, 2], [3]])).toThrow('expected 2 in every row, got 1');
    expect(() => assign([[Number.NaN]])).toThrow('expected finite numbers, got NaN');
  });

  it('matches guesses to truths', () => {
    const same = (truth: string, guess: string) => Number(truth[0] === guess[0]);
    expect([...matchGuesses(['a1', 'b1', 'c1'], ['c2', 'a2'], same)]).toEqual([1, -1, 0]);
  });
});
