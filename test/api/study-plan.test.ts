// The plan of a study from what training leaves behind: the folder of a run, that of a saved model, or a YAML file.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { studyUnder } from '../../src/api/study-plan.js';
import { parseStudy, type Study } from '../../src/calibration/index.js';
import { calibrate, fineTune, type StudyPlan } from '../../src/index.js';
import { makePlan } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';

const root = makeRoot();
const [model, data, run] = ['model', 'data', 'run'].map((name) => join(root, name)) as [string, string, string];
const common = { trainable: 'pooler+classifier', epochs: 2, batchSize: 10, maxTokens: 9 };
const study = (changes: object = {}): Study =>
  parseStudy(
    {
      name: 'tiny',
      model,
      data: { source: data },
      mechanisms: { gaussian: { noise: [0.1] }, directional: { concentration: [100] } },
      attacks: { membership: {} },
      seeds: [1],
      ...changes,
    },
    'tiny',
  );
const write = (name: string, text: string): string => {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
};

beforeAll(async () => {
  await writeReviews(root);
  const shared = { model, data, ...common };
  await fineTune({ ...shared, folder: run, learningRate: 0.02, privacy: { epsilon: 8, accountant: 'rdp' } });
  await fineTune({ ...shared, folder: join(root, 'plain'), optimizer: 'sgd' });
  await fineTune({
    ...shared,
    folder: join(root, 'layers'),
    privacy: { mechanism: 'directional', concentration: 50, parameterGroups: 'layers' },
  });
}, 60_000);

describe('the plan of a run', () => {
  const real = () =>
    makePlan({ mechanism: 'gaussian', examples: 40, batchSize: 10, epochs: 2, epsilon: 8, accountant: 'rdp' });

  it('has its sizes, its noise and its settings', async () => {
    const made = await studyUnder(study(), run);
    expect(made.plan).toEqual({
      examples: 40,
      batchSize: 10,
      epochs: 2,
      delta: 40 ** -1.1,
      clipNorm: 1,
      trainable: 'pooler+classifier',
      maxTokens: 9,
      learningRate: 0.02,
      schedule: 'linear',
      warmup: 0.05,
      mechanism: 'gaussian',
      noise: real().noiseMultiplier,
      accountant: 'rdp',
      clipping: 'clip',
      sampler: 'poisson',
    });
    expect(made.training).toMatchObject({ learningRate: 0.02, epochs: 2, batchSize: 10 });
    expect(await studyUnder(study(), join(run, 'model'))).toEqual(made);
  });

  it('of directional noise has its groups, and no δ', async () => {
    const { plan } = await studyUnder(study(), join(root, 'layers'));
    expect(plan).toMatchObject({ mechanism: 'directional', concentration: 50, parameterGroups: 'layers' });
    expect(plan).not.toHaveProperty('delta');
  });

  it('without noise has its sizes, and no rates of another optimizer', async () => {
    const { plan } = await studyUnder(study(), join(root, 'plain'));
    expect(plan).toEqual({ examples: 40, ...common });
  });

  it('is studied: the real ε beside that of the attacked models', async () => {
    const results = await calibrate(study(), { plan: run, folder: join(root, 'out'), jobs: 0 });
    expect(results.failures).toEqual([]);
    expect(results.plan?.attacked).toEqual(results.plan?.planned);
    const level = results.levels.find(({ level: { parameter } }) => parameter === real().noiseMultiplier);
    expect(level?.planned?.epsilon).toBe(real().guarantee?.epsilon);
    expect(level?.guarantee?.epsilon).toBe(real().guarantee?.epsilon);
  }, 60_000);

  it('counts only for the model that is asked about, where that was copied beside another run', async () => {
    const copy = join(root, 'plain', 'copied');
    cpSync(join(run, 'model'), copy, { recursive: true });
    const { plan } = await studyUnder(study(), copy);
    expect(plan).toMatchObject({ mechanism: 'gaussian', examples: 40 });
    expect(plan).not.toHaveProperty('learningRate');
  });
});

describe('a plan is refused', () => {
  it('for other data, naming both', async () => {
    const other = write('other.csv', 'text,label\na,0\nb,1\n');
    await expect(studyUnder(study({ data: { source: other } }), run)).rejects.toThrow(
      `${run}: its run was trained on 40 training rows of ${data}, but ${other} has 2 training rows: give the data of the run with data, or the sizes of the training as a YAML file with plan`,
    );
    const folder = join(root, 'changed');
    cpSync(data, folder, { recursive: true });
    writeFileSync(join(folder, 'train.tsv'), readFileSync(join(folder, 'train.tsv'), 'utf8').replace('a a', 'a c'));
    await expect(studyUnder(study({ data: { source: folder } }), run)).rejects.toThrow(
      `but ${folder} has other texts, labels or groups`,
    );
  });

  it('with a mechanism that the study does not have', async () => {
    const only = study({ mechanisms: { directional: { concentration: [100] } } });
    await expect(studyUnder(only, run)).rejects.toThrow(
      `${run}: invalid plan.mechanism: expected a mechanism of the study (directional)`,
    );
  });

  it('if it is missing or broken', async () => {
    const none = join(root, 'none');
    await expect(studyUnder(study(), none)).rejects.toThrow(`${none}: no such file or folder: expected the folder of`);
    await expect(studyUnder(study(), data)).rejects.toThrow(`${data}: expected the folder of a run`);
    for (const [text, message] of [
      ['examples: [1', 'not YAML'],
      ['just words', 'invalid plan: expected object, got "just words"'],
      [
        'examples: 40\nbatchSize: 50\nepochs: 1',
        'line 2: invalid batchSize: expected at most the 40 examples of the plan',
      ],
      ['examples: 40\nbatchSize: 5\nepoch: 1', 'line 3: unknown key epoch: did you mean epochs?'],
    ] as const) {
      await expect(studyUnder(study(), write('plan.yaml', text))).rejects.toThrow(message);
    }
    const broken = join(root, 'broken');
    mkdirSync(broken);
    const ledger = readFileSync(join(run, 'ledger.jsonl'), 'utf8');
    writeFileSync(join(broken, 'ledger.jsonl'), ledger.replace('"examples":40', '"examples":4000'));
    await expect(studyUnder(study(), broken)).rejects.toThrow('does not fit the rest: the ledger was changed');
    writeFileSync(join(broken, 'ledger.jsonl'), 'nothing\n');
    await expect(studyUnder(study(), broken)).rejects.toThrow('expected JSON, got "nothing"');
  });

  it('if it is neither a path nor an object', async () => {
    await expect(calibrate(study() as never, { plan: 3 as unknown as StudyPlan })).rejects.toThrow(
      'invalid plan: expected the folder of a run or of a saved model',
    );
  });
});

it('reads a YAML file, and takes an object', async () => {
  const plan = { examples: 400, batchSize: 20, epochs: 3, delta: 1e-4, mechanism: 'gaussian', epsilon: 4 } as const;
  const file = write(
    'good.yaml',
    Object.entries(plan)
      .map(([key, value]) => `${key}: ${value}`)
      .join('\n'),
  );
  const made = await studyUnder(study(), file);
  expect(made.plan).toEqual(plan);
  expect(await studyUnder(study(), plan)).toEqual(made);
});
