// The bound on membership attacks: closed forms, and the best test between two Laplace distributions, which reaches it.

import { describe, expect, it } from 'vitest';
import { logNormalCdf } from '../../src/math/index.js';
import { gaussianDelta, membershipBound, mostTruePositives } from '../../src/privacy/index.js';

describe('the most true positives under (ε, δ)', () => {
  it('is guessing at ε = 0, certainty at ε = ∞, and δ more at no false positives', () => {
    for (const rate of [0, 0.01, 0.3, 1]) {
      expect(mostTruePositives(rate, 0, 0)).toBeCloseTo(rate, 12);
      expect(mostTruePositives(rate, Number.POSITIVE_INFINITY, 0)).toBe(rate === 0 ? 0 : 1);
      expect(mostTruePositives(rate, 1, 1)).toBe(1);
    }
    expect(mostTruePositives(0, 3, 1e-5)).toBe(1e-5);
  });

  it('is what the best test reaches that tells Laplace noise around 0 from Laplace noise around 1', () => {
    // Scale 1/ε; the test says yes above t: FPR = ½e^−εt and TPR = 1 − ½e^−ε(1 − t) for 0 ≤ t ≤ 1.
    for (const epsilon of [0.5, 1, 3]) {
      for (const t of [0, 0.25, 0.5, 0.9]) {
        const [fpr, tpr] = [Math.exp(-epsilon * t) / 2, 1 - Math.exp(-epsilon * (1 - t)) / 2];
        expect(tpr).toBeLessThanOrEqual(mostTruePositives(fpr, epsilon, 0) + 1e-12);
      }
      // Beyond the means the ratio is e^ε everywhere, and the bound is exact.
      const fpr = Math.exp(-epsilon * 2) / 2;
      expect(mostTruePositives(fpr, epsilon, 0)).toBeCloseTo(Math.exp(-epsilon * 1) / 2, 12);
    }
  });

  it('is never below the best test between two normal distributions, for any of their ε and δ', () => {
    const cdf = (x: number) => Math.exp(logNormalCdf(x));
    for (const mu of [0.5, 1, 2]) {
      for (const epsilon of [0.1, 1, 3]) {
        const delta = gaussianDelta(epsilon, mu);
        for (const t of [-2, -1, 0, 1, 2, 3])
          expect(cdf(mu - t)).toBeLessThanOrEqual(mostTruePositives(cdf(-t), epsilon, delta) + 1e-12);
      }
    }
  });

  it('refuses rates and budgets that are none', () => {
    expect(() => mostTruePositives(2, 1, 0)).toThrow('falsePositiveRate');
    expect(() => mostTruePositives(0.1, -1, 0)).toThrow('epsilon');
    expect(() => mostTruePositives(0.1, 1, 2)).toThrow('delta');
  });
});

describe('the curve of that bound', () => {
  it.each([
    [0.002, 0, 0],
    [0.01, 0.1, 1e-5],
    [1e-4, 3, 1e-3],
    [0.03, 8, 0.2],
  ])(
    'from %d on, for ε = %d and δ = %d, rises from the lowest rate to 1 and has the corner',
    (lowest, epsilon, delta) => {
      const curve = membershipBound(lowest, epsilon, delta);
      const rates = curve.map((point) => point.falsePositiveRate);
      expect([rates[0], rates.at(-1), curve.at(-1)?.truePositiveRate]).toEqual([lowest, 1, 1]);
      expect(rates).toEqual([...new Set(rates)].sort((a, b) => a - b));
      for (const { falsePositiveRate, truePositiveRate } of curve) {
        expect(truePositiveRate).toBe(mostTruePositives(falsePositiveRate, epsilon, delta));
      }
      // Where e^ε·x + δ and 1 − e^−ε(1 − δ − x) are equal, they lie symmetrically about the other diagonal: x = 1 − y.
      const corner = curve.find((point) => Math.abs(1 - point.truePositiveRate - point.falsePositiveRate) < 1e-12);
      const steep = Math.exp(epsilon) * lowest + delta;
      expect(corner !== undefined).toBe(steep < 1 - lowest);
      // Dense on a logarithmic axis.
      for (const [place, rate] of rates.slice(1).entries()) expect(rate / (rates[place] as number)).toBeLessThan(1.06);
    },
  );
});
