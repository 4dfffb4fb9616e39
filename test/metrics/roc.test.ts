// ROC figures against scikit-learn, and against counting all pairs.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaUnderRoc, bestAdvantage, rocCurve, separation, truePositiveRateAt } from '../../src/metrics/index.js';

interface GoldenCase {
  readonly positives: number[];
  readonly negatives: number[];
  readonly auc: number;
  readonly advantage: number;
  readonly truePositiveRateAt: Record<string, number>;
  readonly curve: [number, number][];
}
const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'roc.json'), 'utf8')) as {
  cases: GoldenCase[];
};

describe('ROC figures', () => {
  it.each(cases.map((one, index) => ({ index, one })))('are those of scikit-learn, case $index', ({ one }) => {
    const groups = [one.positives, one.negatives] as const;
    expect(areaUnderRoc(...groups)).toBeCloseTo(one.auc, 12);
    expect(bestAdvantage(...groups)).toBeCloseTo(one.advantage, 12);
    for (const [rate, expected] of Object.entries(one.truePositiveRateAt)) {
      expect(truePositiveRateAt(...groups, Number(rate))).toBeCloseTo(expected, 12);
    }
    const points = rocCurve(...groups).map((point) => [point.falsePositiveRate, point.truePositiveRate]);
    expect(points.flat()).toEqual(one.curve.flat().map((rate) => expect.closeTo(rate, 12)));
  });

  it('equal a count over all pairs, a tie as one half', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const wins = positives.flatMap((high) => negatives.map((low) => (Math.sign(high - low) + 1) / 2));
        const share = wins.reduce((sum, win) => sum + win, 0) / wins.length;
        expect(areaUnderRoc(positives, negatives)).toBeCloseTo(share, 12);
      }),
    );
  });

  it('are the same at once as one by one', () => {
    const infinite = fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    const scores = fc.array(fc.oneof(fc.integer({ min: 0, max: 6 }), infinite), { minLength: 1, maxLength: 20 });
    const rates = [0, 0.1, 0.5, 1];
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        expect(separation(positives, negatives, rates)).toEqual({
          area: areaUnderRoc(positives, negatives),
          advantage: bestAdvantage(positives, negatives),
          truePositiveRates: rates.map((rate) => truePositiveRateAt(positives, negatives, rate)),
        });
      }),
    );
    expect(() => separation([1], [Number.NaN])).toThrow('invalid negatives: expected numbers, got NaN');
  });

  it('accept infinite scores and refuse NaN', () => {
    expect(areaUnderRoc([Number.POSITIVE_INFINITY], [Number.NEGATIVE_INFINITY])).toBe(1);
    expect(truePositiveRateAt([1, Number.NEGATIVE_INFINITY], [Number.NEGATIVE_INFINITY], 0)).toBe(0.5);
    expect(() => areaUnderRoc([], [1])).toThrow('invalid positives: expected at least one score, got none');
    expect(() => rocCurve([1], [Number.NaN])).toThrow('invalid negatives: expected numbers, got NaN');
    expect(() => truePositiveRateAt([1], [0], 2)).toThrow('invalid falsePositiveRate: expected from 0 to 1, got 2');
  });
});
