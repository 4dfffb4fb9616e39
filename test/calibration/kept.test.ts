// What a process keeps open between trials changes no figure.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runStudy, type Study } from '../../src/calibration/index.js';
import { openStudyInputs, type StudyInputs } from '../../src/calibration/study/inputs.js';
import { levelsOf } from '../../src/calibration/study/levels.js';
import { expandStudy } from '../../src/calibration/trials/expand.js';
import { artefactsOf } from '../../src/calibration/trials/folder.js';
import { type Trial, taskOf } from '../../src/calibration/trials/trial.js';
import { openClassifierPool } from '../../src/calibration/trials/work/classifier-pool.js';
import { makeWorker, type Worker } from '../../src/calibration/trials/worker.js';
import { openSafetensors, readTensor } from '../../src/models/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();
const folder = join(root, 'out');
let [study, inputs, trials]: [Study, StudyInputs, readonly Trial[]] = [undefined as never, undefined as never, []];

beforeAll(async () => {
  const tiny = await tinyStudy(root);
  study = {
    ...tiny,
    attacks: { ...tiny.attacks, decepticons: { count: 4, batchSize: 2, maxTokens: 8, attacker: 'noise-aware' } },
  };
  inputs = await openStudyInputs(study);
  trials = expandStudy(inputs, levelsOf(inputs));
  await runStudy({ study, folder, jobs: 0, only: ['train'] });
}, 120_000);

const attacks = (name: string) => trials.filter((trial) => taskOf(trial) === name);

async function measure(worker: Worker, trial: Trial) {
  const answer = await worker.work({
    study,
    trial,
    folder: join(root, 'trial', trial.id),
    needs: Object.fromEntries(
      trial.needs.map((id) => [id, { folder: artefactsOf(folder, id), outcome: { measurements: [], details: {} } }]),
    ),
    origin: { weights: inputs.weights, data: inputs.data },
  });
  if ('error' in answer) throw new Error(answer.error);
  return answer.outcome;
}

async function alone(trial: Trial) {
  const worker = makeWorker();
  try {
    return await measure(worker, trial);
  } finally {
    await worker.close();
  }
}

describe('a process that has worked on other trials', () => {
  it.each(['span', 'decepticons', 'membership'])('measures the same as a new one: %s', async (name) => {
    const worker = makeWorker();
    const own = attacks(name);
    expect(own.length).toBeGreaterThan(3);
    try {
      // Twice through all levels, backwards at last, so that each trial follows another and itself.
      const first = new Map<string, unknown>();
      for (const trial of own) first.set(trial.id, await measure(worker, trial));
      for (const trial of own.toReversed()) expect(await measure(worker, trial)).toEqual(first.get(trial.id));
      for (const trial of own.slice(-2)) expect(await alone(trial)).toEqual(first.get(trial.id));
    } finally {
      await worker.close();
    }
  });

  it('can change between attacks and studies', async () => {
    const worker = makeWorker();
    const mixed = ['span', 'membership', 'decepticons', 'span', 'membership'].map((name, i) => attacks(name)[i % 3]);
    const other = await openStudyInputs({ ...study, data: { ...study.data, maxTokens: 6 } });
    try {
      for (const trial of mixed as Trial[]) expect(await measure(worker, trial)).toEqual(await alone(trial));
      const [trial] = expandStudy(other, levelsOf(other)).filter((one) => taskOf(one) === 'span') as [Trial];
      const answer = await worker.work({
        study: other.study,
        trial,
        folder: join(root, 'other'),
        needs: {},
        origin: { weights: other.weights, data: other.data },
      });
      expect(answer).toHaveProperty('outcome');
    } finally {
      await worker.close();
    }
  });
});

describe('classifiers that are kept', () => {
  it('give the logits of new ones, also where there is no memory to keep them', async () => {
    const parameters: Record<string, Float32Array>[] = [];
    for (const { needs } of attacks('membership').slice(0, 2)) {
      const file = await openSafetensors(join(artefactsOf(folder, needs[0] as string), 'trained.safetensors'));
      const one: Record<string, Float32Array> = {};
      for (const name of inputs.trainable.names) one[name] = await readTensor(file, name);
      parameters.push(one);
    }
    let loads = 0;
    const counting: StudyInputs = {
      ...inputs,
      modelFor: (seed) => {
        loads++;
        return inputs.modelFor(seed);
      },
    };
    const [roomy, full] = [openClassifierPool(), openClassifierPool(0)];
    const inTurn = async (pool: typeof roomy) => {
      const found: Float32Array[] = [];
      for (const [i, one] of parameters.entries()) found.push(await pool.logits(counting, 'train', 1 + i, one));
      return found;
    };
    const found = await inTurn(roomy);
    expect(found).toEqual(await inTurn(full));
    expect(found[0]).not.toEqual(found[1]);
    // Opened once where it is kept, twice where it is not.
    expect(loads).toBe(3);
    await roomy.close();
    await full.close();
  });
});
