// One training run: batches, releases, optimizer, ledger, checkpoints, scores.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type CheckpointOptions, runLoop } from './loop.js';
import type { Arrays } from './optimizers.js';
import { essentialPlan } from './plan.js';
import { planStatement } from './plan-guarantee.js';
import { makePrivateGradient, type PrivateGradient } from './release.js';
import { openSpending, type Spending } from './spending.js';
import type { Splits } from './splits.js';
import type { EpochReport, PrivacyResult, PrivateStepReport, TrainOptions, TrainResult } from './train-options.js';

/** What a run works on. */
interface Material {
  readonly splits: Splits;
  /** The trainable parameters, which are updated in place. */
  readonly parameters: Arrays;
  /** The one split that is scored beside the training data. Default: all. */
  readonly scored?: 'validation' | 'test';
  /** Digest of the training data, computed when first needed. */
  readonly dataDigest: () => string;
}

/** Trains by a plan that fits the data. */
export async function runTraining(options: TrainOptions, material: Material): Promise<TrainResult> {
  const { splits, parameters, dataDigest } = material;
  // Before the ledger is opened, so that a plan for other parameters leaves nothing behind.
  const release = makePrivateGradient({ ...options, classifier: splits.train, orderSeed: options.seed });
  const spending = await openSpending(options, dataDigest);
  try {
    const counts = { seen: 0, nonFinite: 0, zero: 0 };
    const checkpoint = options.run && checkpointOf(options.run, options, dataDigest);
    const run = { parameters, release, splits, spending, counts, ...(checkpoint && { checkpoint }) };
    const { step, finished } = await runSteps(options, run);
    await spending.refresh();
    spending.expectCounted(step);
    return {
      parameters,
      finished,
      steps: step,
      cached: splits.train.cached,
      ...(await splits.score(parameters, material.scored)),
      privacy: privacyOf(options, spending, counts),
    };
  } finally {
    await spending.close();
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
  readonly checkpoint?: CheckpointOptions;
}

function runSteps(options: TrainOptions, { parameters, release, splits, spending, counts, checkpoint }: Run) {
  const { plan, optimizer, signal, onProgress, onRelease, onStep, onEpoch, record } = options;
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
      const { loss: sum, gradients, members, divisor, nonFinite, zero, diagnostics } = await release(step, parameters);
      await onRelease?.({ step, parameters, gradients, divisor });
      count(counts, { members, nonFinite, zero });
      const finite = members - nonFinite;
      const loss = finite > 0 ? { loss: sum / finite } : {};
      last = { step: step + 1, ...loss, members, nonFinite, zero, ...(diagnostics && { diagnostics }) };
      shown = loss.loss ?? shown;
      return { loss: shown, gradients };
    },
    record: async ({ step }) => {
      if (last) await record?.(last);
      if (last) options.run?.tally?.add(last);
      ended = undefined;
      // Scores and guarantee take time, so they are computed only for somebody.
      if (step % stepsPerEpoch !== 0 || !(record || onEpoch)) return;
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
    ...(checkpoint && { checkpoint }),
    ...(signal && { signal }),
  });
}

const checkpointOf = (
  run: NonNullable<TrainOptions['run']>,
  { plan, insecureSeed, dropout, seed }: TrainOptions,
  dataDigest: () => string,
): CheckpointOptions => ({
  path: join(run.folder, 'checkpoint.safetensors'),
  every: run.checkpointEvery ?? (plan.event === undefined ? plan.stepsPerEpoch : 1),
  configuration: {
    ...run.configuration,
    plan: essentialPlan(plan),
    trainingData: dataDigest(),
    ...(dropout && { dropout: { ...dropout, seed } }),
    // Steps with seeded noise must not pass for steps with secret noise, nor with that of another seed.
    ...(insecureSeed !== undefined && { seededNoise: digestOf(`${insecureSeed}`) }),
  },
  ...(run.tally && { tally: run.tally.sums }),
  resume: run.resume,
});

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

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
