// Character scores against the recursion of their definition.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editSimilarity, wordSimilarity } from '../../src/metrics/index.js';
import { editDistance, leastCost } from './naive-scores.js';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
const naive = (left: string, right: string) => 1 - editDistance(left, right) / Math.max(left.length, right.length);

describe('edit similarity', () => {
  it('scores kitten and sitting', () => {
    expect(editSimilarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7, 12);
    expect([editSimilarity('', ''), editSimilarity('a', '')]).toEqual([1, 0]);
  });

  it('counts characters, not surrogate halves', () => {
    expect(editSimilarity('a🙂', 'a🙃')).toBe(0.5);
  });

  it('equals the recursion', () => {
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editSimilarity(left, right)).toBeCloseTo(naive(left, right), 12);
      }),
    );
  });
});

describe('word similarity', () => {
  it('credits near matches in any order', () => {
    const [reference, hypothesis] = [
      ['who', 'has', 'snorkel'],
      ['snorkels', 'has', 'whom'],
    ];
    expect(wordSimilarity(reference, hypothesis)).toBeCloseTo((3 / 4 + 1 + 7 / 8) / 3, 12);
    expect([wordSimilarity([], []), wordSimilarity(['a'], [])]).toEqual([0, 0]);
  });

  it('equals the best of all pairings', () => {
    const texts = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(texts, texts, (reference, hypothesis) => {
        const costs = reference.map((left) => hypothesis.map((right) => -naive(left, right)));
        const best = -leastCost(costs) / Math.max(reference.length, hypothesis.length);
        expect(wordSimilarity(reference, hypothesis)).toBeCloseTo(best, 12);
      }),
    );
  });
});
