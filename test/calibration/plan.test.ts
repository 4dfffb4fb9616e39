// A study that stands for another training: its noise is that of the real plan, its runs keep batch size and steps, and each ε is stated
// for what it is about.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  collectResults,
  parseStudy,
  readPlan,
  runStudy,
  type Study,
  type StudyPlan,
  type StudyResults,
  studyFromYaml,
  studyToYaml,
} from '../../src/calibration/index.js';
import { openStudyInputs, type StudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf, plannedAt, planOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import { account } from '../../src/cli/account-figures.js';
import { groupPrivacy } from '../../src/privacy/index.js';
import { makePlan } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
let tiny: Study;
let inputs: StudyInputs;
beforeAll(async () => {
  tiny = await tinyStudy(root);
  inputs = await openStudyInputs(tiny);
});

const under = (plan: StudyPlan, changes: object = {}): Study => parseStudy({ ...tiny, ...changes, plan }, 'tiny');

describe('SST-2 with ε = 8, studied on 1,500 rows', () => {
  const sizes = { examples: 67_349, batchSize: 1024, epochs: 3 };
  const delta = 67_349 ** -1.1;
  const real = makePlan({ mechanism: 'gaussian', ...sizes, epsilon: 8 });
  const rows = { inputIds: Array.from({ length: 1500 }, () => [1]), labels: [] };
  const onRows = (study: Study) => ({ ...inputs, study, train: rows }) as unknown as StudyInputs;
  const study = () => under(sizes, { mechanisms: { gaussian: { epsilon: [8] } } });

  it('has the σ of the real training', () => {
    const [, level] = levelsOf(onRows(study()));
    expect(level).toMatchObject({ target: { kind: 'epsilon', value: 8 }, parameter: real.noiseMultiplier });
    const told = account({
      sampleRate: 1024 / 67_349,
      steps: 198,
      epsilon: 8,
      delta,
      accountant: 'pld',
      orders: 'default',
    });
    expect(level?.parameter).toBe(told.noiseMultiplier);
    expect(level?.parameter).toBeCloseTo(0.552, 3);
    // The study's own sizes would ask for other noise.
    const training = { ...tiny.training, batchSize: 128, epochs: 10 };
    const own = parseStudy({ ...tiny, training, mechanisms: { gaussian: { epsilon: [8] } } }, 'tiny');
    expect(levelsOf(onRows(own))[1]?.parameter).toBeCloseTo(0.794, 3);
  }, 60_000);

  it('runs as many steps of the same batch size, and states both ε', () => {
    const own = onRows(study());
    const [, level] = levelsOf(own) as [unknown, Parameters<typeof planOf>[1]];
    const attacked = planOf(own, level, 3);
    expect([real.steps, attacked.steps, attacked.epochs]).toEqual([198, 198, 99]);
    expect(attacked).toMatchObject({ examples: 1500, batchSize: 1024, delta, accountant: 'pld' });
    expect(attacked.sampler).toEqual({ kind: 'poisson', sampleRate: 1024 / 1500 });
    const again = makePlan({
      mechanism: 'gaussian',
      examples: 1500,
      batchSize: 1024,
      epochs: 99,
      noiseMultiplier: real.noiseMultiplier,
      delta,
    });
    expect(attacked.guarantee).toEqual(again.guarantee);
    expect(plannedAt(own, level)?.guarantee).toEqual(real.guarantee);
    expect(real.guarantee?.epsilon).toBeLessThanOrEqual(8);
    expect(attacked.guarantee?.epsilon).toBeGreaterThan(100);
  }, 60_000);

  it('rounds steps up to whole epochs of the sample', () => {
    const own = onRows(under({ examples: 5000, batchSize: 400, epochs: 1 }));
    const { steps, epochs } = planOf(own, { mechanism: 'none' }, 1);
    expect([steps, epochs]).toEqual([16, 4]);
    expect(makePlan({ mechanism: 'none', examples: 5000, batchSize: 400, epochs: 1 }).steps).toBe(13);
  });

  it('has the noise of a plan as a level of its own, unless that is there', () => {
    const noises = (plan: object, gaussian: object) =>
      levelsOf(onRows(under({ ...sizes, ...plan }, { mechanisms: { gaussian } }))).map(({ parameter }) => parameter);
    const planned = { mechanism: 'gaussian', noise: 0.5 } as const;
    expect(noises(planned, { noise: [1, 0.1] })).toEqual([undefined, 0.1, 0.5, 1]);
    expect(noises(planned, { noise: [1, 0.5] })).toEqual([undefined, 0.5, 1]);
    const both = noises({ mechanism: 'gaussian', noise: real.noiseMultiplier }, { epsilon: [8] });
    expect(both).toEqual([undefined, real.noiseMultiplier]);
  }, 60_000);
});

describe('the settings of a plan', () => {
  const plan = { examples: 100, batchSize: 10, epochs: 3 };

  it('replace those of the study, and are the same when the study is read again', () => {
    const tuned = {
      ...tiny,
      training: {
        ...tiny.training,
        learningRate: { tune: [0.1, 0.2] },
        epochs: { tune: [1, 2] },
        tuning: { seeds: 1 },
      },
    };
    const study = parseStudy({ ...tuned, plan: { ...plan, mechanism: 'gaussian', sampler: 'shuffled' } }, 'tiny');
    expect(study.training).toMatchObject({ batchSize: 10, epochs: 3, delta: 100 ** -1.1, tuning: { seeds: 1 } });
    expect(study.mechanisms.gaussian).toEqual({ noise: [0.001, 1], sampler: 'shuffled' });
    expect(studyFromYaml(studyToYaml(study), 'tiny')).toEqual(study);
    const all = {
      ...plan,
      delta: 1e-6,
      clipNorm: 2,
      trainable: 'all',
      learningRate: 0.3,
      schedule: 'cosine',
      warmup: 0,
    };
    const whole = parseStudy({ ...tuned, plan: { ...all, maxTokens: 7 } }, 'tiny');
    const { examples: _, ...known } = all;
    expect(whole.training).toEqual({ newHead: false, ...known });
    expect(whole.training).not.toHaveProperty('tuning');
    expect(whole.data.maxTokens).toBe(7);
  });

  it('change the names of trials, and a study without a plan keeps them', () => {
    const names = (study: Study) =>
      expandStudy({ ...inputs, study }, levelsOf({ ...inputs, study })).map(({ id }) => id);
    const trained = expandStudy(inputs, levelsOf(inputs)).filter(({ kind }) => kind === 'train');
    for (const { settings } of trained) expect(settings).not.toHaveProperty('plannedExamples');
    expect(names(parseStudy(tiny, 'tiny'))).toEqual(names(tiny));
    const [first, second] = [100, 200].map((examples) => names(under({ ...plan, examples, delta: 1e-4 })));
    const differing = first?.filter((id) => !second?.includes(id)).length;
    // The training runs of five levels and two seeds, and the membership attacks on them.
    expect(differing).toBe(20);
  });

  it.each([
    [{ ...plan, batchSize: 101 }, 'invalid plan.batchSize: expected at most the 100 examples of the plan, got 101'],
    [{ examples: 100, batchSize: 10 }, 'invalid plan.epochs: expected number, got nothing'],
    [{ ...plan, exmples: 3 }, 'unknown key plan.exmples: did you mean examples?'],
    [{ ...plan, noise: 1 }, 'invalid plan.noise: expected mechanism beside it, which says what it is about, got 1'],
    [
      { ...plan, mechanism: 'gaussian', noise: 1, epsilon: 8 },
      'invalid plan.epsilon: expected either noise or epsilon, not both, got 8',
    ],
    [
      { ...plan, mechanism: 'directional', noise: 1 },
      'invalid plan.noise: expected a key of mechanism directional (concentration, epsilon, parameterGroups, sampler, accountant, neighbours), got 1',
    ],
    [
      { ...plan, mechanism: 'gaussian-normalised' },
      'invalid plan.mechanism: expected a mechanism of the study (gaussian, directional): add it under mechanisms, or leave it out of the plan, got "gaussian-normalised"',
    ],
    [{ ...plan, delta: 1 }, 'invalid plan.delta: expected number to be <1, got 1'],
  ])('refuses %j', (given, message) => {
    expect(() => parseStudy({ ...tiny, plan: given }, 'tiny')).toThrow(`tiny: ${message}`);
  });

  it('refuses a file that is not there', async () => {
    const path = join(root, 'none.yaml');
    await expect(readPlan(path)).rejects.toThrow(`${path}: no such file`);
  });
});

describe('a study under a plan', () => {
  const plan = { examples: 480, batchSize: 16, epochs: 2, mechanism: 'gaussian', noise: 20 } as const;
  const onlyMembership = { mechanisms: { gaussian: { noise: [1] } }, attacks: { membership: {} }, seeds: [1] };
  const data = () => ({ ...tiny.data, limit: 20 });

  async function measure(study: Study, name: string): Promise<StudyResults> {
    const folder = join(root, name);
    expect(await runStudy({ study, folder, jobs: 0 })).toMatchObject({ failed: 0, left: 0 });
    return collectResults(folder);
  }

  it('trains on all rows where features are kept, and holds attacks against the ε of what it trained', async () => {
    const results = await measure(under(plan, { ...onlyMembership, data: data() }), 'kept');
    expect(results.plan).toEqual({
      planned: { examples: 480, batchSize: 16, epochs: 2, stepsPerEpoch: 30, steps: 60 },
      attacked: { examples: 48, batchSize: 16, epochs: 20, stepsPerEpoch: 3, steps: 60 },
      offered: 48,
      pastLimit: 20,
    });
    expect(results.data).toMatchObject({ train: 48, test: 12 });
    expect(results.levels.map(({ level }) => level.parameter)).toEqual([undefined, 1, 20]);
    const delta = 480 ** -1.1;
    for (const { level, guarantee, planned, settings } of results.levels.slice(1)) {
      const noise = { mechanism: 'gaussian', noiseMultiplier: level.parameter as number, delta } as const;
      const real = makePlan({ ...noise, examples: 480, batchSize: 16, epochs: 2 });
      const own = makePlan({ ...noise, examples: 48, batchSize: 16, epochs: 20 });
      expect([planned?.epsilon, guarantee?.epsilon]).toEqual([real.guarantee?.epsilon, own.guarantee?.epsilon]);
      expect([planned?.delta, guarantee?.delta]).toEqual([delta, delta]);
      expect(guarantee?.epsilon).toBeGreaterThan(planned?.epsilon as number);
      expect(settings?.epochs).toBe(20);
      // The reader's noise will be secret; that of the study came from a seed.
      expect(planned?.statement[0]).toContain('Epsilon is');
      expect(guarantee?.statement[0]).toContain('The noise came from a seed');
    }
    const [clean, , noisy] = results.levels;
    const bound = groupPrivacy({ epsilon: noisy?.guarantee?.epsilon ?? 0, delta }, 2);
    expect(noisy?.leakage.membership?.roc?.bound).toEqual(bound);
    expect(clean).not.toHaveProperty('planned');
  }, 60_000);

  it('keeps the steps of the plan on a sample, where features are not kept', async () => {
    const training = { ...tiny.training, trainable: 'all' };
    const opened = await openStudyInputs(under(plan, { ...onlyMembership, training, data: data() }));
    expect(opened.plan).toEqual({
      planned: { examples: 480, batchSize: 16, epochs: 2, stepsPerEpoch: 30, steps: 60 },
      attacked: { examples: 20, batchSize: 16, epochs: 30, stepsPerEpoch: 2, steps: 60 },
      offered: 48,
    });
    expect(opened.train.inputIds).toHaveLength(20);
  });

  it('never trains on more rows than the plan has, and lets other models keep to the limit', async () => {
    const few = await openStudyInputs(under({ ...plan, examples: 32 }, { data: data() }));
    expect([few.train.inputIds.length, few.sample.splits.train?.length]).toEqual([32, 20]);
    expect(few.plan).toMatchObject({ attacked: { examples: 32, steps: 4, epochs: 2 }, pastLimit: 20 });
    const without = await openStudyInputs({ ...tiny, data: data() });
    expect(without.sample).toBe(without.dataSet);
    expect(without).not.toHaveProperty('plan');
  });

  it('refuses batches that are larger than all rows', async () => {
    const training = { ...tiny.training, trainable: 'all' };
    const large = { ...plan, batchSize: 32 };
    await expect(openStudyInputs(under(large, { training, data: data() }))).rejects.toThrow(
      'plan: expected batches of at most the 20 rows that this study trains on, got 32: raise data.limit',
    );
    await expect(openStudyInputs(under({ ...plan, batchSize: 64 }))).rejects.toThrow(
      'plan: expected batches of at most the 48 rows that this study trains on, got 64: give more rows with data',
    );
  });
});
