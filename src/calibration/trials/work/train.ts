// One training run at one noise level. Its noise comes from a seed, so that studies can be repeated: do not release its model.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dropoutRates, writeSafetensors } from '../../../models/index.js';
import {
  adamW,
  allSteps,
  classesOf,
  guaranteeOfRuns,
  type Plan,
  planStatement,
  type Scores,
  scheduleOf,
  type TrainResult,
} from '../../../training/index.js';
import type { Level } from '../../analysis/results.js';
import type { StudyInputs } from '../../study/inputs.js';
import { plannedAt, planOf } from '../../study/levels.js';
import type { Measurement, Outcome } from '../store.js';
import { noiseSeed } from '../trial.js';
import { chosenSettings, type TuningDetails } from './chosen-settings.js';
import { packAnswers } from './correct-answers.js';
import { makeStepTally } from './step-tally.js';
import type { Work } from './work.js';

export const trainedFile = 'trained.safetensors';

/** Releases of a run that are compared with their sums before noise, at most: means over all steps would cost a pass more for each. */
const observedSteps = 64;

export const train: Work<'train'> = async ({ id, settings, needs }, context) => {
  const { inputs, kept, folder } = context;
  const { level, seed, schedule, warmup } = settings;
  const isTuning = settings.purpose === 'tuning';
  const { settings: chosen, tried, triedAt, mostEpochs } = chosenSettings(settings, needs, context);
  const { trainer, start, plan } = await kept.training.setUp(inputs, { level, seed, epochs: chosen.epochs });
  const dropout = dropoutRates(inputs.model, settings.dropout);
  const tally = makeStepTally();
  const result = await trainer.train({
    start,
    plan,
    optimizer: adamW({ learningRate: scheduleOf(schedule, chosen.learningRate, { steps: plan.steps, warmup }) }),
    seed,
    ...(dropout && { dropout: { rates: dropout } }),
    insecureSeed: noiseSeed(settings, 'training'),
    ...(!isTuning && { diagnose: { every: Math.ceil(plan.steps / observedSteps) } }),
    // Settings are never chosen by the test data, so tuning runs do not read them.
    scored: isTuning ? 'validation' : 'test',
    run: {
      folder,
      resume: true,
      configuration: { trial: id },
      checkpointEvery: { seconds: 20 },
      ledger: false,
      ...(!isTuning && { tally }),
    },
  });
  await rm(join(folder, 'checkpoint.safetensors'), { force: true });
  if (isTuning) return tuningOutcome(result, { settings: chosen, level });
  const logits = await trainer.logits('test', result.parameters);
  const answers = classesOf(logits, inputs.model.config.numLabels);
  const tensors = Object.entries(result.parameters).map(([name, data]) => [name, { shape: [data.length], data }]);
  await writeSafetensors(join(folder, trainedFile), Object.fromEntries(tensors), {}, { ownerOnly: true });
  return {
    measurements: [...scoresOf(result), ...tally.figures(plan)].map(([name, value]) => ({ item: 0, name, value })),
    details: {
      // Under a plan, epochs are those of the rows that were trained on.
      settings: { ...chosen, epochs: plan.epochs },
      ...plannedDetails(inputs, level, triedAt, settings.accounted ?? false),
      ...guaranteeDetails(
        // The choice of epochs reads the data, so composition has to count the most that could have been chosen.
        settings.accounted ? planOf(inputs, level, mostEpochs) : plan,
        tried,
        settings.accounted ?? false,
        inputs,
      ),
      steps: plan.steps,
      correct: packAnswers(answers.map((label, example) => label === inputs.test.labels[example])),
    },
  };
};

/** The guarantee of a run with secret noise, and with it, if asked for, that of the runs that were tried before it. */
function guaranteeDetails(plan: Plan, tried: readonly Plan[], counted: boolean, { validation }: StudyInputs) {
  const guarantee = guaranteeWith(plan, tried, counted);
  const tuning = { tried, counted, validation: validation?.inputIds.length ?? 0 };
  return {
    ...(guarantee && { guarantee: { ...guarantee, epsilon: `${guarantee.epsilon}` } }),
    statement: [
      ...planStatement(plan, allSteps(plan), {
        insecure: true,
        ...(guarantee && { guarantee }),
        ...(tried.length > 0 && { tuning }),
      }),
      ...(guarantee ? [asSplit(plan)] : []),
    ],
  };
}

/**
 * The guarantee of the training that the study stands for, if that is another than its own. If tuning counts, it counts there too: as many
 * runs, of the size of the planned one.
 */
function plannedDetails(
  inputs: StudyInputs,
  level: Level,
  triedAt: readonly Level[],
  counted: boolean,
): { readonly planned?: object } {
  const plan = plannedAt(inputs, level);
  if (plan?.guarantee === undefined) return {};
  const tried = triedAt.flatMap((one) => plannedAt(inputs, one) ?? []);
  const guarantee = guaranteeWith(plan, tried, counted);
  const tuning = { tried, counted, validation: inputs.validation?.inputIds.length ?? 0 };
  const statement = planStatement(plan, allSteps(plan), {
    insecure: false,
    ...(guarantee && { guarantee }),
    ...(tried.length > 0 && { tuning }),
  });
  return { ...(guarantee && { planned: { guarantee: { ...guarantee, epsilon: `${guarantee.epsilon}` }, statement } }) };
}

/** The guarantee of a run, together with those that were tried before it if they count. */
const guaranteeWith = (plan: Plan, tried: readonly Plan[], counted: boolean) =>
  counted && tried.length > 0 ? guaranteeOfRuns([...tried, plan]) : plan.guarantee;

/** One more example in the data set could draw another split. */
const asSplit = ({ examples }: Plan): string =>
  `This is about the ${examples} examples that are trained on: how the data set was split and limited is treated as public.`;

function tuningOutcome({ validation }: TrainResult, details: TuningDetails): Outcome {
  const { accuracy, matthews, macroF1, loss } = validation as Scores;
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
