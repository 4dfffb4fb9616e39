// Thinned ROC curves against whole ones of scikit-learn.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaUnderRoc, meanRoc, type RocRates, readRoc, rocCurve, thinRoc } from '../../src/metrics/index.js';

interface GoldenCase {
  readonly positives: number[];
  readonly negatives: number[];
  readonly auc: number;
  readonly truePositiveRateAt: Record<string, number>;
  readonly corners: number;
  readonly onGrid: number[];
}
const { cases } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'roc-curves.json'), 'utf8')) as {
  cases: GoldenCase[];
};

/** By trapezoids. */
const areaOf = (curve: readonly RocRates[]): number =>
  curve.slice(1).reduce((sum, { falsePositiveRate: to, truePositiveRate: high }, place) => {
    const { falsePositiveRate: from, truePositiveRate: low } = curve[place] as RocRates;
    return sum + ((to - from) * (low + high)) / 2;
  }, 0);

const keyOf = ({ falsePositiveRate, truePositiveRate }: RocRates) => `${falsePositiveRate} ${truePositiveRate}`;
const [start, end] = [
  { falsePositiveRate: 0, truePositiveRate: 0 },
  { falsePositiveRate: 1, truePositiveRate: 1 },
];

function expectThinned(curve: readonly RocRates[], whole: readonly RocRates[]): void {
  expect(curve.length).toBeLessThanOrEqual(200);
  expect([curve[0], curve.at(-1)]).toEqual([start, end]);
  const known = new Set(whole.map(keyOf));
  expect(curve.filter((point) => !known.has(keyOf(point)))).toEqual([]);
  for (const [place, point] of curve.slice(1).entries()) {
    const before = curve[place] as RocRates;
    expect(point.falsePositiveRate).toBeGreaterThanOrEqual(before.falsePositiveRate);
    expect(point.truePositiveRate).toBeGreaterThanOrEqual(before.truePositiveRate);
    expect(keyOf(point)).not.toBe(keyOf(before));
  }
}

describe('thinned ROC curves', () => {
  it.each(cases.map((one, index) => ({ index, one })))('are those of scikit-learn, case $index', ({ one }) => {
    const whole = rocCurve(one.positives, one.negatives);
    const curve = thinRoc(whole);
    expect(whole).toHaveLength(one.corners);
    expectThinned(curve, whole);
    for (const [rate, expected] of Object.entries(one.truePositiveRateAt)) {
      const found = readRoc(curve, Number(rate));
      // One half is not on the grid: there a thinned curve is read at most 6 % of the rate too early.
      if (rate === '0.5') expect(Math.abs(found - expected)).toBeLessThan(0.02);
      else expect(found).toBeCloseTo(expected, 12);
    }
    const decades = Math.ceil(Math.log10(one.negatives.length));
    const grid = [0, ...Array.from({ length: 40 * decades + 1 }, (_, place) => 10 ** (place / 40 - decades))];
    expect(grid.map((rate) => readRoc(curve, rate))).toEqual(one.onGrid.map((rate) => expect.closeTo(rate, 12)));
    expect(Math.abs(areaOf(curve) - one.auc)).toBeLessThan(2e-3);
  });

  it('keep every corner of a short curve, so that its area stays the same', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(scores, scores, (positives, negatives) => {
        const whole = rocCurve(positives, negatives);
        const curve = thinRoc(whole);
        expectThinned(curve, whole);
        expect(areaOf(curve)).toBeCloseTo(areaUnderRoc(positives, negatives), 12);
        for (const { falsePositiveRate } of whole) {
          expect(readRoc(curve, falsePositiveRate)).toBe(readRoc(whole, falsePositiveRate));
        }
      }),
    );
  });

  it('are dense at low rates: all of the first twelve false positives have their corner', () => {
    // Each negative is followed by two positives, so every false positive rate has a corner.
    const negatives = Array.from({ length: 2000 }, (_, place) => -3 * place);
    const positives = negatives.flatMap((score) => [score - 1, score - 2]);
    const curve = thinRoc(rocCurve(positives, negatives));
    expect(curve.length).toBeLessThanOrEqual(200);
    expect(curve.slice(1, 13).map((point) => Math.round(2000 * point.falsePositiveRate))).toEqual(
      Array.from({ length: 12 }, (_, place) => place + 1),
    );
  });

  it('have rates and no thresholds, which may be infinite', () => {
    expect(thinRoc(rocCurve([1], [0]))).toEqual([start, { falsePositiveRate: 0, truePositiveRate: 1 }, end]);
  });
});

describe('means of ROC curves', () => {
  it('average true positive rates at equal false positive rates, without interpolation', () => {
    const perfect = thinRoc(rocCurve([1, 1], [0, 0]));
    const guessing = thinRoc(rocCurve([0], [0]));
    // The second has no threshold between none and all.
    expect(meanRoc([perfect, guessing])).toEqual([start, { falsePositiveRate: 0, truePositiveRate: 0.5 }, end]);
    expect(meanRoc([perfect])).toEqual(perfect);
  });

  it('are as exact as the curves where these are exact', () => {
    const curves = cases.slice(0, 3).map((one) => thinRoc(rocCurve(one.positives, one.negatives)));
    const mean = meanRoc(curves);
    for (const rate of [0, 0.01, 0.1, 1]) {
      const expected =
        cases.slice(0, 3).reduce((sum, one) => sum + (one.truePositiveRateAt[rate] ?? Number.NaN), 0) / 3;
      expect(readRoc(mean, rate)).toBeCloseTo(expected, 12);
    }
    expect(mean.length).toBeLessThanOrEqual(200);
  });
});
