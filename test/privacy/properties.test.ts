// What must hold for every accountant at any setting of DP-SGD.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Accountant,
  gaussian,
  metric,
  metricAccountant,
  none,
  poissonSampled,
  selfComposed,
} from '../../src/privacy/index.js';
import { accountantOf, allAccountants, epsilonRange, runs, type Setting, settings } from './settings.js';

/** Room for rounding; bounds that have a width are compared by their ends. */
const slack = 1 + 1e-9;

const changes: readonly [string, (setting: Setting, share: number) => Setting][] = [
  ['more noise', (setting, share) => ({ ...setting, noiseMultiplier: setting.noiseMultiplier * (1 + 3 * share) })],
  ['a smaller sample rate', (setting, share) => ({ ...setting, sampleRate: setting.sampleRate * (1 - share) })],
  ['fewer steps', (setting, share) => ({ ...setting, steps: Math.ceil(setting.steps * (1 - share)) })],
  ['a larger δ', (setting, share) => ({ ...setting, delta: setting.delta ** (1 - share / 2) })],
];

describe.each(allAccountants.map((make) => [make().name, make] as const))('%s', (name, make: () => Accountant) => {
  it.each(changes)('ε never grows with %s', (_, change) => {
    fc.assert(
      fc.property(settings, fc.double({ min: 0.02, max: 0.9, noNaN: true }), (setting, share) => {
        const [before, after] = [epsilonRange(make, setting), epsilonRange(make, change(setting, share))];
        expect(after.lower).toBeLessThanOrEqual(before.upper * slack);
      }),
      runs(make, 36),
    );
  });

  it('goes from ε to δ and back', () => {
    fc.assert(
      fc.property(settings, (setting) => {
        const accountant = accountantOf(make, setting);
        const { epsilon } = accountant.epsilon(setting.delta);
        const { delta, lower = delta } = accountant.delta(epsilon);
        // The result may be worse than the start only within its bounds.
        expect(lower).toBeLessThanOrEqual(setting.delta * (1 + 1e-6));
        if (epsilon === 0 || delta === 0) return;
        const again = accountant.epsilon(Math.min(delta, 0.5));
        expect(again.lower ?? again.epsilon).toBeLessThanOrEqual(epsilon * (1 + 1e-6));
        if (delta < 0.5) expect(again.upper ?? again.epsilon).toBeGreaterThan(epsilon * 0.98);
      }),
      runs(make, 24),
    );
  });

  it('gives 0 at sample rate 0, and the plain mechanism at sample rate 1', () => {
    const step = gaussian(2);
    const account = (rate: number) => make().compose(selfComposed(20, poissonSampled(rate, step)));
    expect(account(0).epsilon(0).epsilon).toBe(0);
    expect(account(0).delta(0).delta).toBe(0);
    const plain = make().compose(step, 20);
    expect(account(1).epsilon(1e-5)).toEqual(plain.epsilon(1e-5));
    expect(account(1).delta(1)).toEqual(plain.delta(1));
  });

  it('tends to 0 as noise grows, and to a large number as it vanishes, or says why not', () => {
    const epsilonAt = (noise: number, rate: number) =>
      make()
        .compose(poissonSampled(rate, gaussian(noise)), 10)
        .epsilon(1e-5);
    for (const rate of [0.01, 1]) {
      // The moments accountant has 32 moments: at no noise it says ln(1/δ)/32.
      const floor = name === 'moments' ? Math.log(1e5) / 32 : name === 'rdp' ? 0.006 : 0;
      expect(epsilonAt(1e6, rate).epsilon).toBeLessThan(floor + 1e-4);
      for (const noise of name === 'pld' ? [1e-2, 1e-3] : [1e-2, 1e-3, 1e-6, 1e-100]) {
        let epsilon: number;
        try {
          epsilon = epsilonAt(noise, rate).epsilon;
        } catch (error) {
          expect(`${error}`).toMatch(/^ArgumentError: invalid [a-z]+: .*epsilon <= \d/);
          continue;
        }
        expect(epsilon).toBeGreaterThan(1000);
      }
    }
  });

  it('has no finite ε at δ = 0 and no δ of 0 at ε = 0 for normal noise', () => {
    const accountant = make().compose(poissonSampled(0.1, gaussian(1)), 3);
    expect(accountant.epsilon(0).epsilon).toBe(Number.POSITIVE_INFINITY);
    expect(accountant.delta(0).delta).toBeGreaterThan(0);
    expect(accountant.delta(Number.POSITIVE_INFINITY).delta).toBeLessThan(1e-300);
    expect(make().compose(none).epsilon(0).epsilon).toBe(0);
  });
});

describe('metric', () => {
  it('adds factors up and gives exactly the δ of two answers', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1, noNaN: true }), fc.integer({ min: 1, max: 10 }), (factor, passes) => {
        const accountant = metricAccountant().compose(metric({ factor }), passes);
        const { epsilon } = accountant.epsilon(0);
        expect(epsilon).toBeCloseTo(2 * factor * passes, 9);
        expect(accountant.delta(epsilon).delta).toBe(0);
        const [delta, half] = [accountant.delta(0).delta, accountant.delta(epsilon / 2).delta];
        expect(delta).toBeCloseTo(Math.tanh(epsilon / 2), 9);
        expect(half).toBeLessThan(delta);
      }),
      runs(metricAccountant, 50),
    );
  });
});
