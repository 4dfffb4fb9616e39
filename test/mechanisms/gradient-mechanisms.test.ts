// The contract, for every mechanism and protection in the registry: the compiler asks for a case.

import { describe, expect, it } from 'vitest';
import {
  type MechanismName,
  mechanismNames,
  mechanismOf,
  mechanisms,
  noisyNames,
  type PlanFor,
  type PlanOptions,
  type ProtectorName,
  protectorNames,
  protectorOf,
} from '../../src/mechanisms/index.js';
import { seededSource } from '../../src/random/index.js';
import { describeGradientMechanism, describeProtector, type MechanismCase } from './describe-gradient-mechanism.js';
import { batchOf } from './vector-batch.js';

const sizes = { examples: 1000, epochs: 2, batchSize: 50 };
const gaussian = (rest: object): PlanOptions => ({ mechanism: 'gaussian', ...sizes, noiseMultiplier: 2, ...rest });
const normalised = (rest: object): PlanOptions => ({
  mechanism: 'gaussian-normalised',
  ...sizes,
  noiseMultiplier: 2,
  ...rest,
});
const directional = (rest: object): PlanOptions => ({ mechanism: 'directional', ...sizes, concentration: 50, ...rest });
const groups = [['a'], ['b']];

const cases: Readonly<Record<MechanismName, MechanismCase>> = {
  none: {
    levels: [],
    quiet: { mechanism: 'none', ...sizes },
    plans: [{ mechanism: 'none', ...sizes }],
  },
  normalised: {
    levels: [],
    quiet: { mechanism: 'normalised', ...sizes },
    plans: [{ mechanism: 'normalised', ...sizes }],
  },
  'normalised-layers': {
    levels: [],
    quiet: { mechanism: 'normalised-layers', ...sizes, layers: [['a', 'b']] },
    plans: [{ mechanism: 'normalised-layers', ...sizes, layers: groups }],
  },
  'gaussian-normalised': {
    levels: [1, 3, 10],
    quiet: normalised({ noiseMultiplier: 0 }),
    plans: [
      normalised({ delta: 1e-5 }),
      normalised({ accountant: 'rdp', clipNorm: 0.1 }),
      normalised({ noiseMultiplier: undefined, epsilon: 3 }),
    ],
  },
  gaussian: {
    levels: [1, 3, 10],
    quiet: gaussian({ noiseMultiplier: 0, clipNorm: 5 }),
    plans: [
      gaussian({ delta: 1e-5 }),
      gaussian({ accountant: 'rdp', clipping: 'normalise', clipNorm: 0.1 }),
      gaussian({ sampler: 'shuffled', accountant: 'zcdp' }),
      gaussian({ noiseMultiplier: undefined, epsilon: 3 }),
      gaussian({ noiseMultiplier: 0 }),
    ],
  },
  directional: {
    levels: [5e4, 5e3, 500],
    quiet: directional({ concentration: 1e15 }),
    plans: [directional({}), directional({ parameterGroups: groups }), directional({ accountant: 'basic' })],
  },
};

const protectorLevels: Readonly<Record<Exclude<ProtectorName, MechanismName>, readonly number[]>> = {
  cosine: [0.9, 0.5, 0.1],
};

for (const name of protectorNames) {
  const { levels } = name in cases ? cases[name as MechanismName] : { levels: protectorLevels[name as 'cosine'] };
  describeProtector(name, { levels });
}
for (const name of mechanismNames) describeGradientMechanism(name, cases[name]);

describe('the registry', () => {
  it('gives options of the same name the same type, so that each is one flag', () => {
    for (const schemas of [
      mechanismNames.map((name) => mechanismOf(name).planOptions),
      protectorNames.map((name) => protectorOf(name).protectOptions),
    ]) {
      const types = new Map<string, string>();
      for (const [key, { type }] of schemas.flatMap((schema) => Object.entries(schema))) {
        expect(types.get(key) ?? type, key).toBe(type);
        types.set(key, type);
      }
    }
  });

  it('recognises noise by its parameter', () => {
    expect(noisyNames).toEqual(['gaussian', 'gaussian-normalised', 'directional']);
    expect(() => mechanismOf('laplace' as MechanismName)).toThrow(/^invalid mechanism: expected none, .*got laplace$/);
    expect(() => protectorOf('toString' as ProtectorName)).toThrow('or cosine, got toString');
  });

  it('does not release a bare sum where noise is lost to underflow', async () => {
    const batch = batchOf([{ weight: Float32Array.of(1, 2, 3) }], 1);
    const plan = { clipping: { kind: 'clip', norm: 1e-30 }, noiseMultiplier: 5e-324 };
    const released = mechanisms.gaussian.release(plan as unknown as PlanFor<'gaussian'>, batch, seededSource(1));
    await expect(released).rejects.toThrow('invalid noiseDeviation: expected > 0, got 0');
  });

  it('gives the length of the noise where it means something', () => {
    expect(mechanisms.gaussian.noiseLength(0.01, 40_000, 4)).toBeCloseTo(1, 12);
    expect('noiseLength' in mechanisms.directional).toBe(false);
  });
});
