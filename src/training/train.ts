// Trains a classifier by a plan: batches, releases, optimizer, ledger, checkpoints, scores.

import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import type { Model } from '../models/index.js';
import { digestTrainingData } from './data-digest.js';
import { type CheckpointOptions, runLoop } from './loop.js';
import type { Arrays } from './optimizers.js';
import { checkPlan, essentialPlan } from './plan.js';
import { planStatement } from './plan-guarantee.js';
import { makePrivateGradient, type PrivateGradient } from './release.js';
import { openSpending, type Spending } from './spending.js';
import { openSplits, type Splits } from './splits.js';
import type { EpochReport, PrivacyResult, PrivateStepReport, TrainOptions, TrainResult } from './train-options.js';

/**
 * Trains a classifier by a plan and scores it on every split. With a private plan, noise and Poisson batches come from the
 * operating system's generator, and every step is in the ledger (if `run` is set) before its noise is sampled. The model itself
 * stays unchanged: the trained numbers are in `parameters` of the result.
 */
export async function trainClassifier(options: TrainOptions): Promise<TrainResult> {
  expectFittingPlan(options);
  const splits = await openSplits(options);
  let spending: Spending | undefined;
  try {
    const parameters = await readParameters(options.model, options.trainable);
    // Before the ledger is opened, so that a plan for other parameters leaves nothing behind.
    const release = makePrivateGradient({ ...options, classifier: splits.train, orderSeed: options.seed });
    spending = await openSpending(options);
    const counts = { seen: 0, nonFinite: 0, zero: 0 };
    const { step, finished } = await runSteps(options, { parameters, release, splits, spending, counts });
    await spending.refresh();
    spending.expectCounted(step);
    return {
      parameters,
      finished,
      steps: step,
      cached: splits.train.cached,
      ...(await splits.scoreAll(parameters)),
      privacy: privacyOf(options, spending, counts),
    };
  } finally {
    await spending?.close();
    await splits.close();
  }
}

interface Counts {
  seen: number;
  nonFinite: number;
  zero: number;
}

interface Run {
  readonly parameters: Arrays;
  readonly release: PrivateGradient;
  readonly splits: Splits;
  readonly spending: Spending;
  readonly counts: Counts;
}

function runSteps(options: TrainOptions, { parameters, release, splits, spending, counts }: Run) {
  const { plan, optimizer, signal, onProgress, onStep, onEpoch, record } = options;
  const { steps, stepsPerEpoch } = plan;
  let last: PrivateStepReport | undefined;
  let shown = 0;
  let ended: EpochReport | undefined;
  return runLoop({
    parameters,
    optimizer,
    steps,
    compute: async (step) => {
      // On disk before any noise is sampled.
      await spending.begin(step);
      const { loss: sum, gradients, members, nonFinite, zero, diagnostics } = await release(step, parameters);
      count(counts, { members, nonFinite, zero });
      const finite = members - nonFinite;
      const loss = finite > 0 ? { loss: sum / finite } : {};
      last = { step: step + 1, ...loss, members, nonFinite, zero, ...(diagnostics && { diagnostics }) };
      shown = loss.loss ?? shown;
      return { loss: shown, gradients };
    },
    record: async ({ step }) => {
      if (last) await record?.(last);
      ended = undefined;
      if (step % stepsPerEpoch !== 0) return;
      const validation = await splits.scoreValidation(parameters);
      const guarantee = spending.soFar();
      const epoch = step / stepsPerEpoch;
      ended = { epoch, step, ...(guarantee && { guarantee }), ...(validation && { validation }) };
      await record?.(ended);
    },
    onStep: async ({ step, loss }) => {
      onProgress?.({ stage: 'training', step, steps, loss, examples: counts.seen, guarantee: spending.soFar });
      if (last) await onStep?.(last);
      if (ended) await onEpoch?.(ended);
    },
    ...(options.run && { checkpoint: checkpointOf(options.run, options) }),
    ...(signal && { signal }),
  });
}

const checkpointOf = (run: NonNullable<TrainOptions['run']>, { plan, data }: TrainOptions): CheckpointOptions => ({
  path: join(run.folder, 'checkpoint.safetensors'),
  every: run.checkpointEvery ?? (plan.event === undefined ? plan.stepsPerEpoch : 1),
  configuration: { ...run.configuration, plan: essentialPlan(plan), trainingData: digestTrainingData(data.train) },
  resume: run.resume,
});

function privacyOf(
  { plan, insecureSeed }: TrainOptions,
  { run, entries, guarantee: spent }: Spending,
  { nonFinite, zero }: Counts,
): PrivacyResult {
  const guarantee = spent();
  const insecure = insecureSeed !== undefined;
  const known = { ...(guarantee && { guarantee }), ...(run !== undefined && { run }) };
  const statement = planStatement(plan, entries, { insecure, ...known });
  return { insecure, stepsCounted: entries.length, ...known, statement, nonFinite, zero };
}

function expectFittingPlan({ plan, data }: TrainOptions): void {
  checkPlan(plan);
  if (plan.examples === data.train.inputIds.length) return;
  throw new ArgumentError(
    `the plan is for ${plan.examples} examples, the data has ${data.train.inputIds.length}: make a plan for this data`,
  );
}

async function readParameters(model: Model, names: readonly string[]): Promise<Arrays> {
  const parameters: Record<string, Float32Array> = {};
  for (const name of names) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  return parameters;
}

/** Counts examples. A few gradients that are not finite are left out; many mean that the run is broken. */
function count(counts: Counts, step: { readonly members: number; readonly nonFinite: number; readonly zero: number }) {
  counts.seen += step.members;
  counts.nonFinite += step.nonFinite;
  counts.zero += step.zero;
  const { seen, nonFinite } = counts;
  if (nonFinite <= 10 || nonFinite <= 0.1 * seen) return;
  throw new Error(
    `training stopped: the gradients of ${nonFinite} of ${seen} examples are not finite: lower the learning rate, or check the model's weights`,
  );
}
