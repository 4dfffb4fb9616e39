// The options, reports and results of a training run.

import type { Plan } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { Guarantee } from '../privacy/index.js';
import type { Configuration } from './checkpoint.js';
import type { LabelledExamples } from './classifier.js';
import type { ReleaseDiagnostics } from './diagnostics.js';
import type { DropoutSettings } from './dropout.js';
import type { Arrays, Optimizer } from './optimizers.js';
import type { Scores } from './scores.js';

/** Model, data, optimizer and plan of a training run, and where it reports. */
export interface TrainOptions {
  readonly model: Model;
  /** Names of the trainable parameters (see `selectParameters`). */
  readonly trainable: readonly string[];
  /** Encoded splits (see `encodeDataSet`). Only train is trained on; all are scored. */
  readonly data: {
    readonly train: LabelledExamples;
    readonly validation?: LabelledExamples;
    readonly test?: LabelledExamples;
  };
  readonly optimizer: Optimizer;
  /** From `makePlan`, for as many examples as train has. */
  readonly plan: Plan;
  /** Seeds the order of shuffled batches and the masks of dropout, which need not be secret. */
  readonly seed: number | string;
  /**
   * Seeds Poisson batches and noise, so that an experiment can be repeated; the guarantee is then void. Default: the operating
   * system's generator.
   */
  readonly insecureSeed?: number | string;
  /** Dropout in training; scores are always computed without. Default: none. */
  readonly dropout?: DropoutSettings;
  /** Where checkpoint and ledger are written. Default: nowhere, and the run cannot be resumed. */
  readonly run?: RunFolder;
  /** Called while features are computed and after every step, once the step is saved. Its losses are not private. */
  readonly onProgress?: (progress: TrainProgress) => void;
  /**
   * Writes a step or an epoch down, before its checkpoint is saved: what it writes is never behind the checkpoint. A step that a
   * crash undid is repeated and comes again. Its figures are not private.
   */
  readonly record?: (report: PrivateStepReport | EpochReport) => void | Promise<void>;
  /** Called with what a step releases, before the parameters change. Later steps overwrite the arrays: copy what you keep. */
  readonly onRelease?: (release: StepRelease) => void | Promise<void>;
  /** Called after every step, once it is recorded and, if a checkpoint is due, saved. Its figures are not private. */
  readonly onStep?: (report: PrivateStepReport) => void | Promise<void>;
  /** Called after every epoch, likewise, with the scores on validation. */
  readonly onEpoch?: (report: EpochReport) => void | Promise<void>;
  /** Compares every release, or that of every so many steps, with what it would be without noise; costs up to two more passes for such a step. Default: false. */
  readonly diagnose?: boolean | { readonly every: number };
  /** Stops after the current step; the result then has `finished` false. */
  readonly signal?: AbortSignal;
  /** Most examples that run at once. Default: 512 on cached features; on tokens, as many as make 1,024 tokens. */
  readonly microBatchSize?: number;
}

/** What somebody sees who watches training: the release of a step, and the parameters at which it was computed. */
export interface StepRelease {
  /** From 0. */
  readonly step: number;
  readonly parameters: Arrays;
  /** The released sum, divided by `divisor`. */
  readonly gradients: Arrays;
  readonly divisor: number;
}

/** The folder of a run: `checkpoint.safetensors`, and `ledger.jsonl` if the plan is private. */
export interface RunFolder {
  readonly folder: string;
  /** Continues the run in this folder if there is one. If false, an existing ledger is an error. */
  readonly resume: boolean;
  /** Whatever else decides what the run computes, such as model and learning rate; resuming with another one is refused. */
  readonly configuration: Configuration;
  /** Steps, or seconds of work, between two checkpoints. Default: 1 step for private runs, one epoch for others. */
  readonly checkpointEvery?: number | { readonly seconds: number };
  /**
   * `false` keeps no ledger. Only with `insecureSeed`: there is then no guarantee that a ledger could keep, repeated steps have the
   * same noise, and an experiment is spared a write to disk per step.
   */
  readonly ledger?: false;
  /** Figures of the steps to add up. They are in every checkpoint, so a resumed run counts the steps before it too, each once. */
  readonly tally?: Tally;
}

/** Adds up figures over the steps of a run. */
export interface Tally {
  /** The totals so far. */
  readonly sums: Record<string, number>;
  /** Adds a step to them. */
  readonly add: (report: PrivateStepReport) => void;
}

/** How far a run has come: computing features of a split, or training. */
export type TrainProgress =
  | { readonly stage: 'features'; readonly part: string; readonly done: number; readonly all: number }
  | {
      readonly stage: 'training';
      /** Steps done. */
      readonly step: number;
      /** Steps in all. */
      readonly steps: number;
      /** Mean loss of the last batch that was not empty. */
      readonly loss: number;
      /** Examples processed by this process. */
      readonly examples: number;
      /** The guarantee so far, by the Rényi accountant if the plan's own is slow. Takes milliseconds. */
      readonly guarantee: () => Guarantee | undefined;
    };

/** One step. Its figures come from the data without noise. */
export interface PrivateStepReport {
  /** Steps done, this one included. */
  readonly step: number;
  /** Mean loss of the batch; absent if it was empty. */
  readonly loss?: number;
  /** Examples in the batch. */
  readonly members: number;
  /** Examples whose gradient was not finite and contributed nothing. */
  readonly nonFinite: number;
  /** Examples whose gradient was zero. */
  readonly zero: number;
  /** With `diagnose`, of the steps that it compares. */
  readonly diagnostics?: ReleaseDiagnostics;
}

/** One epoch. */
export interface EpochReport {
  /** Epochs done, this one included. */
  readonly epoch: number;
  /** Steps done. */
  readonly step: number;
  /** The guarantee so far, by the Rényi accountant if the plan's own is slow; absent without one. */
  readonly guarantee?: Guarantee;
  /** Absent if the data has no validation split. */
  readonly validation?: Scores;
}

/** A trained classifier with its scores and its privacy. */
export interface TrainResult {
  /** Trained numbers by parameter name, for `saveModel`. */
  readonly parameters: Arrays;
  /** False if `signal` stopped the run. */
  readonly finished: boolean;
  /** Steps done, those before resuming included. */
  readonly steps: number;
  /** Whether it ran on cached features of the frozen part. */
  readonly cached: boolean;
  /** Scores on each split. They are not private. */
  readonly train: Scores;
  readonly validation?: Scores;
  readonly test?: Scores;
  readonly privacy: PrivacyResult;
}

/** The privacy of a run: guarantee, statement and counts. */
export interface PrivacyResult {
  /** Whether the noise came from a seed: the guarantee is then what would hold with secret noise. */
  readonly insecure: boolean;
  /** Identity of a private run with a folder. Models with the same identity share one ledger, and their privacy costs add up. */
  readonly run?: string;
  /** Steps begun, those lost in a crash included. */
  readonly stepsCounted: number;
  /** ε and δ of the counted steps by the plan's accountant; absent if the plan has no guarantee. */
  readonly guarantee?: Guarantee;
  /** Sentences for whoever approves the release of the model. */
  readonly statement: readonly string[];
  /** Examples whose gradient was not finite and contributed nothing, over all steps of this process. Not private. */
  readonly nonFinite: number;
  /** Examples whose gradient was zero, likewise. */
  readonly zero: number;
}
