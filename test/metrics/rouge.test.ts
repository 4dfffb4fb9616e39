// ROUGE, Jaccard and exact match: known values, naive implementations, laws.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactMatch, jaccard, rougeL, rougeN } from '../../src/metrics/index.js';
import { longestCommon, sharedRuns } from './naive-scores.js';

/** Few different words, so that they repeat. */
const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 8 });
const split = (text: string) => text.split(' ');

describe('ROUGE-L', () => {
  it('is the common subsequence over the longer text, or its precision, recall and F1', () => {
    const scores = rougeL(split('police killed the gunman'), split('the gunman police killed today'));
    expect(scores).toEqual({ lcsRatio: 2 / 5, precision: 2 / 5, recall: 2 / 4, f1: expect.closeTo(4 / 9, 12) });
  });

  it('equals the search over all subsequences', () => {
    fc.assert(
      fc.property(words, words, (reference, hypothesis) => {
        const common = longestCommon(reference, hypothesis);
        const longer = Math.max(reference.length, hypothesis.length, 1);
        const { lcsRatio, f1 } = rougeL(reference, hypothesis);
        expect(lcsRatio).toBeCloseTo(common / longer, 12);
        // F1 = 2·common/(|A| + |B|): precision and recall need not be formed
        expect(f1).toBeCloseTo((2 * common) / Math.max(reference.length + hypothesis.length, 1), 12);
      }),
    );
  });

  it('is 0 for empty texts', () => {
    expect(rougeL([], [])).toEqual({ lcsRatio: 0, precision: 0, recall: 0, f1: 0 });
    expect(rougeL(['a'], []).f1).toBe(0);
  });
});

describe('ROUGE-N', () => {
  it('counts each run as often as it occurs in both', () => {
    expect(rougeN(split('the the cat'), split('the cat the cat'), 1)).toEqual({
      precision: 3 / 4,
      recall: 1,
      f1: expect.closeTo(6 / 7, 12),
    });
    expect(rougeN(split('the the cat'), split('the cat the cat'), 2)).toMatchObject({
      precision: 1 / 3,
      recall: 1 / 2,
    });
  });

  it('equals crossing off equal runs', () => {
    fc.assert(
      fc.property(words, words, fc.integer({ min: 1, max: 3 }), (reference, hypothesis, size) => {
        const common = sharedRuns(reference, hypothesis, size);
        const [left, right] = [reference, hypothesis].map((list) => Math.max(list.length - size + 1, 0)) as [
          number,
          number,
        ];
        expect(rougeN(reference, hypothesis, size).f1).toBeCloseTo((2 * common) / Math.max(left + right, 1), 12);
      }),
    );
  });

  it('refuses runs of length 0', () => {
    expect(() => rougeN(['a'], ['a'], 0)).toThrow('invalid size');
  });
});

describe('Jaccard and exact match', () => {
  it('equal their definitions', () => {
    fc.assert(
      fc.property(words, words, (reference, hypothesis) => {
        const either = [...new Set([...reference, ...hypothesis])];
        const both = either.filter((word) => reference.includes(word) && hypothesis.includes(word));
        expect(jaccard(reference, hypothesis)).toBeCloseTo(both.length / Math.max(either.length, 1), 12);
        expect(exactMatch(reference, hypothesis)).toBe(Number(reference.join() === hypothesis.join()));
        expect(exactMatch(reference, [...reference])).toBe(1);
      }),
    );
  });
});
