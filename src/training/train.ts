// Training a classifier as a plan says: batches, releases, optimizer, ledger, checkpoints, scores.

import { join } from 'node:path';
import { ArgumentError, FileError } from '../checks/index.js';
import type { Model } from '../models/index.js';
import type { Guarantee } from '../privacy/index.js';
import type { Configuration } from './checkpoint.js';
import { type Classifier, type LabelledExamples, openClassifier } from './classifier.js';
import type { ReleaseDiagnostics } from './diagnostics.js';
import { type Ledger, openLedger } from './ledger.js';
import { runLoop } from './loop.js';
import type { Arrays, Optimizer } from './optimizers.js';
import { checkPlan, essentialPlan } from './plan.js';
import { guaranteeOf, type LedgerEntry, planStatement, quickAccountant } from './plan-guarantee.js';
import type { Plan } from './plan-options.js';
import { makePrivateGradient } from './release.js';
import { type Scores, scoreLogits } from './scores.js';

export interface TrainOptions {
  readonly model: Model;
  readonly trainable: readonly string[];
  readonly data: {
    readonly train: LabelledExamples;
    readonly validation?: LabelledExamples;
    readonly test?: LabelledExamples;
  };
  readonly optimizer: Optimizer;
  readonly plan: Plan;
  /** Of the order of shuffled batches; it need not be secret. */
  readonly seed: number | string;
  /** Batches and noise from this seed instead of the operating system: experiments repeat, and the guarantee is void. */
  readonly insecureSeed?: number | string;
  /** Where checkpoint and ledger are kept; without one the run cannot be resumed. */
  readonly run?: RunFolder;
  readonly onProgress?: (progress: TrainProgress) => void;
  /** After every step. Its figures are not private. */
  readonly onStep?: (report: PrivateStepReport) => void | Promise<void>;
  readonly onEpoch?: (report: EpochReport) => void | Promise<void>;
  /** Compare every release with what it would be without noise. */
  readonly diagnose?: boolean;
  readonly signal?: AbortSignal;
  readonly microBatchSize?: number;
}

export interface RunFolder {
  readonly folder: string;
  readonly resume: boolean;
  /** Whatever else decides what the run computes. */
  readonly configuration: Configuration;
  /** Steps between two checkpoints: 1 for private runs and one epoch for others, unless given. */
  readonly checkpointEvery?: number;
}

export type TrainProgress =
  | { readonly stage: 'features'; readonly part: string; readonly done: number; readonly all: number }
  | {
      readonly stage: 'training';
      readonly step: number;
      readonly steps: number;
      /** Of the last batch that was not empty. */
      readonly loss: number;
      readonly examples: number;
      /** What holds so far, by the Rényi accountant where the plan's own is slow. Takes milliseconds. */
      readonly guarantee: () => Guarantee | undefined;
    };

export interface PrivateStepReport {
  readonly step: number;
  readonly loss?: number;
  readonly members: number;
  readonly nonFinite: number;
  readonly zero: number;
  readonly diagnostics?: ReleaseDiagnostics;
}

export interface EpochReport {
  readonly epoch: number;
  readonly step: number;
  /** So far; by the Rényi accountant where the plan's own is slow. */
  readonly guarantee?: Guarantee;
  readonly validation?: Scores;
}

export interface TrainResult {
  readonly parameters: Arrays;
  readonly finished: boolean;
  readonly steps: number;
  /** Whether it ran on kept features of the frozen part. */
  readonly cached: boolean;
  readonly train: Scores;
  readonly validation?: Scores;
  readonly test?: Scores;
  readonly privacy: PrivacyResult;
}

export interface PrivacyResult {
  /** Whether the noise came from a seed: the guarantee is then what would hold with secret noise. */
  readonly insecure: boolean;
  /** Steps begun, those that a crash undid included. */
  readonly stepsCounted: number;
  readonly guarantee?: Guarantee;
  readonly statement: readonly string[];
  /** Examples whose gradient was not finite and contributed nothing, over all steps of this process. */
  readonly nonFinite: number;
  /** Examples whose gradient was zero. */
  readonly zero: number;
}

export async function trainClassifier(options: TrainOptions): Promise<TrainResult> {
  const { model, trainable, data, optimizer, plan, insecureSeed, signal, onProgress, onEpoch, run } = options;
  checkPlan(plan);
  const { stepsPerEpoch, steps } = plan;
  if (plan.examples !== data.train.inputIds.length) {
    throw new ArgumentError(
      `the plan is for ${plan.examples} examples, the data has ${data.train.inputIds.length}: make a plan for these data`,
    );
  }
  const opened: Classifier[] = [];
  const open = async (part: string, rows: LabelledExamples): Promise<Classifier> => {
    const progress = (done: number, all: number) => onProgress?.({ stage: 'features', part, done, all });
    const features = { onProgress: progress, ...(signal && { signal }) };
    const { microBatchSize } = options;
    const made = await openClassifier({
      model,
      trainable,
      data: rows,
      features,
      ...(microBatchSize && { microBatchSize }),
    });
    opened.push(made);
    return made;
  };
  let ledger: Ledger | undefined;
  try {
    const classifier = await open('train', data.train);
    const validation = data.validation && (await open('validation', data.validation));
    const test = data.test && (await open('test', data.test));
    const parameters: Record<string, Float32Array> = {};
    for (const name of trainable) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
    const score = async (part: Classifier, { labels }: LabelledExamples) =>
      scoreLogits(await part.logits(parameters), labels, model.config.numLabels);

    const release = makePrivateGradient({
      plan,
      classifier,
      orderSeed: options.seed,
      ...(insecureSeed !== undefined && { insecureSeed }),
      ...(options.diagnose && { diagnose: true }),
    });
    const settings = { trainable, seed: options.seed, insecure: insecureSeed !== undefined };
    const isPrivate = plan.event !== undefined;
    if (run && isPrivate) {
      ledger = await openLedger(join(run.folder, 'ledger.jsonl'), { plan, settings, resume: run.resume });
    }
    const entries: LedgerEntry[] = [...(ledger?.entries ?? [])];
    const counts = { seen: 0, nonFinite: 0, zero: 0 };
    let last: PrivateStepReport | undefined;
    let shown = 0;
    const soFar = () => guaranteeOf(plan, entries, quickAccountant(plan));
    const result = await runLoop({
      parameters,
      optimizer,
      steps,
      compute: async (step) => {
        // On disk before any noise is drawn.
        if (isPrivate) {
          expectCounted(step, entries);
          await ledger?.record({ step });
          entries.push({ step });
        }
        const { loss: sum, gradients, members, nonFinite, zero, diagnostics } = await release(step, parameters);
        counts.seen += members;
        counts.nonFinite += nonFinite;
        counts.zero += zero;
        expectFinite(counts);
        const finite = members - nonFinite;
        const loss = finite > 0 ? { loss: sum / finite } : {};
        last = { step: step + 1, ...loss, members, nonFinite, zero, ...(diagnostics && { diagnostics }) };
        shown = loss.loss ?? shown;
        return { loss: shown, gradients };
      },
      ...(run && {
        checkpoint: {
          path: join(run.folder, 'checkpoint.safetensors'),
          every: run.checkpointEvery ?? (isPrivate ? 1 : stepsPerEpoch),
          configuration: { ...run.configuration, plan: essentialPlan(plan) },
          resume: run.resume,
        },
      }),
      onStep: async ({ step, loss }) => {
        onProgress?.({ stage: 'training', step, steps, loss, examples: counts.seen, guarantee: soFar });
        if (last) await options.onStep?.(last);
        if (step % stepsPerEpoch !== 0) return;
        const scores = validation && (await score(validation, data.validation as LabelledExamples));
        const guarantee = soFar();
        const epoch = step / stepsPerEpoch;
        await onEpoch?.({ epoch, step, ...(guarantee && { guarantee }), ...(scores && { validation: scores }) });
      },
      ...(signal && { signal }),
    });
    if (isPrivate) expectCounted(result.step, entries);
    const guarantee = guaranteeOf(plan, entries);
    return {
      parameters,
      finished: result.finished,
      steps: result.step,
      cached: classifier.cached,
      train: await score(classifier, data.train),
      ...(validation && { validation: await score(validation, data.validation as LabelledExamples) }),
      ...(test && { test: await score(test, data.test as LabelledExamples) }),
      privacy: {
        insecure: insecureSeed !== undefined,
        stepsCounted: entries.length,
        ...(guarantee && { guarantee }),
        statement: planStatement(plan, entries, {
          insecure: insecureSeed !== undefined,
          ...(guarantee && { guarantee }),
        }),
        nonFinite: counts.nonFinite,
        zero: counts.zero,
      },
    };
  } finally {
    await ledger?.close();
    for (const one of opened) await one.close();
  }
}

/** A checkpoint that is ahead of its ledger would promise more than it keeps. */
function expectCounted(steps: number, { length }: readonly LedgerEntry[]): void {
  if (length >= steps) return;
  throw new FileError(
    `the checkpoint holds ${steps} steps, its ledger.jsonl counts ${length}: put the ledger back, or start anew elsewhere`,
  );
}

/** A few gradients that overflow are left out and counted; many mean that the run is broken. */
function expectFinite({ seen, nonFinite }: { readonly seen: number; readonly nonFinite: number }): void {
  if (nonFinite <= 10 || nonFinite <= 0.1 * seen) return;
  throw new Error(
    `training stopped: the gradients of ${nonFinite} of ${seen} examples are not finite: lower the learning rate, or check the model's weights`,
  );
}
