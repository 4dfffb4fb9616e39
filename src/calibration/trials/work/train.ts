// One training run at one noise level. Its noise comes from a seed, so that studies can be repeated: do not release its model.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSafetensors } from '../../../models/index.js';
import { adamW, linearSchedule, planStatement, type TrainResult } from '../../../training/index.js';
import type { Measurement } from '../store.js';
import { noiseSeed } from '../trial.js';
import { makeStepTally } from './step-tally.js';
import type { Work } from './work.js';

export const trainedFile = 'trained.safetensors';

export const train: Work<'train'> = async ({ id, settings }, { inputs, training, folder }) => {
  const { seed, learningRate } = settings;
  const { trainer, start, plan } = await training.setUp(inputs, settings);
  const tally = makeStepTally();
  const result = await trainer.train({
    start,
    plan,
    optimizer: adamW({ learningRate: linearSchedule(learningRate, { steps: plan.steps }) }),
    seed,
    insecureSeed: noiseSeed(settings, 'training'),
    diagnose: true,
    run: { folder, resume: true, configuration: { trial: id }, checkpointEvery: { seconds: 20 }, ledger: false, tally },
  });
  const tensors = Object.entries(result.parameters).map(([name, data]) => [name, { shape: [data.length], data }]);
  await writeSafetensors(join(folder, trainedFile), Object.fromEntries(tensors), {}, { ownerOnly: true });
  await rm(join(folder, 'checkpoint.safetensors'), { force: true });
  return {
    measurements: [...scoresOf(result), ...tally.figures(plan)].map(([name, value]) => ({ item: 0, name, value })),
    details: {
      ...(plan.guarantee && { guarantee: { ...plan.guarantee, epsilon: `${plan.guarantee.epsilon}` } }),
      statement: planStatement(plan, allSteps(plan.steps), {
        insecure: true,
        ...(plan.guarantee && { guarantee: plan.guarantee }),
      }),
      steps: plan.steps,
    },
  };
};

function scoresOf({ train, test }: TrainResult): [Measurement['name'], number][] {
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

const allSteps = (steps: number) => Array.from({ length: steps }, (_, step) => ({ step }));
