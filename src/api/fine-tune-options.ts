// Options and results of fine-tuning.

import type { DataSet } from '../data/index.js';
import type { NoisyMechanism, Plan, PlanOptionsFor, PlanSizeOptions } from '../mechanisms/index.js';
import type { DropoutChoice, DropoutRates, LoraOptions, Model } from '../models/index.js';
import type { DataNotes, PrivacyResult, ScheduleName, Scores, TrainProgress } from '../training/index.js';
import type { HoldOutRecord } from './hold-out.js';
import type { LanguageModel } from './language-model.js';

/** The default mechanism of private training: DP-SGD. */
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
  /** Takes Poisson batches and noise from this seed, so that an experiment repeats. It voids the guarantee, and the statement says so. */
  readonly insecureSeed?: number | string;
};

/** Low-rank adapters in place of whole layers. `merge` saves one plain model, not an adapter that names its base model. */
export type FineTuneLora = LoraOptions & { readonly merge?: boolean | undefined };

/** Options of `fineTune`. Every option has a default; an unknown one is an error. */
export interface FineTuneOptions {
  /** A folder in the Hugging Face layout, `bundled:NAME`, `hf:owner/name`, or a loaded model. Default: `bundled:bert-mini`. */
  readonly model?: string | Model;
  /** A file, a folder, `bundled:mail`, `hf:owner/name[:config]`, or a loaded data set; its split `train` is trained on. Default: `bundled:mail`. */
  readonly data?: string | DataSet;
  /** How training is made private. Default: without privacy. */
  readonly privacy?: PrivacyOptions;
  /**
   * `head`, `pooler+classifier` (GPT-2: final norm and score), `all`, or parameter names with *; with an adapter also `lora` (the
   * adapter, the classifier, and what the checkpoint lacked), `lora+pooler` and `lora-only`. Default: `pooler+classifier`, with an
   * adapter `lora`.
   */
  readonly trainable?: string;
  /** Adds a LoRA adapter to the model and trains that: `{ rank: 8 }`. Default: none. */
  readonly lora?: FineTuneLora;
  /**
   * Share of the split train that is held out at random and not trained on, from 0 to 0.5, so that `attack('membership')` has
   * non-members of the same draw. Default: 0.1 if the data has neither validation nor test labels, otherwise 0.
   */
  readonly holdOut?: number;
  /** Passes over the training data. Default: 5. */
  readonly epochs?: number;
  /** Examples per step, on average for Poisson batches. Default: 128 with privacy, 32 without. */
  readonly batchSize?: number;
  /** Examples that run at once. It changes speed and memory, results only by rounding, and privacy not at all. */
  readonly microBatchSize?: number;
  /** The highest learning rate, which is reached at the end of the warm-up. Default: 1e-3. */
  readonly learningRate?: number;
  /** How the rate goes on after the warm-up: `linear` or `cosine` (half a cosine) fall to 0, `constant` stays. Default: `linear`. */
  readonly schedule?: ScheduleName;
  /** Share of the steps over which the rate rises to its highest value, from 0 to 1. Default: 0.05. */
  readonly warmup?: number;
  /** `adamw` or `sgd` (with momentum 0.9). Default: `adamw`. */
  readonly optimizer?: 'adamw' | 'sgd';
  /**
   * Dropout in training, never in scores: the probability of dropping an element, from 0 to below 1, or `config` for those of the model's
   * config.json. It acts on what depends on trainable parameters, and on what the classifier reads. Default: 0.
   */
  readonly dropout?: DropoutChoice;
  /** Drops in the frozen part, too, whose features are then not cached: slower. Needs `dropout`. Default: false. */
  readonly dropoutFrozen?: boolean;
  /** Texts are cut to this many tokens. Default: 128. */
  readonly maxTokens?: number;
  /** Seeds what is held out, the order of shuffled batches, dropout and a new classifier, never the noise. Default: 1. */
  readonly seed?: number;
  /** Replaces the classifier of the checkpoint by a new one. Default: false. */
  readonly newHead?: boolean;
  /** Folder for ledger, checkpoint, metrics and the trained model, so that the run can be resumed. Default: nothing is written. */
  readonly folder?: string;
  /** Resumes the interrupted run in `folder`; the options must be those it was started with. Default: false. */
  readonly resume?: boolean;
  /** Steps between two checkpoints. Default: every step with privacy, every epoch without. */
  readonly checkpointEvery?: number;
  /** Writes norm and cosines of every release to `metrics.jsonl` in the folder. These figures are not private. Default: false. */
  readonly diagnostics?: boolean;
  readonly onProgress?: (progress: FineTuneProgress) => void;
  /** Stops after the step under way; the call then rejects with the signal's reason, and `folder` can be resumed. */
  readonly signal?: AbortSignal;
}

/** What a run is doing: reading, finding the noise for ε, computing features of the frozen part, or training. */
export type FineTuneProgress = { readonly stage: 'data' | 'model' | 'plan' } | TrainProgress;

/** A finished run: the trained model, and what is promised about it. */
export interface FineTuneRun {
  /** The trained model: `classify`, `save`. */
  readonly model: LanguageModel;
  /** The guarantee, the sentences that state it, and what was counted. */
  readonly privacy: PrivacyResult;
  /** Whether the model may be called private: ε is finite and a bound, and no seed can repeat the noise. */
  readonly private: boolean;
  /** Sampler, clipping, noise and accountant, as they were used. */
  readonly plan: Plan;
  /** Loss, accuracy, Matthews correlation and macro F1 per split. Those of `train` are not private. */
  readonly scores: { readonly train: Scores; readonly validation?: Scores; readonly test?: Scores };
  /** Accuracy on the split train minus accuracy on test (on validation if there is no test split). */
  readonly trainTestGap?: number;
  /** The rates of dropout in training and whether the frozen part had it; absent without dropout. */
  readonly dropout?: { readonly rates: DropoutRates; readonly frozen: boolean };
  /** The LoRA adapter of the trained model; absent if it has none, or if it was merged. */
  readonly adapter?: { readonly rank: number; readonly alpha: number; readonly layers: readonly string[] };
  readonly trainable: {
    readonly selection: string;
    readonly names: readonly string[];
    /** How many numbers they hold. */
    readonly parameters: number;
  };
  /** Parameters that the checkpoint lacked, so that they started at random. */
  readonly newlyInitialized: readonly string[];
  /** What was held out of the split train before training. */
  readonly holdOut: HoldOutRecord;
  /** Rows used and left out, texts that were cut, repeated texts, classes with hardly a row. These counts are not private. */
  readonly dataNotes: DataNotes;
  readonly steps: number;
  /** False only if the run was stopped. */
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
  'lora',
  'holdOut',
  'epochs',
  'batchSize',
  'microBatchSize',
  'learningRate',
  'schedule',
  'warmup',
  'optimizer',
  'dropout',
  'dropoutFrozen',
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
