// The expected cosine of a release to its own sum, in closed forms.

import { describe, expect, it } from 'vitest';
import { isNoisy, mechanismNames, mechanismOf, type Plan, type PlanOptions } from '../../src/mechanisms/index.js';
import { makePlan } from '../../src/training/index.js';

const sizes = { examples: 100, epochs: 1, batchSize: 10, layers: [['a', 'b']] };
const planOf = (options: object): Plan => makePlan({ ...sizes, ...options } as unknown as PlanOptions) as Plan;
const cosineOf = (plan: Plan, sum: { sumNorm: number; members: number; numbers: number; undirected?: number }) =>
  mechanismOf(plan.mechanism).expectedCosine?.(plan, sum);

describe.each(['gaussian', 'gaussian-normalised'])('%s', (mechanism) => {
  it('is the length of the sum over that of sum and noise together', () => {
    const plan = planOf({ mechanism, noiseMultiplier: 2, clipNorm: 0.1, accountant: 'rdp' });
    expect(cosineOf(plan, { sumNorm: 3, members: 10, numbers: 4 })).toBeCloseTo(3 / 5, 14);
    // The noise enters once, however many examples there are.
    expect(cosineOf(plan, { sumNorm: 3, members: 1000, numbers: 4 })).toBeCloseTo(3 / 5, 14);
    expect(cosineOf(plan, { sumNorm: 0, members: 0, numbers: 4 })).toBe(0);
  });

  it('is 1 without noise', () => {
    expect(cosineOf(planOf({ mechanism, noiseMultiplier: 0 }), { sumNorm: 3, members: 9, numbers: 4 })).toBe(1);
  });
});

describe('directional', () => {
  const kappa = 5;
  // In three dimensions the mean cosine is coth κ − 1/κ.
  const mean = 1 / Math.tanh(kappa) - 1 / kappa;
  const plan = planOf({ mechanism: 'directional', concentration: kappa });

  it('is the mean cosine for one draw, and follows from the second moment for many', () => {
    expect(cosineOf(plan, { sumNorm: 1, members: 1, numbers: 3 })).toBeCloseTo(mean, 12);
    for (const [sumNorm, members] of [
      [4, 4],
      [2.5, 7],
    ] as const) {
      const length = Math.sqrt(mean ** 2 * sumNorm ** 2 + members * (1 - mean ** 2));
      expect(cosineOf(plan, { sumNorm, members, numbers: 3 })).toBeCloseTo((mean * sumNorm) / length, 12);
    }
  });

  it('counts a uniform draw as noise only', () => {
    const length = Math.sqrt(mean ** 2 * 9 + 3 * (1 - mean ** 2) + 2);
    const sum = { sumNorm: 3, members: 5, undirected: 2, numbers: 3 };
    expect(cosineOf(plan, sum)).toBeCloseTo((3 * mean) / length, 12);
    expect(cosineOf(plan, { sumNorm: 0, members: 2, undirected: 2, numbers: 3 })).toBe(0);
  });

  it('depends on the dimension, which may change from call to call', () => {
    const one = { sumNorm: 1, members: 1 };
    const wide = cosineOf(plan, { ...one, numbers: 300 }) as number;
    expect(wide).toBeLessThan(0.02);
    expect(cosineOf(plan, { ...one, numbers: 3 })).toBeCloseTo(mean, 12);
  });

  it('has no formula for several parameter groups, whose directions are their own', () => {
    const grouped = (parameterGroups: string[][]) =>
      planOf({ mechanism: 'directional', concentration: kappa, parameterGroups });
    const sum = { sumNorm: 1, members: 1, numbers: 3 };
    expect(cosineOf(grouped([['a'], ['b']]), sum)).toBeUndefined();
    expect(cosineOf(grouped([['a', 'b']]), sum)).toBeCloseTo(mean, 12);
  });
});

describe('mechanisms without noise', () => {
  it.each(mechanismNames.filter((name) => !isNoisy(name)))('%s: the cosine is 1', (mechanism) => {
    const plan = planOf({ mechanism });
    expect(cosineOf(plan, { sumNorm: 0.3, members: 4, numbers: 1000 })).toBe(1);
    expect(cosineOf(plan, { sumNorm: 0, members: 4, numbers: 1000 })).toBe(0);
  });
});
