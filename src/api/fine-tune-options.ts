// What fine-tuning is given and what it gives back.

import type { DataSet } from '../data/index.js';
import type { NoisyMechanism, Plan, PlanOptionsFor, PlanSizeOptions } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { PrivacyResult, Scores, TrainProgress } from '../training/index.js';
import type { LanguageModel } from './language-model.js';

/** The mechanism of private training unless another is named: DP-SGD. */
export const usualMechanism = 'gaussian' satisfies NoisyMechanism;

type WithoutSizes<Options> = Options extends unknown ? Omit<Options, keyof PlanSizeOptions> : never;

/**
 * How training is made private. `{ epsilon: 8 }` or `{ noiseMultiplier: 1 }` is DP-SGD with Gaussian noise; name another `mechanism`
 * with its own options, such as `{ mechanism: 'directional', concentration: 1e6 }`. Options of another mechanism are refused.
 */
export type PrivacyOptions = (
  | WithoutSizes<PlanOptionsFor<NoisyMechanism>>
  | (Omit<WithoutSizes<PlanOptionsFor<typeof usualMechanism>>, 'mechanism'> & { readonly mechanism?: undefined })
) & {
  /** Takes batches and noise from this seed, so that an experiment repeats. It voids the guarantee, and the statement says so. */
  readonly insecureSeed?: number | string;
};

/** What `fineTune` may be told. Every option has a default; an unknown one is an error. */
export interface FineTuneOptions {
  /** A folder in the Hugging Face layout, `bundled:NAME`, or a loaded model. `bundled:bert-mini` unless given. */
  readonly model?: string | Model;
  /** A file, a folder, `bundled:mail`, or a loaded data set; its split `train` is trained on. `bundled:mail` unless given. */
  readonly data?: string | DataSet;
  /** How training is made private. Without it nothing is promised. */
  readonly privacy?: PrivacyOptions;
  /** `head`, `pooler+classifier` (the default; GPT-2: final norm and score), `all`, or parameter names with *. */
  readonly trainable?: string;
  /** Passes over the training data: 5 unless given. */
  readonly epochs?: number;
  /** Examples per step, on average for Poisson batches: 128 with privacy, 32 without, unless given. */
  readonly batchSize?: number;
  /** Examples in memory at a time; it changes neither results nor privacy. */
  readonly microBatchSize?: number;
  /** The highest rate, from which it falls linearly to 0: 1e-3 unless given. */
  readonly learningRate?: number;
  /** `adamw` unless given; `sgd` has momentum 0.9. */
  readonly optimizer?: 'adamw' | 'sgd';
  /** Texts are cut to this many tokens: 128 unless given. */
  readonly maxTokens?: number;
  /** Seeds the order of shuffled batches and a new classifier, never the noise: 1 unless given. */
  readonly seed?: number;
  /** Replaces the classifier of the checkpoint by a new one. */
  readonly newHead?: boolean;
  /** Keeps ledger, checkpoint, metrics and the trained model there, so that the run can be resumed. */
  readonly folder?: string;
  /** Continues the interrupted run of `folder`; the options must be those it was started with. */
  readonly resume?: boolean;
  /** Steps between two checkpoints: every step with privacy, every epoch without, unless given. */
  readonly checkpointEvery?: number;
  /** Compares every release with the sum before noise, in `metrics.jsonl` of the folder. These figures are not private. */
  readonly diagnostics?: boolean;
  readonly onProgress?: (progress: FineTuneProgress) => void;
  /** Stops after the step under way; the call then rejects with the signal's reason, and `folder` can be resumed. */
  readonly signal?: AbortSignal;
}

/** Where a run is: reading, finding the noise for ε, computing features of the frozen part, or training. */
export type FineTuneProgress = { readonly stage: 'data' | 'model' | 'plan' } | TrainProgress;

/** A finished run: the trained model, and what is promised about it. */
export interface FineTuneRun {
  /** The trained model: `classify`, `save`. */
  readonly model: LanguageModel;
  /** The guarantee, the sentences that state it, and what was counted. */
  readonly privacy: PrivacyResult;
  /** Whether the model may be called private: a guarantee with a finite ε, and noise that nobody can repeat. */
  readonly private: boolean;
  /** Sampler, clipping, noise and accountant, as they were used. */
  readonly plan: Plan;
  /** Loss, accuracy, Matthews correlation and macro F1 per split. Those of `train` are not private. */
  readonly scores: { readonly train: Scores; readonly validation?: Scores; readonly test?: Scores };
  /** Accuracy on the split train minus accuracy on test (on validation where there is no test). */
  readonly trainTestGap?: number;
  readonly trainable: {
    readonly selection: string;
    readonly names: readonly string[];
    /** How many numbers they hold. */
    readonly parameters: number;
  };
  /** Parameters that the checkpoint lacked, so that they started at random. */
  readonly newlyInitialized: readonly string[];
  readonly steps: number;
  /** False only where the run was stopped. */
  readonly finished: boolean;
  /** Whether training ran on cached features of the frozen part. */
  readonly cachedFeatures: boolean;
  readonly seconds: number;
}

/** Every option that `fineTune` knows. */
export const fineTuneKeys = [
  'model',
  'data',
  'privacy',
  'trainable',
  'epochs',
  'batchSize',
  'microBatchSize',
  'learningRate',
  'optimizer',
  'maxTokens',
  'seed',
  'newHead',
  'folder',
  'resume',
  'checkpointEvery',
  'diagnostics',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof FineTuneOptions)[];
