// The contract of every mechanism for gradients, and of every protection of shared gradients. Statistical tests have fixed seeds; with
// another seed, a correct implementation would fail one of them with a probability below 1e-5.

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import {
  type AnyProtector,
  type MechanismName,
  mechanismOf,
  normOf,
  type Plan,
  type PlanOptions,
  type Protection,
  type ProtectorName,
  planSizes,
  protect,
  protectorOf,
  type Tensors,
} from '../../src/mechanisms/index.js';
import { accountantOf } from '../../src/privacy/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { checkPlan, makePlan } from '../../src/training/index.js';
import { kolmogorovRatio, normalDistribution } from '../random/statistics.js';
import { batchOf } from './vector-batch.js';

/** Two gradients of length 1, in two tensors: bounding them to 1 changes nothing. */
const count = 5000;
const examples: readonly Tensors[] = [0, 1].map((i) => {
  const vector = fillNormal(seededSource('gradients').stream(i), new Float32Array(count));
  const unit = vector.map((x) => x / normOf(vector));
  return { a: unit.slice(0, 4000), b: unit.slice(4000) };
});
const flat = ({ a, b }: Tensors): Float32Array => Float32Array.from([...(a as Float32Array), ...(b as Float32Array)]);
const plainSum = flat(examples[0] as Tensors).map((x, i) => x + (flat(examples[1] as Tensors)[i] as number));
const cosineTo = (x: Float32Array, y: Float32Array) =>
  x.reduce((sum, value, i) => sum + value * (y[i] as number), 0) / normOf(x) / normOf(y);

const sizes = { examples: 1000, epochs: 2, batchSize: 50, layers: [['a', 'b']] };
const settings = { clipNorm: 1, delta: 1e-5 };
const sharing = { scope: 'joint', clipNorm: 1 } as const;

const share = (protection: Protection, seed: string, of = examples) =>
  flat(protect(of, protection, seededSource(seed)).gradients);

/** Two releases of the same sum: their difference is noise only, of √2 times its deviation. */
const noiseIn = (one: Float32Array, other: Float32Array, deviation: number) =>
  one.map((x, i) => (x - (other[i] as number)) / Math.SQRT2 / deviation);

/** The mean square of 5,000 standard normal numbers has a standard deviation of .02, so it is within .1 of 1 except for 6e-7 of all seeds. */
function expectStandardNormal(noise: Float32Array): void {
  expect(Math.abs(noise.reduce((sum, x) => sum + x * x, 0) / noise.length - 1)).toBeLessThan(0.1);
  expect(kolmogorovRatio(noise, normalDistribution)).toBeLessThan(1);
}

export interface ProtectorCase {
  /** From the least to the most noise. */
  readonly levels: readonly number[];
}

/** The thresholds below are for 5,000 numbers shared at once, or 4,000 where each tensor has its own noise. */
export function describeProtector(name: ProtectorName, { levels }: ProtectorCase): void {
  const protector: AnyProtector = protectorOf(name);
  const at = (level: number) => protector.protectionAt(level, sharing);

  describe(`${name} as a protection`, () => {
    it('has the name it is registered under, and words and help for everything', () => {
      expect(protector.name).toBe(name);
      for (const text of Object.values(protector.words)) expect(text.trim()).not.toBe('');
      for (const [key, option] of Object.entries(protector.protectOptions)) {
        expect(option.help.trim(), key).not.toBe('');
        if (option.default === undefined) expect(key).toBe(protector.parameter?.key);
      }
      expect(protector.describeProtection(at(levels[0] ?? 0))).toMatch(/\w/);
    });

    it('is made from its parameter, and keeps it', () => {
      for (const level of levels) {
        expect(at(level)).toMatchObject({ mechanism: name, [protector.parameter?.key as string]: level });
        const known = ['mechanism', ...Object.keys(protector.protectOptions)];
        expect(Object.keys(at(level)).filter((key) => !known.includes(key))).toEqual([]);
      }
    });

    it('reports the deviation of its noise, which is normal', () => {
      for (const level of [0, ...levels].slice(protector.parameter === undefined ? 0 : 1)) {
        const { noise } = protect(examples, at(level), seededSource(name));
        if (protector.parameter === undefined) {
          expect(noise).toEqual({ a: 0, b: 0 });
          expect(share(at(level), 'one')).toEqual(plainSum);
          continue;
        }
        const [one, other] = ['one', 'other'].map(
          (seed) => protect(examples, at(level), seededSource(`${name} ${seed}`)).gradients,
        ) as [Tensors, Tensors];
        const standard = (tensor: 'a' | 'b') =>
          noiseIn(one[tensor] as Float32Array, other[tensor] as Float32Array, noise[tensor] as number);
        expectStandardNormal(Float32Array.from([...standard('a'), ...standard('b')]));
      }
    });

    it('lowers the cosine to the truth as its noise grows', () => {
      const cosines = levels.map((level) => cosineTo(share(at(level), name), plainSum));
      expect([...cosines].sort((a, b) => b - a)).toEqual(cosines);
      const parameters = [...levels].sort((a, b) => (protector.parameter?.moreNoise === 'higher' ? a - b : b - a));
      expect(parameters).toEqual(levels);
    });
  });
}

export interface MechanismCase extends ProtectorCase {
  /** Without noise, or with next to none. */
  readonly quiet: PlanOptions;
  /** Plans of all kinds that it has. */
  readonly plans: readonly PlanOptions[];
}

export function describeGradientMechanism(name: MechanismName, { levels, quiet, plans }: MechanismCase): void {
  const mechanism = mechanismOf(name);
  const { parameter } = mechanism;
  const planAt = (level: number): Plan => makePlan({ ...mechanism.planAt(level, settings), ...sizes });
  const release = async (plan: Plan, seed: string, divisor = 1) =>
    flat((await mechanism.release(plan, batchOf(examples, divisor), seededSource(seed))).gradients);

  describe(`${name} as a mechanism for gradients`, () => {
    it('describes its options and names those that are required', () => {
      for (const [key, option] of Object.entries(mechanism.planOptions)) expect(option.help.trim(), key).not.toBe('');
      for (const [key, { option }] of Object.entries(mechanism.grids)) expect(option.help.trim(), key).not.toBe('');
      const known = Object.keys(mechanism.planOptions);
      expect(mechanism.planNeeds.filter((key) => !known.includes(key))).toEqual([]);
      if (parameter === undefined) return;
      expect(mechanism.planNeeds).toContain(parameter.key);
      expect(Object.keys(mechanism.grids)).toContain(parameter.flag);
      for (const text of [parameter.symbol, parameter.unit, mechanism.rounding]) expect(text).toMatch(/\S/);
      expect(parameter.ascii).toMatch(/^[a-z]+$/);
    });

    it('makes plans that can be made again from their own options', () => {
      for (const options of plans) {
        const plan: Plan = makePlan(options);
        expect(Object.isFrozen(plan) && Object.isFrozen(plan.sampler)).toBe(true);
        expect(mechanism.describePlan(plan)).toMatch(/\w/);
        expect(() => checkPlan(structuredClone(plan))).not.toThrow();
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
      }
    });

    it('refuses a plan that was changed', () => {
      for (const options of plans) {
        const plan: Plan = makePlan(options);
        for (const key of Object.keys(plan).filter((one) => one !== 'notes')) {
          const without = Object.fromEntries(Object.entries(plan).filter(([one]) => one !== key));
          const value = (plan as unknown as Record<string, unknown>)[key];
          const changed = { ...without, [key]: typeof value === 'number' ? 2 * value + 1 : 'other' };
          for (const wrong of [without, changed, { ...plan, stranger: 1 }]) {
            expect(() => checkPlan(wrong as unknown as Plan), key).toThrow(ArgumentError);
          }
        }
      }
    });

    it('has the guarantee that an accountant gives for its event', () => {
      for (const options of plans) {
        const { event, accountant, neighbours, delta, guarantee, ...plan }: Plan = makePlan(options);
        if (event === undefined) continue;
        const times = plan.sampler.kind === 'poisson' ? plan.steps : plan.epochs;
        expect(accountantOf(accountant, { neighbours }).compose(event, times).epsilon(delta)).toEqual(guarantee);
      }
    });

    it('releases the plain sum over the divisor where there is no noise', async () => {
      const released = await release(makePlan(quiet), 'quiet', 4);
      const rest = released.map((x, i) => x - (plainSum[i] as number) / 4);
      expect(normOf(rest) / normOf(released)).toBeLessThan(1e-4);
    });

    it('bounds the sum, so that long gradients cannot move it far', async () => {
      const clipping = mechanism.boundedBy(planAt(levels[0] ?? 0));
      if (clipping === undefined) return expect(parameter).toBeUndefined();
      const long = examples.map(({ a, b }) => ({ a: a?.map((x) => 1e3 * x), b: b?.map((x) => 1e3 * x) }) as Tensors);
      const { gradients } = await batchOf(long, 1).clipped(clipping);
      return expect(normOf(flat(gradients))).toBeLessThanOrEqual(2 * clipping.norm * (1 + 1e-6));
    });

    it('turns a release away from the truth as its noise grows', async () => {
      const cosines: number[] = [];
      for (const level of levels) cosines.push(cosineTo(await release(planAt(level), name), plainSum));
      expect([...cosines].sort((a, b) => b - a)).toEqual(cosines);
    });

    it('says what its noise does to a release: by how much the sum shrinks, and the deviation of each number', async () => {
      for (const level of levels) {
        const plan = planAt(level);
        // Directional noise grows with the batch, which has two examples.
        const law = mechanism.releaseNoise?.(plan, { numbers: count, members: 2 });
        const { shrink, deviation } = law as { shrink: number; deviation: number };
        const released = await release(plan, 'law');
        expectStandardNormal(released.map((x, i) => (x - shrink * (plainSum[i] as number)) / deviation));
      }
      expect(mechanism.releaseNoise !== undefined).toBe(levels.length > 0);
    });

    it('trains at the level of a study with the noise that protects shared gradients', async () => {
      for (const level of levels) {
        const plan = planAt(level);
        expect(plan).toMatchObject({ mechanism: name, [parameter?.key as string]: level });
        const protection = mechanism.protectionAt(level, sharing);
        const { noise } = protect(examples, protection, seededSource('noise'));
        const trained = noiseIn(await release(plan, 'one'), await release(plan, 'other'), noise.a as number);
        const shared = noiseIn(share(protection, 'third'), share(protection, 'fourth'), noise.a as number);
        expectStandardNormal(trained);
        expectStandardNormal(shared);
      }
    });
  });

  describeGrids(name);
}

/** A study gets the noise it asks for. */
function describeGrids(name: MechanismName): void {
  const { grids, parameter, planAt, protectionAt } = mechanismOf(name);
  const context = { sizes: planSizes(sizes), training: settings, numbers: count, scope: 'joint' } as const;
  const reached: Readonly<Record<string, (found: number, asked: number) => void>> = {
    epsilon: (found) => {
      const plan: Plan = makePlan({ ...planAt(found, settings), ...sizes });
      expect(plan.guarantee?.epsilon).toBeLessThanOrEqual(0.5);
      expect(plan.guarantee?.epsilon).toBeGreaterThan(0.499);
    },
    // A cosine of 5,000 numbers varies by about .01.
    cosine: (found, asked) => {
      const [first] = examples as [Tensors];
      const shared = share(protectionAt(found, sharing), 'cosine', [first]);
      expect(Math.abs(cosineTo(shared, flat(first)) - asked)).toBeLessThan(0.06);
    },
  };

  describe(`${name} in a study`, () => {
    it('has a measurement for each of its grids', () => {
      const known = [...Object.keys(reached), parameter?.flag];
      expect(Object.keys(grids).filter((key) => !known.includes(key))).toEqual([]);
      expect(parameter === undefined).toBe(Object.keys(grids).length === 0);
    });

    it.each(Object.entries(grids))('reaches its %s', (key, grid) => {
      const found = grid.parameterFor(0.5, context);
      if (key === parameter?.flag) expect(found).toBe(0.5);
      else reached[key]?.(found, 0.5);
    });
  });
}
