// One training run at one noise level. Its noise comes from a seed, so that studies can be repeated: do not release its model.

import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSafetensors } from '../../../models/index.js';
import { appendPrivate } from '../../../platform/index.js';
import { adamW, linearSchedule, planStatement, type TrainResult, trainClassifier } from '../../../training/index.js';
import { planOf } from '../../study/levels.js';
import type { Measurement } from '../store.js';
import { noiseSeed } from '../trial.js';
import type { Work } from './work.js';

export const trainedFile = 'trained.safetensors';

export const train: Work<'train'> = async ({ id, settings }, { inputs, folder }) => {
  const { level, seed, learningRate } = settings;
  const plan = planOf(inputs, level);
  const model = await inputs.modelFor(seed);
  const stepsFile = join(folder, 'steps.jsonl');
  cutToLines(stepsFile);
  const result = await trainClassifier({
    model,
    trainable: inputs.trainable.names,
    data: { train: inputs.train, test: inputs.test },
    plan,
    optimizer: adamW({ learningRate: linearSchedule(learningRate, { steps: plan.steps }) }),
    seed,
    insecureSeed: noiseSeed(settings, 'training'),
    diagnose: true,
    run: { folder, resume: true, configuration: { trial: id }, checkpointEvery: plan.stepsPerEpoch },
    record: async (report) => {
      if (!('diagnostics' in report) || report.diagnostics === undefined) return;
      await appendPrivate(stepsFile, `${JSON.stringify({ step: report.step, ...report.diagnostics })}\n`);
    },
  });
  const tensors = Object.entries(result.parameters).map(([name, data]) => [name, { shape: [data.length], data }]);
  await writeSafetensors(join(folder, trainedFile), Object.fromEntries(tensors), {}, { ownerOnly: true });
  await rm(join(folder, 'checkpoint.safetensors'), { force: true });
  return {
    measurements: [...scoresOf(result), ...cosines(stepsFile)].map(([name, value]) => ({ item: 0, name, value })),
    details: {
      ...(plan.guarantee && { guarantee: { ...plan.guarantee, epsilon: `${plan.guarantee.epsilon}` } }),
      // The statement covers the planned steps: after a crash the ledger may count some twice, with the same seeded noise.
      statement: planStatement(plan, allSteps(plan.steps), {
        insecure: true,
        ...(plan.guarantee && { guarantee: plan.guarantee }),
      }),
      steps: plan.steps,
    },
  };
};

type Figure = readonly [Measurement['name'], number];

function scoresOf({ train, test }: TrainResult): Figure[] {
  const held = test as NonNullable<typeof test>;
  return [
    ['accuracy', held.accuracy],
    ['matthews', held.matthews],
    ['macroF1', held.macroF1],
    ['loss', held.loss],
    ['trainAccuracy', train.accuracy],
    ['gap', train.accuracy - held.accuracy],
  ];
}

/** Removes a line that a crash cut off, which would spoil the next. */
function cutToLines(path: string): void {
  if (existsSync(path)) truncateSync(path, readFileSync(path).lastIndexOf('\n') + 1);
}

/** Means over the steps; a repeated step counts once. */
function cosines(stepsFile: string): Figure[] {
  if (!existsSync(stepsFile)) return [];
  const text = readFileSync(stepsFile, 'utf8');
  const steps = new Map<number, { readonly cosineToSum: number; readonly cosineToGradient: number }>();
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { step, ...found } = JSON.parse(line);
    steps.set(step, found);
  }
  const mean = (name: 'cosineToSum' | 'cosineToGradient'): Figure => {
    const inOrder = [...steps].sort(([a], [b]) => a - b).map(([, step]) => step[name]);
    return [name, inOrder.reduce((sum, value) => sum + value, 0) / inOrder.length];
  };
  return steps.size === 0 ? [] : [mean('cosineToSum'), mean('cosineToGradient')];
}

const allSteps = (steps: number) => Array.from({ length: steps }, (_, step) => ({ step }));
