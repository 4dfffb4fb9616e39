// The plan: sampler, clipping, noise and accountant fit together, or there is no plan.

import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { gaussian, pldAccountant, poissonSampled, rdpAccountant } from '../../src/privacy/index.js';
import {
  eventOf,
  guaranteeOf,
  makePlan,
  type Plan,
  type PlanOptionsFor,
  planStatement,
} from '../../src/training/index.js';

const common = { examples: 1000, epochs: 3, batchSize: 64 };
const gaussianPlan = (rest: Partial<PlanOptionsFor<'gaussian'>> = {}) =>
  makePlan({ mechanism: 'gaussian', ...common, noiseMultiplier: 1, accountant: 'rdp', ...rest });
const directionPlan = (rest: Partial<PlanOptionsFor<'directional'>> = {}) =>
  makePlan({ mechanism: 'directional', ...common, concentration: 10, ...rest });

const upTo = (count: number) => Array.from({ length: count }, (_, step) => ({ step }));

describe('a plan', () => {
  it.each([0.5, 8])('finds noise for at most ε = %d, and hardly more than needed', (target) => {
    for (const accountant of ['pld', 'rdp'] as const) {
      for (const sampler of ['poisson', 'shuffled'] as const) {
        const plan = makePlan({ mechanism: 'gaussian', ...common, epsilon: target, accountant, sampler });
        const epsilon = plan.guarantee?.epsilon as number;
        expect(epsilon).toBeLessThanOrEqual(target);
        expect(epsilon).toBeGreaterThan(0.98 * target);
      }
    }
  });

  it('refuses a clip norm that float32 cannot bound, and groups that are not lists', () => {
    for (const clipNorm of [5e-324, 1e-40, 1e-13]) {
      expect(() => gaussianPlan({ clipNorm })).toThrow(/^invalid clipNorm: expected a finite number >= /);
    }
    expect(gaussianPlan({ clipNorm: 1e-12 }).clipping.norm).toBe(1e-12);
    const wrong = ['some.weight', 'other.weight'] as unknown as readonly (readonly string[])[];
    expect(() => directionPlan({ parameterGroups: wrong })).toThrow('at least one list of names, none empty');
  });

  it('couples everything: batches, rate, event and guarantee', () => {
    const plan = gaussianPlan({ accountant: 'pld', delta: 1e-5, noiseMultiplier: 1.5, clipNorm: 0.5 });
    expect(plan).toMatchObject({
      stepsPerEpoch: 16,
      steps: 48,
      sampler: { kind: 'poisson', sampleRate: 0.064 },
      clipping: { kind: 'clip', norm: 0.5 },
      neighbours: 'add-or-remove-one',
      event: poissonSampled(0.064, gaussian(1.5)),
    });
    const alone = pldAccountant()
      .compose(poissonSampled(0.064, gaussian(1.5)), 48)
      .epsilon(1e-5);
    expect(plan.guarantee?.epsilon).toBe(alone.epsilon);
    expect(Object.isFrozen(plan)).toBe(true);
  });

  it('of shuffled batches counts an example once per epoch, replaced by another: twice the clip norm, no amplification', () => {
    const plan = gaussianPlan({ sampler: 'shuffled', noiseMultiplier: 2, delta: 1e-5 });
    const alone = rdpAccountant({ neighbours: 'replace-one' }).compose(gaussian(1), 3).epsilon(1e-5);
    expect(plan.guarantee?.epsilon).toBe(alone.epsilon);
    expect(plan.neighbours).toBe('replace-one');
    expect(plan.notes.join(' ')).toContain('no amplification by sampling');
  });

  it('of directions gives 2κ per epoch and group', () => {
    expect(directionPlan().guarantee).toMatchObject({ epsilon: 60, delta: 0, neighbours: 'replace-one' });
    const parts = [['a', 'b'], ['c']];
    const plan = directionPlan({ parameterGroups: parts });
    expect(plan.guarantee?.epsilon).toBe(120);
    expect(plan.notes.join(' ')).toContain('their factors add up');
    expect(directionPlan({ parameterGroups: 'layers', layers: parts })).toEqual(plan);
    expect(directionPlan({ parameterGroups: 'whole', layers: parts })).toEqual(directionPlan());
    const statement = planStatement(plan, upTo(plan.steps), { insecure: false }).join('\n');
    expect(statement).toContain('replacing one example');
    expect(statement).toContain('In metric terms the factor is 60');
  });

  it('uses δ = N^−1.1 and says so, and warns from 1/N on', () => {
    const plan = gaussianPlan();
    expect(plan.delta).toBe(1000 ** -1.1);
    expect(plan.notes).toEqual([expect.stringContaining('delta was not given: 0.000501 is examples^-1.1')]);
    expect(gaussianPlan({ delta: 1e-5 }).notes).toEqual([]);
    expect(gaussianPlan({ delta: 1 / 1001 }).notes).toEqual([]);
    for (const delta of [1 / 1000, 0.1]) {
      expect(gaussianPlan({ delta }).notes).toEqual([expect.stringContaining('is not below 1/1000')]);
    }
  });

  it('without noise guarantees nothing', () => {
    for (const plan of [gaussianPlan({ noiseMultiplier: 0 }), makePlan({ mechanism: 'none', ...common })]) {
      expect(guaranteeOf(plan, upTo(5))).toBeUndefined();
      expect(eventOf(plan, upTo(5)).kind).toBe('none');
      expect(planStatement(plan, upTo(5), { insecure: false }).join(' ')).toContain('There is no privacy guarantee');
    }
  });
});

describe('options that do not fit together are refused with one sentence', () => {
  const bad = <T>(value: unknown) => value as T;
  it.each<[string, () => Plan, string]>([
    [
      'shuffled batches with the neighbours of sampling',
      () => gaussianPlan({ sampler: 'shuffled', neighbours: 'add-or-remove-one' }),
      'without amplification, got add-or-remove-one: set sampler to poisson',
    ],
    ['Poisson batches with replace-one', () => gaussianPlan({ neighbours: 'replace-one' }), 'groupPrivacy of size 2'],
    ['directions with Poisson batches', () => directionPlan({ sampler: 'poisson' }), 'use shuffled batches'],
    ['directions with add-or-remove-one', () => directionPlan({ neighbours: 'add-or-remove-one' }), 'replace-one'],
    ['directions with gdp', () => directionPlan({ accountant: 'gdp' }), 'metric'],
    ['directions with rdp', () => directionPlan({ accountant: 'rdp' }), 'without a delta: use metric, basic or pld'],
    ['normal noise with metric', () => gaussianPlan({ accountant: 'metric' }), 'metric'],
    ['an unknown accountant', () => gaussianPlan({ accountant: bad('magic') }), 'invalid accountant: expected basic,'],
    ['an inherited accountant', () => gaussianPlan({ accountant: bad('toString') }), 'invalid accountant'],
    ['an unknown sampler', () => gaussianPlan({ sampler: bad('fixed') }), 'invalid sampler: expected poisson or'],
    ['an unknown bound', () => gaussianPlan({ clipping: bad('cut') }), 'invalid clipping: expected clip or normalise'],
    [
      'an unknown mechanism',
      () => makePlan(bad({ mechanism: 'laplace', ...common })),
      'expected none, normalised, normalised-layers, gaussian, gaussian-normalised or directional',
    ],
    ['both ε and noise', () => gaussianPlan({ epsilon: 1 }), 'either epsilon or noiseMultiplier'],
    ['neither', () => makePlan({ mechanism: 'gaussian', ...common }), 'either epsilon or noiseMultiplier'],
    ['batches larger than the data', () => gaussianPlan({ batchSize: 1001 }), 'at most the 1000 examples, got 1001'],
    ['overlapping parts', () => directionPlan({ parameterGroups: [['a', 'b'], ['b']] }), 'no parameter in two of them'],
    ['no parts', () => directionPlan({ parameterGroups: [] }), 'at least one'],
    ['an empty part', () => directionPlan({ parameterGroups: [['a'], []] }), 'none empty'],
    ['a noise of NaN', () => gaussianPlan({ noiseMultiplier: Number.NaN }), 'noiseMultiplier'],
    ['negative noise', () => gaussianPlan({ noiseMultiplier: -1 }), 'noiseMultiplier'],
    ['infinite noise', () => gaussianPlan({ noiseMultiplier: Number.POSITIVE_INFINITY }), 'noiseMultiplier'],
    ['a clip norm of 0', () => gaussianPlan({ clipNorm: 0 }), 'invalid clipNorm: expected > 0, got 0'],
    ['a δ of 0', () => gaussianPlan({ delta: 0 }), 'invalid delta: expected above 0 and below 1'],
    ['a δ of NaN', () => gaussianPlan({ delta: Number.NaN }), 'invalid delta'],
    ['a concentration of 0', () => directionPlan({ concentration: 0 }), 'invalid concentration: expected > 0'],
    ['half an epoch', () => gaussianPlan({ epochs: 0.5 }), 'invalid epochs: expected a whole number >= 1'],
    ['no examples', () => gaussianPlan({ examples: 0 }), 'invalid examples'],
    ['an option of another mechanism', () => gaussianPlan(bad({ concentration: 5 })), 'unknown option concentration'],
    ['a misspelt option', () => gaussianPlan(bad({ targetEpsilon: 5 })), 'unknown option targetEpsilon of a plan'],
    [
      'layers that are not known',
      () => directionPlan({ parameterGroups: 'layers' }),
      'invalid parameterGroups: expected whole, layers (with the parameters of each layer in layers)',
    ],
    ['ε = 0', () => makePlan({ mechanism: 'gaussian', ...common, epsilon: 0 }), 'epsilon'],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(ArgumentError);
    try {
      make();
    } catch (error) {
      expect((error as Error).message.split('\n').length).toBe(1);
    }
  });
});
