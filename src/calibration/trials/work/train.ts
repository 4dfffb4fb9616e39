// One training run at one noise level. Its noise comes from a seed, so that studies can be repeated: do not release its model.

import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSafetensors } from '../../../models/index.js';
import { appendPrivate } from '../../../platform/index.js';
import {
  adamW,
  allSteps,
  guaranteeOfRuns,
  type LabelledExamples,
  type Plan,
  planStatement,
  type Scores,
  scheduleOf,
  type TrainResult,
  trainClassifier,
} from '../../../training/index.js';
import type { StudyInputs } from '../../study/inputs.js';
import { planOf } from '../../study/levels.js';
import type { Measurement, Outcome } from '../store.js';
import { noiseSeed } from '../trial.js';
import { chosenSettings, type TuningDetails } from './chosen-settings.js';
import type { Work } from './work.js';

export const trainedFile = 'trained.safetensors';

export const train: Work<'train'> = async ({ id, settings, needs }, context) => {
  const { inputs, folder } = context;
  const { level, seed, schedule, warmup } = settings;
  const isTuning = settings.purpose === 'tuning';
  const { settings: chosen, tried } = chosenSettings(settings, needs, context);
  const plan = planOf(inputs, level, chosen.epochs);
  const model = await inputs.modelFor(seed);
  const stepsFile = join(folder, 'steps.jsonl');
  cutToLines(stepsFile);
  const result = await trainClassifier({
    model,
    trainable: inputs.trainable.names,
    // Settings are never chosen by the test data, so tuning runs do not read them.
    data: { train: inputs.train, test: isTuning ? (inputs.validation as LabelledExamples) : inputs.test },
    plan,
    optimizer: adamW({ learningRate: scheduleOf(schedule, chosen.learningRate, { steps: plan.steps, warmup }) }),
    seed,
    insecureSeed: noiseSeed(settings, 'training'),
    diagnose: !isTuning,
    run: { folder, resume: true, configuration: { trial: id }, checkpointEvery: plan.stepsPerEpoch },
    record: async (report) => {
      if (!('diagnostics' in report) || report.diagnostics === undefined) return;
      await appendPrivate(stepsFile, `${JSON.stringify({ step: report.step, ...report.diagnostics })}\n`);
    },
  });
  if (isTuning) return tuningOutcome(result, { settings: chosen, level });
  const tensors = Object.entries(result.parameters).map(([name, data]) => [name, { shape: [data.length], data }]);
  await writeSafetensors(join(folder, trainedFile), Object.fromEntries(tensors), {}, { ownerOnly: true });
  await rm(join(folder, 'checkpoint.safetensors'), { force: true });
  return {
    measurements: [...scoresOf(result), ...cosines(stepsFile)].map(([name, value]) => ({ item: 0, name, value })),
    details: {
      settings: chosen,
      ...guaranteeDetails(plan, tried, settings.accounted ?? false, inputs),
      steps: plan.steps,
    },
  };
};

/** The guarantee of a run with secret noise, and with it, if asked for, that of the runs that were tried before it. */
function guaranteeDetails(plan: Plan, tried: readonly Plan[], counted: boolean, { validation }: StudyInputs) {
  const guarantee = counted && tried.length > 0 ? guaranteeOfRuns([...tried, plan]) : plan.guarantee;
  const tuning = { tried, counted, validation: validation?.inputIds.length ?? 0 };
  return {
    ...(guarantee && { guarantee: { ...guarantee, epsilon: `${guarantee.epsilon}` } }),
    // The statement covers the planned steps: those of a crash are repeated with the same seeded noise.
    statement: planStatement(plan, allSteps(plan), {
      insecure: true,
      ...(guarantee && { guarantee }),
      ...(tried.length > 0 && { tuning }),
    }),
  };
}

function tuningOutcome({ test }: TrainResult, details: TuningDetails): Outcome {
  const { accuracy, matthews, macroF1, loss } = test as Scores;
  const scores = {
    validationAccuracy: accuracy,
    validationMatthews: matthews,
    validationMacroF1: macroF1,
    validationLoss: loss,
  };
  return {
    measurements: Object.entries(scores).map(([name, value]) => ({ item: 0, name, value })),
    details: { ...details },
  };
}

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
