// The accountant of privacy-loss distributions against Google's, limits at high precision and closed forms.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  approximate,
  dpSgd,
  gaussian,
  laplace,
  pldAccountant,
  pureEpsilon,
  rdpAccountant,
} from '../../src/privacy/index.js';
import { deltaBounds, epsilonBounds, meet } from '../../src/privacy/pld/curve.js';
import { directions } from '../../src/privacy/pld/directions.js';
import { totalOf } from '../../src/privacy/pld/total.js';
import { releases } from '../../src/privacy/releases.js';
import { grid } from './golden.js';

interface Between {
  rows: { q: number; sigma: number; steps: number; delta: number; optimistic: number; pessimistic: number }[];
}
const between = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'pld.json'), 'utf8')) as Between;

const account = (sampleRate: number, noiseMultiplier: number, steps: number, delta: number) => {
  const found = pldAccountant().compose(dpSgd({ sampleRate, noiseMultiplier, steps })).epsilon(delta);
  const { lower = Number.NaN, estimate = Number.NaN, upper = Number.NaN } = found;
  expect(lower).toBeLessThanOrEqual(estimate);
  expect(estimate).toBeLessThanOrEqual(upper);
  expect(upper - lower).toBeLessThan(0.01 * upper);
  expect(found.epsilon).toBe(upper);
  return { lower, estimate, upper };
};

describe('the PLD accountant', () => {
  it('is within half a per cent of Google’s, with narrow bounds', { timeout: 240_000 }, () => {
    for (const { q, sigma, steps, delta, google_pld_eps } of grid.subsampled_gaussian) {
      const { estimate, lower } = account(q, sigma, steps, delta);
      expect(Math.abs(estimate - google_pld_eps)).toBeLessThan(Math.max(0.005 * google_pld_eps, 0.002));
      // Google's is an upper bound (to its tails).
      expect(lower).toBeLessThan(google_pld_eps * 1.00001);
    }
  });

  it('encloses the limits', { timeout: 240_000 }, () => {
    for (const [sigma, q, steps, limit] of [
      [1.5, 0.05, 1000, 6.1997],
      [2, 0.05, 20000, 24.4111],
      [3, 0.2, 100, 3.37106],
      [3, 0.05, 50000, 24.9316],
    ] as const) {
      const { lower, upper } = account(q, sigma, steps, 1e-6);
      expect(lower).toBeLessThan(limit + 1e-4);
      expect(upper).toBeGreaterThan(limit - 1e-4);
    }
    const { lower, upper } = account(0.04, 1.5, 2250, 1e-5);
    expect(lower).toBeLessThan(6.76885);
    expect(upper).toBeGreaterThan(6.76875);
    expect(upper - lower).toBeLessThan(0.004);
  });

  it('lies between Google’s bounds where tails are heavy or steps few', { timeout: 120_000 }, () => {
    for (const { q, sigma, steps, delta, optimistic, pessimistic } of between.rows) {
      const { lower, estimate, upper } = account(q, sigma, steps, delta);
      expect(lower).toBeLessThan(pessimistic);
      expect(upper).toBeGreaterThan(optimistic);
      // Connected dots on such a fine lattice are nearly exact.
      expect(Math.abs(estimate / pessimistic - 1)).toBeLessThan(0.0005);
    }
  });

  it('composes Laplace noise and pure ε', { timeout: 120_000 }, () => {
    for (const { noise_multiplier, count, delta, google_pld_eps } of grid.laplace_composition) {
      const { estimate = 0 } = pldAccountant().compose(laplace(noise_multiplier), count).epsilon(delta);
      expect(Math.abs(estimate / google_pld_eps - 1)).toBeLessThan(0.005);
    }
    expect(pldAccountant().compose(laplace(2), 3).epsilon(0).epsilon).toBe(1.5);
    expect(pldAccountant().compose(pureEpsilon(1), 2).epsilon(0).epsilon).toBe(2);
  });

  it('is exact for normal noise alone', () => {
    const { lower, upper, bound } = pldAccountant().compose(gaussian(10), 10).epsilon(1e-5);
    expect(upper).toBeCloseTo(1.199369573753, 10);
    expect(lower).toBe(upper);
    expect(bound).toBe('exact');
  });

  it('answers at once for almost no noise, whatever the loss', () => {
    for (const noiseMultiplier of [1e-4, 1e-6, 1e-9]) {
      const event = dpSgd({ sampleRate: 0.01, noiseMultiplier, steps: 100 });
      const { epsilon, lower, warnings } = pldAccountant().compose(event).epsilon(1e-5);
      expect(epsilon).toBeLessThanOrEqual(rdpAccountant().compose(event).epsilon(1e-5).epsilon);
      // Nobody is hidden: each of the one to ten batches with the record costs 1/2σ².
      expect(epsilon).toBeGreaterThan(0.5 / noiseMultiplier ** 2);
      expect(lower).toBe(0);
      expect(warnings).toEqual([expect.stringContaining('the bounds are wide here: the truth lies between 0 and ')]);
    }
  });

  it('gives the RDP bound, with a warning, where it has no better one', () => {
    const event = dpSgd({ sampleRate: 0.01, noiseMultiplier: 1, steps: 100_000 });
    const { epsilon, order } = rdpAccountant().compose(event).epsilon(1e-14);
    const found = pldAccountant().compose(event).epsilon(1e-14);
    expect(found).toMatchObject({ accountant: 'pld', bound: 'upper', epsilon, order, upper: epsilon });
    expect(found.lower).toBeGreaterThan(30);
    expect(found.estimate).toBeLessThanOrEqual(epsilon);
    expect(found.warnings).toEqual([
      'float64 cannot resolve the loss distribution here: this is the bound of the rdp accountant',
    ]);
  });

  it('gives wide bounds with a warning for large data in small batches', () => {
    // Google's with connected dots at an interval of 1e-5 is 0.363242, from above.
    const event = dpSgd({ sampleRate: 1e-4, noiseMultiplier: 0.7, steps: 100_000 });
    const { epsilon, lower = Number.NaN, bound, warnings } = pldAccountant().compose(event).epsilon(1e-6);
    expect(bound).toBe('upper');
    expect(epsilon).toBeLessThan(0.3635);
    expect(epsilon).toBeGreaterThan(0.3632);
    expect(lower).toBeLessThan(0.3632);
    expect(warnings).toEqual(['the bounds are wide here: the truth lies between 0.3499 and 0.3633']);
  });

  // Fine lattices give 0.004270 and 0.015872 from above: single losses are far smaller than the steps of coarse ones.
  it.each([
    [1e6, 0.00427],
    [1e7, 0.015872],
  ])('never has a lower bound above the truth, on coarse lattices and %d tiny steps', (steps, truth) => {
    const tiny = dpSgd({ sampleRate: 1e-6, noiseMultiplier: 0.8, steps });
    for (const pairs of directions(releases(tiny))) {
      for (const size of [2 ** 13, 2 ** 14, 2 ** 15]) {
        const total = totalOf(pairs, size, 1e-10);
        if (total === undefined) throw new Error('no total');
        const { lower, upper } = epsilonBounds(total, 1e-5);
        expect(lower).toBeLessThanOrEqual(truth);
        expect(upper).toBeGreaterThan(0.98 * truth);
        expect(deltaBounds(total, truth).lower).toBeLessThanOrEqual(1e-5);
      }
    }
  });

  it('drops a lower bound that is above the upper one', () => {
    const known = { lower: 0.5, estimate: 0.7, upper: 1 };
    expect(meet(known, { lower: 0.6, estimate: 0.8, upper: 2 })).toEqual({ lower: 0.6, estimate: 0.8, upper: 1 });
    expect(meet(known, { lower: 1.1, estimate: 1.2, upper: 2 })).toEqual({ lower: 0, estimate: 1, upper: 1 });
    // A difference within rounding is no contradiction.
    expect(meet(known, { lower: 1 + 1e-15, estimate: 1, upper: 2 })).toEqual({ lower: 1, estimate: 1, upper: 1 });
  });

  it('is infinite where an event may fail more often than δ allows', () => {
    const accountant = pldAccountant().compose(approximate(1, 1e-4), 3);
    expect(accountant.epsilon(1e-5).epsilon).toBe(Number.POSITIVE_INFINITY);
    const [failing, safe] = [1 - (1 - 1e-4) ** 3, accountant.delta(100)];
    expect(safe.lower).toBeLessThanOrEqual(failing);
    expect(safe.delta / failing).toBeCloseTo(1, 6);
    expect(accountant.epsilon(4e-4).epsilon).toBeLessThan(3);
  });
});

describe('the extremes', () => {
  it('works at ε from 0.01 to 1000 and 1 to 100,000 steps, below the RDP bound', { timeout: 240_000 }, () => {
    for (const [q, sigma, steps] of [
      [0.3, 3, 1],
      [0.5, 0.5, 1],
      [0.001, 1, 10],
      [0.5, 0.5, 1000],
      [0.3, 3, 100_000],
      [0.5, 0.5, 100_000],
      [0.01, 0.3, 100_000],
      [0.0001, 0.3, 100_000],
    ] as const) {
      const { upper, lower } = account(q, sigma, steps, 1e-5);
      const event = dpSgd({ sampleRate: q, noiseMultiplier: sigma, steps });
      const rdp = rdpAccountant().compose(event).epsilon(1e-5).epsilon;
      expect(upper).toBeLessThan(rdp);
      expect(lower).toBeGreaterThan(0);
    }
  });
});
