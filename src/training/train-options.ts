// What a training run is given and what it tells.

import type { Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { Guarantee } from '../privacy/index.js';
import type { Configuration } from './checkpoint.js';
import type { LabelledExamples } from './classifier.js';
import type { ReleaseDiagnostics } from './diagnostics.js';
import type { Arrays, Optimizer } from './optimizers.js';
import type { Scores } from './scores.js';

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
  /** Seeds the order of shuffled batches; it need not be secret. */
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
      /** The mean loss of the last batch that was not empty. */
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
