// The plan: sampler, bound, noise and accountant fit together, or there is no plan.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/math/index.js';
import { loadModel, selectParameters } from '../../src/models/index.js';
import {
  type Guarantee,
  gaussian,
  pldAccountant,
  poissonSampled,
  rdpAccountant,
  selfComposed,
} from '../../src/privacy/index.js';
import {
  type DirectionPlanOptions,
  eventOf,
  type GaussianPlanOptions,
  guaranteeOf,
  makePlan,
  type Plan,
  partsByLayer,
  planStatement,
  sgd,
  trainClassifier,
} from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { sentences } from './tiny-task.js';

const root = makeRoot();
const common = { examples: 1000, epochs: 3, lotSize: 64 };
const gaussianPlan = (rest: Partial<GaussianPlanOptions> = {}) =>
  makePlan({ mechanism: 'gaussian', ...common, noiseMultiplier: 1, accountant: 'rdp', ...rest });
const directionPlan = (rest: Partial<DirectionPlanOptions> = {}) =>
  makePlan({ mechanism: 'vmf', ...common, concentration: 10, ...rest });
const steps = (...list: number[]) => list.map((step) => ({ step }));
const upTo = (count: number) => steps(...Array(count).keys());

describe('a plan', () => {
  it.each([0.5, 8])('finds noise that never exceeds ε = %d, and hardly more than needed', (targetEpsilon) => {
    for (const accountant of ['pld', 'rdp'] as const) {
      for (const sampler of ['poisson', 'shuffled'] as const) {
        const plan = makePlan({ mechanism: 'gaussian', ...common, targetEpsilon, accountant, sampler });
        const epsilon = plan.guarantee?.epsilon as number;
        expect(epsilon).toBeLessThanOrEqual(targetEpsilon);
        expect(epsilon).toBeGreaterThan(0.98 * targetEpsilon);
      }
    }
  });

  it('couples everything: lots, rate, event and guarantee', () => {
    const plan = gaussianPlan({ accountant: 'pld', delta: 1e-5, noiseMultiplier: 1.5, clipNorm: 0.5 });
    expect(plan).toMatchObject({
      lotsPerEpoch: 16,
      steps: 48,
      sampler: { kind: 'poisson', sampleRate: 0.064 },
      bounding: { kind: 'clip', norm: 0.5 },
      neighbours: 'add-or-remove-one',
      event: poissonSampled(0.064, gaussian(1.5)),
    });
    const alone = pldAccountant()
      .compose(poissonSampled(0.064, gaussian(1.5)), 48)
      .epsilon(1e-5);
    expect(plan.guarantee?.epsilon).toBe(alone.epsilon);
    expect(Object.isFrozen(plan)).toBe(true);
  });

  it('of shuffled lots counts an example once an epoch, replaced by another: twice the bound, no amplification', () => {
    const plan = gaussianPlan({ sampler: 'shuffled', noiseMultiplier: 2, delta: 1e-5 });
    const alone = rdpAccountant({ neighbours: 'replace-one' }).compose(gaussian(1), 3).epsilon(1e-5);
    expect(plan.guarantee?.epsilon).toBe(alone.epsilon);
    expect(plan.neighbours).toBe('replace-one');
    expect(plan.notes.join(' ')).toContain('no amplification by sampling');
  });

  it('of directions gives 2κ for each epoch and part', () => {
    expect(directionPlan().guarantee).toMatchObject({ epsilon: 60, delta: 0, neighbours: 'replace-one' });
    const parts = [['a', 'b'], ['c']];
    const plan = directionPlan({ parts });
    expect(plan.guarantee?.epsilon).toBe(120);
    expect(plan.notes.join(' ')).toContain('their factors add up');
    const statement = planStatement(plan, upTo(plan.steps), { insecure: false }).join('\n');
    expect(statement).toContain('replacing one example');
    expect(statement).toContain('In metric terms the factor is 60');
  });

  it('takes δ = N^−1.1 and says so, and warns from 1/N on', () => {
    const plan = gaussianPlan();
    expect(plan.delta).toBe(1000 ** -1.1);
    expect(plan.notes).toEqual([expect.stringContaining('delta was not given: 0.000501 is examples^-1.1')]);
    expect(gaussianPlan({ delta: 1e-5 }).notes).toEqual([]);
    expect(gaussianPlan({ delta: 1 / 1001 }).notes).toEqual([]);
    for (const delta of [1 / 1000, 0.1]) {
      expect(gaussianPlan({ delta }).notes).toEqual([expect.stringContaining('is not below 1/1000')]);
    }
  });

  it('without noise promises nothing', () => {
    for (const plan of [gaussianPlan({ noiseMultiplier: 0 }), makePlan({ mechanism: 'none', ...common })]) {
      expect(guaranteeOf(plan, upTo(5))).toBeUndefined();
      expect(eventOf(plan, upTo(5)).kind).toBe('none');
      expect(planStatement(plan, upTo(5), { insecure: false }).join(' ')).toContain('No privacy is promised');
    }
  });
});

describe('what does not fit together is refused with one sentence', () => {
  const bad = <T>(value: unknown) => value as T;
  it.each<[string, () => Plan, string]>([
    [
      'shuffled lots with the neighbours of sampling',
      () => gaussianPlan({ sampler: 'shuffled', neighbours: 'add-or-remove-one' }),
      'without amplification, got add-or-remove-one: use Poisson lots',
    ],
    ['Poisson lots with replace-one', () => gaussianPlan({ neighbours: 'replace-one' }), 'groupPrivacy of size 2'],
    ['directions with Poisson lots', () => directionPlan({ sampler: 'poisson' }), 'use shuffled lots'],
    ['directions with add-or-remove-one', () => directionPlan({ neighbours: 'add-or-remove-one' }), 'replace-one'],
    ['directions with gdp', () => directionPlan({ accountant: 'gdp' }), 'metric'],
    ['directions with rdp', () => directionPlan({ accountant: 'rdp' }), 'without a delta: use metric, basic or pld'],
    ['normal noise with metric', () => gaussianPlan({ accountant: 'metric' }), 'metric'],
    ['an unknown accountant', () => gaussianPlan({ accountant: bad('magic') }), 'invalid accountant: expected basic,'],
    ['an inherited accountant', () => gaussianPlan({ accountant: bad('toString') }), 'invalid accountant'],
    ['an unknown sampler', () => gaussianPlan({ sampler: bad('fixed') }), 'invalid sampler: expected poisson or'],
    ['an unknown bound', () => gaussianPlan({ bounding: bad('cut') }), 'invalid bounding: expected clip or normalise'],
    [
      'an unknown mechanism',
      () => makePlan(bad({ mechanism: 'laplace', ...common })),
      'expected none, gaussian or vmf',
    ],
    ['both ε and noise', () => gaussianPlan({ targetEpsilon: 1 }), 'either targetEpsilon or noiseMultiplier'],
    ['neither', () => makePlan({ mechanism: 'gaussian', ...common }), 'either targetEpsilon or noiseMultiplier'],
    ['lots larger than the data', () => gaussianPlan({ lotSize: 1001 }), 'at most the 1000 examples, got 1001'],
    ['overlapping parts', () => directionPlan({ parts: [['a', 'b'], ['b']] }), 'no parameter in two of them'],
    ['no parts', () => directionPlan({ parts: [] }), 'at least one'],
    ['an empty part', () => directionPlan({ parts: [['a'], []] }), 'none empty'],
    ['a noise of NaN', () => gaussianPlan({ noiseMultiplier: Number.NaN }), 'noiseMultiplier'],
    ['negative noise', () => gaussianPlan({ noiseMultiplier: -1 }), 'noiseMultiplier'],
    ['infinite noise', () => gaussianPlan({ noiseMultiplier: Number.POSITIVE_INFINITY }), 'noiseMultiplier'],
    ['a clip norm of 0', () => gaussianPlan({ clipNorm: 0 }), 'invalid clipNorm: expected > 0, got 0'],
    ['a δ of 0', () => gaussianPlan({ delta: 0 }), 'invalid delta: expected above 0 and below 1'],
    ['a δ of NaN', () => gaussianPlan({ delta: Number.NaN }), 'invalid delta'],
    ['a concentration of 0', () => directionPlan({ concentration: 0 }), 'invalid concentration: expected > 0'],
    ['half an epoch', () => gaussianPlan({ epochs: 0.5 }), 'invalid epochs: expected a whole number >= 1'],
    ['no examples', () => gaussianPlan({ examples: 0 }), 'invalid examples'],
    ['ε = 0', () => makePlan({ mechanism: 'gaussian', ...common, targetEpsilon: 0 }), 'epsilon'],
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

describe('steps that were begun', () => {
  it('count one by one with Poisson lots, those done again too', () => {
    const plan = gaussianPlan();
    expect(eventOf(plan, steps(0, 1, 1, 2))).toEqual(selfComposed(4, poissonSampled(0.064, gaussian(1))));
    expect(guaranteeOf(plan, upTo(48))).toEqual(plan.guarantee);
    expect(guaranteeOf(plan, [])?.epsilon).toBe(0);
  });

  it('count with shuffled lots by the lot that was used most often in each epoch', () => {
    const plan = directionPlan();
    const epsilon = (...list: number[]) => guaranteeOf(plan, steps(...list))?.epsilon;
    expect(epsilon(0)).toBe(20);
    expect(epsilon(0, 1, 15)).toBe(20);
    expect(epsilon(0, 1, 1, 2)).toBe(40);
    expect(epsilon(0, 1, 1, 16)).toBe(60);
    expect(epsilon(3, 3, 3, 20, 20)).toBe(100);
    expect(guaranteeOf(plan, upTo(48))?.epsilon).toBe(60);
  });

  it('can be counted by a quicker accountant', () => {
    const plan = gaussianPlan({ accountant: 'pld', delta: 1e-5 });
    const quick = guaranteeOf(plan, upTo(48), 'rdp');
    expect(quick?.accountant).toBe('rdp');
    expect(quick?.epsilon).toBeGreaterThan(plan.guarantee?.epsilon as number);
  });
});

describe('the statement', () => {
  const said = (insecure: boolean) => planStatement(gaussianPlan(), upTo(48), { insecure });

  it('says what holds, for whom, and what is not covered', () => {
    const text = said(false).join('\n');
    expect(text).toMatch(/^Epsilon is [\d.]+ with delta 5\.012e-4 for adding or removing one example, by the rdp/);
    expect(text).toContain('Released 48 times');
    expect(text).toContain('A person behind several examples is protected less');
    expect(text).toContain('Not covered: data used before this, as in pretraining, and other runs on the same data');
    expect(text).toContain('Losses, scores and counts shown while training');
    expect(text).toContain('Note: delta was not given');
    for (const sentence of said(false)) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  it('is void first of all when the noise came from a seed', () => {
    expect(said(true)[0]).toMatch(/^The noise came from a seed: .*do not release this model\.$/);
    expect(said(true).slice(1)).toEqual(said(false));
  });
});

describe('a trainer', async () => {
  const model = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { labels: 2, newHead: true });
  const trained = selectParameters(model, 'paper');
  const train = (plan: Plan) =>
    trainClassifier({
      model,
      trained,
      data: { train: sentences(model, 20) },
      optimizer: sgd({ learningRate: 0.1 }),
      plan,
      seed: 1,
    });
  const small = { examples: 20, epochs: 1, lotSize: 5 };
  const own = (rest: Partial<GaussianPlanOptions> = {}) =>
    makePlan({ mechanism: 'gaussian', ...small, noiseMultiplier: 1, accountant: 'rdp', ...rest });
  const directed = (parts: string[][]) => makePlan({ mechanism: 'vmf', ...small, concentration: 10, parts });

  it.each<[string, Plan, string]>([
    ['another sampler', { ...own(), sampler: { kind: 'shuffled' } }, 'its event does not fit the rest'],
    ['another rate', { ...own(), sampler: { kind: 'poisson', sampleRate: 0.1 } }, 'its sampler does not fit'],
    ['less noise', { ...own(), noiseMultiplier: 0.5 }, 'its event does not fit'],
    ['no noise', { ...own(), noiseMultiplier: 0 }, 'does not fit'],
    ['a smaller ε', { ...own(), guarantee: own({ noiseMultiplier: 9 }).guarantee as Guarantee }, 'guarantee'],
    ['more steps', { ...own(), steps: 100 }, 'its steps does not fit'],
    ['more epochs', { ...own(), epochs: 2 }, 'its steps does not fit'],
    ['other neighbours', { ...own(), neighbours: 'replace-one' }, 'its neighbours does not fit'],
    ['a concentration', { ...own(), concentration: 1e9 }, 'its concentration does not fit'],
  ])('refuses a plan changed by hand: %s', async (_, plan, message) => {
    await expect(train(plan)).rejects.toThrow(message);
    await expect(train(plan)).rejects.toThrow('make the plan with makePlan and leave it as it is');
  });

  it('refuses a plan for other data or other parameters', async () => {
    await expect(train(own({ examples: 30 }))).rejects.toThrow('the plan is for 30 examples, the data has 20');
    await expect(train(directed([trained.slice(1)]))).rejects.toThrow(`in one of them, and no other: ${trained[0]}`);
    await expect(train(directed([[...trained, 'other']]))).rejects.toThrow('and no other: other');
  });

  it('takes layers as parts', async () => {
    const parts = partsByLayer(trained);
    expect(parts.map((part) => part.length)).toEqual([2, 2]);
    expect((await train(directed(parts))).privacy.guarantee?.epsilon).toBe(40);
  });
});
