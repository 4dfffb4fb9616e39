// δ(ε) of the PLD accountant against closed forms that share no code with it but the normal distribution function.

import { describe, expect, it } from 'vitest';
import { logNormalCdf, normalCdf } from '../../src/math/index.js';
import {
  type Accountant,
  dpSgd,
  gaussian,
  laplace,
  pldAccountant,
  pureEpsilon,
  randomizedResponse,
} from '../../src/privacy/index.js';
import { deltaBounds } from '../../src/privacy/pld/curve.js';
import { gaussianPair } from '../../src/privacy/pld/pairs.js';
import { totalOf } from '../../src/privacy/pld/total.js';

/** The exact value lies between the bounds, and they are close. */
function encloses(accountant: Accountant, epsilon: number, exact: number, width = 0.005): void {
  const { delta, lower = Number.NaN, estimate = Number.NaN, upper = Number.NaN } = accountant.delta(epsilon);
  expect(delta).toBe(upper);
  expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-9));
  expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-9));
  expect(upper - lower).toBeLessThan(width * exact);
  expect(lower).toBeLessThanOrEqual(estimate);
  expect(estimate).toBeLessThanOrEqual(upper);
}

/** δ of N(1, σ²) against N(0, σ²) in both orders, when the record takes part with probability q; any real ε. */
function sampledOnceDelta(q: number, sigma: number, epsilon: number): { removed: number; added: number } {
  // The mixture exceeds e^ε times the plain density right of x.
  const above = (ratio: number) => sigma ** 2 * Math.log(ratio) + 0.5;
  const right = (Math.exp(epsilon) - 1) / q + 1;
  const x = right > 0 ? above(right) : Number.NEGATIVE_INFINITY;
  const removed = q * normalCdf((1 - x) / sigma) + (1 - q - Math.exp(epsilon)) * normalCdf(-x / sigma);
  const left = (Math.exp(-epsilon) - 1) / q + 1;
  const y = left > 0 ? above(left) : Number.NEGATIVE_INFINITY;
  const grown = Math.exp(epsilon);
  const added = (1 - grown * (1 - q)) * normalCdf(y / sigma) - grown * q * normalCdf((y - 1) / sigma);
  return { removed, added };
}

/** One step outside, one inside: δ₂(ε) = E[δ₁(ε − L)]. The trapezoid rule is exact to rounding for such integrands. */
function sampledTwiceDelta(q: number, sigma: number, epsilon: number): number {
  const [from, to, points] = [-14 * sigma, 1 + 14 * sigma, 40_000];
  const width = (to - from) / points;
  let [removed, added] = [0, 0];
  for (let i = 0; i <= points; i++) {
    const x = from + i * width;
    const plain = Math.exp(-((x / sigma) ** 2) / 2) / (sigma * Math.sqrt(2 * Math.PI));
    const ratio = 1 - q + q * Math.exp((x - 0.5) / sigma ** 2);
    removed += width * plain * ratio * sampledOnceDelta(q, sigma, epsilon - Math.log(ratio)).removed;
    added += width * plain * sampledOnceDelta(q, sigma, epsilon + Math.log(ratio)).added;
  }
  return Math.max(removed, added);
}

/** Two answers with likelihoods e^ε : 1, asked k times: an outcome is described by the number of unlikely answers. */
function answersDelta(one: number, k: number, epsilon: number): number {
  const p = 1 / (1 + Math.exp(-one));
  let [choose, sum] = [1, 0];
  for (let i = 0; i <= k; i++) {
    const likely = choose * p ** (k - i) * (1 - p) ** i;
    const other = choose * p ** i * (1 - p) ** (k - i);
    sum += Math.max(0, likely - Math.exp(epsilon) * other);
    choose *= (k - i) / (i + 1);
  }
  return sum;
}

/** Noise so small that it reveals who took part: a binomial number of plain Gaussian releases, with probability q each. */
function visibleDelta(q: number, sigma: number, steps: number, epsilon: number): number {
  let [logChoose, sum] = [0, 0];
  for (let n = 0; n <= steps; n++) {
    const idle = (steps - n) * Math.log1p(-q);
    const mean = n * (0.5 / sigma ** 2 + Math.log(q)) + idle;
    const spread = Math.sqrt(n) / sigma;
    if (n > 0) {
      const above = (mean - epsilon) / spread;
      const discounted = epsilon - mean + spread ** 2 / 2 + logNormalCdf(above - spread);
      sum += Math.exp(logChoose + n * Math.log(q) + idle) * (normalCdf(above) - Math.exp(discounted));
    }
    logChoose += Math.log((steps - n) / (n + 1));
  }
  return sum;
}

describe('δ of the PLD accountant', () => {
  it('is the closed form for normal noise, which the lattices also reach', () => {
    for (const [sigma, epsilon] of [
      [1, 0],
      [1, 3],
      [5, 0.4],
      [0.3, 20],
    ] as const) {
      const exact =
        normalCdf(0.5 / sigma - epsilon * sigma) - Math.exp(epsilon) * normalCdf(-0.5 / sigma - epsilon * sigma);
      const plain = pldAccountant().compose(gaussian(sigma)).delta(epsilon);
      expect(plain.delta / exact).toBeCloseTo(1, 9);
      expect(plain.bound).toBe('exact');
      // A hundred steps with ten times the noise, computed as for sampled steps.
      const total = totalOf([{ pair: gaussianPair(0.1 / sigma), count: 100 }], 2 ** 14, 1e-16);
      if (total === undefined) throw new Error('no total');
      const { lower, upper } = deltaBounds(total, epsilon);
      expect(lower).toBeLessThanOrEqual(exact);
      expect(upper).toBeGreaterThanOrEqual(exact);
      expect(upper - lower).toBeLessThan(0.001 * exact);
    }
  });

  it('encloses the closed form of one sampled step', () => {
    for (const [q, sigma, epsilon] of [
      [0.1, 1, 0.2],
      [0.01, 0.5, 1],
      [0.5, 2, 0.05],
      [0.001, 0.7, 0],
      [0.9, 1, 2],
    ] as const) {
      const { removed, added } = sampledOnceDelta(q, sigma, epsilon);
      const accountant = pldAccountant().compose(dpSgd({ sampleRate: q, noiseMultiplier: sigma, steps: 1 }));
      encloses(accountant, epsilon, Math.max(removed, added));
    }
  });

  it('encloses the integral over two sampled steps', () => {
    for (const [q, sigma, epsilon] of [
      [0.1, 1, 0.5],
      [0.02, 0.5, 2],
      [0.3, 2, 0],
    ] as const) {
      const accountant = pldAccountant().compose(dpSgd({ sampleRate: q, noiseMultiplier: sigma, steps: 2 }));
      encloses(accountant, epsilon, sampledTwiceDelta(q, sigma, epsilon));
    }
  });

  it('encloses the binomial sums of pure ε and of randomised response', () => {
    for (const [one, k, epsilon] of [
      [1, 1, 0.5],
      [0.5, 7, 1.2],
      [0.1, 300, 5],
      [2, 20, 25],
    ] as const) {
      encloses(pldAccountant().compose(pureEpsilon(one), k), epsilon, answersDelta(one, k, epsilon));
    }
    const answers = pldAccountant({ neighbours: 'replace-one' }).compose(randomizedResponse(0.75), 12);
    encloses(answers, 4, answersDelta(Math.log(3), 12, 4));
  });

  it('encloses the closed form when the noise hides nobody', () => {
    for (const [q, sigma, steps, epsilon] of [
      [0.01, 0.01, 1000, 129_000],
      [0.001, 0.05, 100, 637],
      [0.3, 0.03, 20, 9000],
    ] as const) {
      const exact = visibleDelta(q, sigma, steps, epsilon);
      const accountant = pldAccountant().compose(dpSgd({ sampleRate: q, noiseMultiplier: sigma, steps }));
      encloses(accountant, epsilon, exact, 0.05);
      const { lower = Number.NaN, upper = Number.NaN } = accountant.epsilon(exact);
      expect(lower).toBeLessThan(epsilon);
      expect(upper).toBeGreaterThan(epsilon);
      expect(upper - lower).toBeLessThan(0.001 * epsilon);
    }
  });

  it('inverts ε(δ) from either side, and never rises', () => {
    for (const accountant of [
      pldAccountant().compose(dpSgd({ sampleRate: 0.01, noiseMultiplier: 1, steps: 1000 })),
      pldAccountant().compose(dpSgd({ sampleRate: 0.2, noiseMultiplier: 0.8, steps: 3 })),
      pldAccountant().compose(laplace(3), 40).compose(gaussian(4)),
    ]) {
      let last = 1;
      for (const epsilon of [0, 0.1, 0.5, 1, 2, 4]) {
        const { delta, lower = Number.NaN } = accountant.delta(epsilon);
        expect(lower).toBeLessThanOrEqual(last);
        expect(delta).toBeLessThanOrEqual(last * (1 + 1e-9));
        last = delta;
        if (epsilon === 0 || delta < 1e-10) continue;
        const back = accountant.epsilon(delta);
        expect(back.lower).toBeLessThanOrEqual(epsilon);
        expect(Math.abs(back.epsilon - epsilon)).toBeLessThan(0.01 * epsilon);
      }
      for (const delta of [1e-2, 1e-5, 1e-8]) {
        const { epsilon } = accountant.epsilon(delta);
        expect(accountant.delta(epsilon).lower).toBeLessThanOrEqual(delta);
        if (epsilon > 0) expect(Math.abs(accountant.delta(epsilon).delta / delta - 1)).toBeLessThan(0.02);
      }
    }
  });

  it('is 0 at an infinite ε and for no events', () => {
    const accountant = pldAccountant().compose(dpSgd({ sampleRate: 0.1, noiseMultiplier: 1, steps: 10 }));
    expect(accountant.delta(Number.POSITIVE_INFINITY).delta).toBe(0);
    expect(pldAccountant().delta(0).delta).toBe(0);
  });
});
