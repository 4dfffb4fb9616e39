// Quantiles of Student's t against high precision, closed forms and symmetry.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { studentQuantile } from '../../src/math/index.js';

// Probability, degrees of freedom, quantile: mpmath 1.3 with 40 digits, the root of 1 − I(ν/(ν + t²); ν/2, 1/2)/2 = p.
const golden = [
  [0.975, 1, 12.706204736174692],
  [0.975, 2, 4.302652729749462],
  [0.975, 3, 3.182446305283708],
  [0.975, 4, 2.7764451051977934],
  [0.975, 9, 2.262157162798205],
  [0.975, 49, 2.0095752371292392],
  [0.995, 2, 9.92484320091829],
  [0.9975, 8, 3.8325186853443576],
  [0.9999, 2, 70.70007107496818],
  [0.6, 2, 0.2886751345948128],
  [0.500001, 5, 2.6343055242196797e-6],
  [0.975, 2.5, 3.5746548420036817],
  [0.975, 13.7, 2.149201262229809],
  [0.975, 1000000, 1.9599663568141068],
  [0.999999, 30, 5.871117120408623],
  [0.75, 0.5, 1.5537739740300374],
] as const;

const relativeError = (value: number, expected: number) => Math.abs(value / expected - 1);

describe("Student's t", () => {
  it.each(golden)('has its quantile at %f with %f degrees of freedom', (probability, degrees, expected) => {
    // 1 − p is exact; 2p − 1 loses digits near one half.
    const lost = 2 ** -52 / Math.abs(probability - 0.5);
    expect(relativeError(studentQuantile(probability, degrees), expected)).toBeLessThan(1e-13 + lost);
  });

  it('is Cauchy with one degree of freedom and normal with infinitely many', () => {
    for (const probability of [0.55, 0.8, 0.99, 0.99999]) {
      expect(relativeError(studentQuantile(probability, 1), Math.tan(Math.PI * (probability - 0.5)))).toBeLessThan(
        1e-11,
      );
    }
    expect(studentQuantile(0.975, Number.POSITIVE_INFINITY)).toBeCloseTo(1.959963984540054, 12);
  });

  it('is symmetric and rises with the probability', () => {
    const probability = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(probability, probability, fc.double({ min: 0.5, max: 1e6, noNaN: true }), (p, q, degrees) => {
        const [low, high] = [studentQuantile(p, degrees), studentQuantile(1 - p, degrees)];
        expect(Math.abs(low + high)).toBeLessThanOrEqual(1e-12 + 1e-11 * Math.abs(low));
        if (q - p > 1e-9) expect(studentQuantile(q, degrees)).toBeGreaterThan(studentQuantile(p, degrees));
      }),
    );
    expect(studentQuantile(0.5, 3)).toBe(0);
  });

  it('refuses invalid probabilities and degrees', () => {
    expect(() => studentQuantile(1, 3)).toThrow('invalid probability: expected between 0 and 1, got 1');
    expect(() => studentQuantile(0.5, 0)).toThrow('invalid degrees: expected > 0, got 0');
  });
});
