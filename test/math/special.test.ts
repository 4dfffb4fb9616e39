// Special functions against high precision, at the extremes accounting reaches.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clopperPearson, erfc, erfcx, logNormalCdf, logNormalInterval, normalCdf } from '../../src/math/index.js';

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'special.json'), 'utf8')) as {
  logNormalCdf: [number, number][];
  logNormalInterval: [number, number, number][];
  clopperPearson: [number, number, number, number, number][];
};

const expectNear = (value: number, expected: number, relative: number, what: string) =>
  expect(Math.abs(value - expected), `${what}: ${value}, expected ${expected}`).toBeLessThanOrEqual(
    relative * Math.abs(expected),
  );

describe('the normal distribution', () => {
  it('is accurate from −10,000 to 30', () => {
    // Rounding of the argument alone costs x² · 2⁻⁵³.
    for (const [x, expected] of golden.logNormalCdf) {
      expectNear(logNormalCdf(x), expected, x < 0 ? 2e-15 : 2e-15 * (1 + x * x), `log Φ(${x})`);
    }
    expect(logNormalCdf(Number.NEGATIVE_INFINITY)).toBe(Number.NEGATIVE_INFINITY);
    expect(logNormalCdf(Number.POSITIVE_INFINITY)).toBeCloseTo(0, 300);
  });

  it('gives short intervals in both tails without cancellation', () => {
    for (const [low, high, expected] of golden.logNormalInterval) {
      // The width itself is only known to the rounding of its ends.
      const width = (2 ** -52 * Math.max(1, low * low)) / (high - low);
      expectNear(logNormalInterval(low, high), expected, 2e-14 + width, `(${low}, ${high}]`);
    }
    expect(logNormalInterval(1, 1)).toBe(Number.NEGATIVE_INFINITY);
    expect(logNormalInterval(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(0);
    expect(logNormalInterval(Number.NEGATIVE_INFINITY, -50)).toBeCloseTo(logNormalCdf(-50), 10);
    expect(logNormalInterval(-50, Number.POSITIVE_INFINITY)).toBeCloseTo(0, 300);
  });

  it('agrees with the error functions it is built from', () => {
    for (const x of [-3, -0.2, 0, 1.5, 4]) {
      expect(normalCdf(x)).toBeCloseTo(Math.exp(logNormalCdf(x)), 15);
      expect(erfc(x) + erfc(-x)).toBeCloseTo(2, 15);
      expect(erfcx(x)).toBeCloseTo(Math.exp(x * x) * erfc(x), 10 - Math.max(0, x * x - 5));
    }
  });
});

describe('clopperPearson', () => {
  it('gives the quantiles of the beta distributions', () => {
    for (const [successes, trials, confidence, lower, upper] of golden.clopperPearson) {
      const interval = clopperPearson(successes, trials, confidence);
      expectNear(interval.lower, lower, 1e-9, `lower of ${successes}/${trials}`);
      expectNear(interval.upper, upper, 1e-9, `upper of ${successes}/${trials}`);
    }
  });

  it('refuses invalid counts and confidences', () => {
    expect(() => clopperPearson(11, 10, 0.9)).toThrow('invalid successes: expected at most 10, got 11');
    expect(() => clopperPearson(1.5, 10, 0.9)).toThrow('invalid successes');
    expect(() => clopperPearson(1, 10, 1)).toThrow('invalid confidence: expected between 0 and 1, got 1');
    expect(() => clopperPearson(0, 0, 0.9)).toThrow('invalid trials');
  });
});
