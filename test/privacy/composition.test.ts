// Composition, amplification and groups against high-precision values, computed independently.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  advancedAccountant,
  amplifyBySampling,
  basicAccountant,
  dpSgd,
  gdpAccountant,
  groupPrivacy,
  momentsAccountant,
  pureEpsilon,
  zcdpAccountant,
} from '../../src/privacy/index.js';

interface Setting {
  readonly sampleRate: number;
  readonly noiseMultiplier: number;
  readonly steps: number;
  readonly delta: number;
}

const golden = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'composition.json'), 'utf8')) as {
  dpSgd: (Setting & { basic: number; advanced: number; zcdp: number; gdp: number })[];
  moments: (Setting & { epsilon: number; deltaAtNineTenths: number })[];
  pure: { epsilon: number; count: number; delta: number; basic: number; advanced: number; zcdp: number }[];
  group: { epsilon: number; delta: number; size: number; groupEpsilon: number; groupDelta: number }[];
  amplification: {
    epsilon: number;
    delta: number;
    sampleRate: number;
    amplifiedEpsilon: number;
    amplifiedDelta: number;
  }[];
};

const makers = { basic: basicAccountant, advanced: advancedAccountant, zcdp: zcdpAccountant, gdp: gdpAccountant };

function expectNear(value: number, expected: number, what: string): void {
  expect(Math.abs(value - expected), what).toBeLessThanOrEqual(1e-9 * Math.abs(expected));
}

describe('composition at high precision', () => {
  it('basic, advanced, zCDP and GDP of DP-SGD', () => {
    for (const row of golden.dpSgd) {
      for (const name of ['basic', 'advanced', 'zcdp', 'gdp'] as const) {
        const { epsilon } = makers[name]().compose(dpSgd(row)).epsilon(row.delta);
        expectNear(epsilon, row[name], `${name} ${JSON.stringify(row)}`);
      }
    }
  });

  it('basic, advanced and zCDP of pure ε', () => {
    for (const row of golden.pure) {
      for (const name of ['basic', 'advanced', 'zcdp'] as const) {
        const accountant = makers[name]().compose(pureEpsilon(row.epsilon), row.count);
        expectNear(accountant.epsilon(row.delta).epsilon, row[name], `${name} ${JSON.stringify(row)}`);
      }
    }
  });

  it('moments, integrated in both directions', () => {
    for (const row of golden.moments) {
      const accountant = momentsAccountant().compose(dpSgd(row));
      expectNear(accountant.epsilon(row.delta).epsilon, row.epsilon, JSON.stringify(row));
      const { delta } = accountant.delta(0.9 * row.epsilon);
      // δ is the exponential of a difference of large numbers.
      expect(Math.abs(Math.log(delta / row.deltaAtNineTenths))).toBeLessThan(1e-9);
    }
  });

  it('groups and sampling', () => {
    for (const { size, groupEpsilon, groupDelta, ...one } of golden.group) {
      const { epsilon, delta } = groupPrivacy(one, size);
      expectNear(epsilon, groupEpsilon, JSON.stringify(one));
      expectNear(delta, groupDelta, JSON.stringify(one));
    }
    for (const { sampleRate, amplifiedEpsilon, amplifiedDelta, ...one } of golden.amplification) {
      const { epsilon, delta } = amplifyBySampling(one, sampleRate);
      expectNear(epsilon, amplifiedEpsilon, JSON.stringify(one));
      expectNear(delta, amplifiedDelta, JSON.stringify(one));
    }
  });
});
