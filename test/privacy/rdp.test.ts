// The Rényi accountant against high precision, Opacus and published values.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  defaultOrders,
  dpSgd,
  laplace,
  pureEpsilon,
  rdpAccountant,
  rdpToDelta,
  rdpToEpsilon,
  sampledGaussianRdp,
} from '../../src/privacy/index.js';
import { grid } from './golden.js';

const exact = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'rdp.json'), 'utf8')) as {
  sampledGaussian: [number, number, number, number][];
};
const relative = (value: number, expected: number) => Math.abs(value / expected - 1);

describe('the divergence of the sampled Gaussian', () => {
  it('is exact at whole and other orders, for tiny and large rates and little noise', () => {
    for (const [sampleRate, noise, order, expected] of exact.sampledGaussian) {
      const value = sampledGaussianRdp(sampleRate, noise, order);
      expect(relative(value, expected), `q ${sampleRate} σ ${noise} α ${order}`).toBeLessThan(1e-9);
    }
  });

  it('has the published values after 50 steps', () => {
    const published = [6.500709e-4, 1.085418e-3, 2.180757e-3, 2.384604e-2, 167.416308];
    const values = [1.5, 2.5, 5, 50, 100].map((order) => 50 * sampledGaussianRdp(0.01, 2.5, order));
    values.forEach((value, i) => {
      expect(relative(value, published[i] as number)).toBeLessThan(5e-7);
    });
  });

  it('is 0 at sample rate 0 and the plain Gaussian at sample rate 1', () => {
    expect(sampledGaussianRdp(0, 1, 2.5)).toBe(0);
    expect(sampledGaussianRdp(1, 2, 3)).toBe(3 / 8);
    expect(relative(sampledGaussianRdp(1 - 1e-12, 2, 2.5), 2.5 / 8)).toBeLessThan(1e-9);
    expect(relative(sampledGaussianRdp(0.01, 1, 5.0000001), sampledGaussianRdp(0.01, 1, 5))).toBeLessThan(1e-6);
  });
});

describe('the RDP accountant', () => {
  it('equals Opacus at its orders, and is never above it with more orders', () => {
    for (const row of grid.subsampled_gaussian) {
      const event = dpSgd({ sampleRate: row.q, noiseMultiplier: row.sigma, steps: row.steps });
      const published = rdpAccountant({ orders: 'published' }).compose(event).epsilon(row.delta);
      expect(relative(published.epsilon, row.opacus_rdp_eps)).toBeLessThan(1e-6);
      expect(published.order).toBe(row.opacus_best_alpha);
      const full = rdpAccountant().compose(event).epsilon(row.delta);
      expect(full.epsilon).toBeLessThanOrEqual(row.opacus_rdp_eps * (1 + 1e-9));
    }
  });

  it('gives the known value and order of a long run', () => {
    const event = dpSgd({ sampleRate: 0.04, noiseMultiplier: 1.5, steps: 2250 });
    const { epsilon, order, bound, warnings } = rdpAccountant().compose(event).epsilon(1e-5);
    expect(epsilon).toBeCloseTo(7.3291111715, 9);
    expect(order).toBe(3.9);
    expect(bound).toBe('upper');
    expect(warnings).toEqual([]);
  });

  it('gives the noise levels of the paper for CoLA', () => {
    for (const [noiseMultiplier, epochs, expected] of [
      [1.91, 10, 0.9947],
      [3.06, 30, 0.9981],
    ] as const) {
      const event = dpSgd({ sampleRate: 128 / 5056, noiseMultiplier, steps: 40 * epochs });
      expect(
        rdpAccountant()
          .compose(event)
          .epsilon(1 / 5056).epsilon,
      ).toBeCloseTo(expected, 4);
    }
  });

  it('skips orders without missing the best', () => {
    for (const sampleRate of [1e-6, 0.01, 0.5, 1]) {
      for (const noiseMultiplier of [0.05, 0.6, 1, 5, 30]) {
        for (const steps of [1, 1000, 1e6]) {
          const accountant = rdpAccountant().compose(dpSgd({ sampleRate, noiseMultiplier, steps }));
          const bounds = defaultOrders.map(
            (order) => [steps * sampledGaussianRdp(sampleRate, noiseMultiplier, order), order] as const,
          );
          const epsilons = bounds.map(([bound, order]) => rdpToEpsilon(bound, order, 1e-5));
          expect(accountant.epsilon(1e-5).epsilon).toBe(Math.min(...epsilons));
          const deltas = bounds.map(([bound, order]) => rdpToDelta(bound, order, 2));
          expect(accountant.delta(2).delta).toBe(Math.min(...deltas));
        }
      }
    }
  });

  it('converts a constant bound as published', () => {
    const orders = Array.from({ length: 31 }, (_, i) => i + 2);
    const epsilon = Math.min(...orders.map((order) => rdpToEpsilon(1.1, order, 1e-5)));
    expect(epsilon).toBeCloseTo(1.32783806, 8);
  });

  it('warns when the best order is an end of the grid', () => {
    const event = dpSgd({ sampleRate: 0.5, noiseMultiplier: 0.3, steps: 100 });
    expect(rdpAccountant().compose(event).epsilon(1e-5).warnings[0]).toContain('the best order, 1.1, is an end');
    expect(
      rdpAccountant({ orders: [2] })
        .compose(event)
        .epsilon(1e-5).warnings,
    ).toEqual([]);
    expect(() => rdpAccountant({ orders: [1] })).toThrow('invalid orders: expected finite numbers above 1, got 1');
    expect(() => rdpAccountant({ orders: [] })).toThrow('invalid orders');
  });

  // From A itself with 60 digits, times the number of releases.
  it.each([
    [pureEpsilon(1e-8), 1e12, 16, 7.999999999999968e-4],
    [pureEpsilon(1e-3), 1000, 1.5, 7.499998437500438e-4],
    [pureEpsilon(0.7), 1, 20, 0.6787796816376808],
    [pureEpsilon(5), 1, 20, 4.999646560605836],
    [laplace(1e8), 1e12, 16, 7.999999973333301e-4],
    [laplace(1000), 1000, 1.5, 7.497499688124865e-4],
    [laplace(0.5), 1, 3, 1.744602321197913],
    [laplace(0.1), 1, 8, 9.910198762939661],
  ] as const)('keeps the digits of %j, %d times at order %d', (event, count, order, divergence) => {
    const accountant = rdpAccountant({ orders: [order] }).compose(event, count);
    const { epsilon } = accountant.epsilon(1e-5);
    expect(Math.abs(epsilon - rdpToEpsilon(divergence, order, 1e-5))).toBeLessThan(1e-12 * (1 + divergence));
  });

  it('tends to the pure ε of Laplace noise as orders grow', () => {
    const accountant = rdpAccountant({ orders: [1e6] }).compose(laplace(2), 3);
    expect(accountant.epsilon(1e-5).epsilon).toBeCloseTo(1.5, 4);
  });
});
