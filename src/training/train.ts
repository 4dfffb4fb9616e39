// Trains a classifier by a plan, once or again and again on the same data.

import { ArgumentError } from '../checks/index.js';
import type { Model } from '../models/index.js';
import type { Classifier } from './classifier.js';
import { digestTrainingData } from './data-digest.js';
import { expectDropoutActs } from './dropout.js';
import type { Arrays } from './optimizers.js';
import { checkPlan } from './plan.js';
import { expectLedger } from './spending.js';
import { openSplits, pickExamples, type SplitOptions, type Splits, trainOnSome } from './splits.js';
import type { TrainOptions, TrainResult } from './train-options.js';
import { runTraining } from './training-run.js';

/**
 * Trains a classifier by a plan and scores it on every split. With a private plan, noise and Poisson batches come from the
 * operating system's generator, and every step is in the ledger (if `run` is set) before its noise is sampled. The model itself
 * stays unchanged: the trained numbers are in `parameters` of the result.
 */
export async function trainClassifier(options: TrainOptions): Promise<TrainResult> {
  expectFittingPlan(options);
  if (options.dropout) expectDropoutActs(options.model, options.trainable, options.dropout);
  expectLedger(options);
  const cacheFeatures = options.dropout?.frozen ? { cacheFeatures: false } : {};
  const trainer = await openTrainer({ ...options, batchSize: options.plan.batchSize, ...cacheFeatures });
  try {
    return await trainer.train(options);
  } finally {
    await trainer.close();
  }
}

/** Trains on one data set as often as asked: the splits stay open and their graphs compiled. Close it when done. */
export interface Trainer {
  /** Trains once, from copies of the numbers in `start` or, by default, from those of the trainer's model. */
  readonly train: (options: TrainerRun) => Promise<TrainResult>;
  /** Logits of a split with these numbers: [examples, labels]. */
  readonly logits: Splits['logits'];
  /** Products of gradients of any examples of the split train (see `Classifier`), also while a run waits in `onRelease`. */
  readonly gradientProducts: Classifier['gradientProducts'];
  readonly close: () => Promise<void>;
}

interface TrainerRun extends Omit<TrainOptions, 'model' | 'trainable' | 'data' | 'microBatchSize'> {
  readonly start?: Arrays;
  /** The one split that is scored beside the training data; the other is not read. Default: all. */
  readonly scored?: 'validation' | 'test';
  /** Numbers of the examples of the split train to train on. Default: all. */
  readonly examples?: readonly number[];
}

/** Opens the splits of a data set for one training run after another; no two at once, because they share arrays. */
export async function openTrainer(settings: SplitOptions): Promise<Trainer> {
  const splits = await openSplits(settings);
  const { model, trainable, data } = settings;
  let digest: string | undefined;
  const digestOfAll = () => {
    digest ??= digestTrainingData(data.train);
    return digest;
  };
  return {
    train: async ({ start, scored, examples, ...options }) => {
      const train = examples ? pickExamples(data.train, examples) : data.train;
      const run = { ...options, model, trainable, data: { ...data, train } };
      expectFittingPlan(run);
      if (options.dropout?.frozen && splits.train.cached) {
        throw new ArgumentError(
          'dropout in the frozen part: expected a trainer without cached features, got one with them',
        );
      }
      const own = start ?? (await readParameters(model, trainable));
      const parameters = Object.fromEntries(trainable.map((name) => [name, (own[name] as Float32Array).slice()]));
      return runTraining(run, {
        splits: examples ? trainOnSome(splits, train, examples, model.config.numLabels) : splits,
        parameters,
        dataDigest: examples ? () => digestTrainingData(train) : digestOfAll,
        ...(scored && { scored }),
      });
    },
    logits: splits.logits,
    gradientProducts: splits.train.gradientProducts,
    close: splits.close,
  };
}

function expectFittingPlan({ plan, data }: TrainOptions): void {
  checkPlan(plan);
  if (plan.examples === data.train.inputIds.length) return;
  throw new ArgumentError(
    `the plan is for ${plan.examples} examples, the data has ${data.train.inputIds.length}: make a plan for this data`,
  );
}

/** The numbers of these parameters, from which training starts. */
export async function readParameters(model: Model, names: readonly string[]): Promise<Arrays> {
  const parameters: Record<string, Float32Array> = {};
  for (const name of names) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  return parameters;
}
