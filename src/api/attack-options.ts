// Options and results of attacks.

import type {
  AttackFor,
  AttackName,
  DrawControl,
  EvaluationProgress,
  Figure,
  KindTest,
  MembershipBound,
  MembershipResult,
  OthersFrom,
  ReconstructionResult,
  WorldProgress,
  WorldRecipe,
  WorldSplit,
} from '../attacks/index.js';
import type { OptionValues } from '../checks/index.js';
import type { DataSet, SplitName } from '../data/index.js';
import type { Protection, ProtectorName } from '../mechanisms/index.js';
import type { MeanWithInterval } from '../metrics/index.js';
import type { Model } from '../models/index.js';
import type { Guarantee } from '../privacy/index.js';
import type { ExposedMembers } from './exposed-members.js';
import type { PrivacyOptions } from './fine-tune-options.js';

type ProtectionFor<Name extends ProtectorName> = Extract<Protection, { readonly mechanism: Name }>;

/**
 * What a client does to its gradient before it shares it: `'none'`, or a mechanism by name with its options, such as
 * `{ name: 'gaussian', noiseMultiplier: 0.01 }` or `{ name: 'directional', concentration: 1e6 }`.
 */
export type SharingMechanism =
  | 'none'
  | {
      [Name in ProtectorName]: { readonly name: Name } & Partial<Omit<ProtectionFor<Name>, 'mechanism'>>;
    }[ProtectorName];

/** Options of all attacks that read text from shared gradients. Each attack adds its own. */
export interface GradientAttackOptions {
  /** A folder in the Hugging Face layout, `bundled:NAME`, `hf:owner/name`, `relu` or a loaded model. Default: `bundled:bert-mini`. */
  readonly model?: string | Model;
  /** The client's sentences. Give these or `data`. */
  readonly texts?: readonly string[];
  /** A data set to draw the client's sentences from. */
  readonly data?: string | DataSet;
  /** With `data`: the split to draw from. Default: `train`. */
  readonly split?: SplitName;
  /** With `data`: how many sentences to draw. Default: one batch, or 10 if the batch size is 1. */
  readonly count?: number;
  /** Sentences are cut to this many tokens. Default: 64. */
  readonly maxTokens?: number;
  /** Sentences whose gradients are shared as one sum; each attack has its own default. */
  readonly batchSize?: number;
  /** The loss that the client trains on: `class`, `next`, `all` or `masked`; each attack has its own default. */
  readonly loss?: string;
  /** Which gradients are shared: `read` (those that the attack reads), `all`, or a selection of parameters; each attack has its own default. */
  readonly shared?: string;
  /**
   * Places per sentence at which a genie that knows all other tokens must tell the true one from 15 others: an upper bound for every
   * attacker. Only for attacks that have a likelihood. Default: 0, no genie.
   */
  readonly genie?: number;
  /** How the client protects its gradient. Default: `none`. */
  readonly mechanism?: SharingMechanism;
  /** Seeds the sample of sentences, the noise, a malicious server and a new classifier. Default: 1. */
  readonly seed?: number;
  /** Whether to score the cosine of sentence vectors too, which loads an encoder. Default: true. */
  readonly similarity?: boolean;
  /** Number of processes, one core each. Default: 1. */
  readonly jobs?: number;
  /** Folder to which results are written batch by batch, and from which the attack resumes. They hold private text. */
  readonly folder?: string;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  /** Stops after the batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of attacks that infer from a trained model which examples were in its training data. */
export interface MembershipAttackOptions {
  /** A trained classifier: a folder in the Hugging Face layout, or a loaded or fine-tuned model. */
  readonly model: string | Model;
  /** The data it was trained on, the same examples: its split `train` holds the members. */
  readonly data: string | DataSet;
  /**
   * Where the non-members come from. Default: `held-out`, the examples that the run held out before training (see `holdOut` of
   * `fineTune`); if it held out none, or is not known, the split `test`, otherwise `validation`, with a warning.
   */
  readonly others?: OthersFrom;
  /** Texts are cut to this many tokens. Default: the value of training where it is known, otherwise 128. */
  readonly maxTokens?: number;
  /** How many of the most exposed members the report lists by their rows; `Infinity` lists all. Default: 20. */
  readonly records?: number;
  /** Seeds the bootstrap intervals and the test of kind. Default: 1. */
  readonly seed?: number;
  readonly onProgress?: (progress: MembershipProgress) => void;
  /** Stops after the batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of attacks that compare a target with other models. Target and others are trained here, on parts of one data set. */
export interface WorldAttackOptions {
  /** The model that training starts from: a folder in the Hugging Face layout, `bundled:NAME` or `hf:owner/name`. Default: `bundled:bert-mini`. */
  readonly model?: string;
  /** All labelled rows of all splits are used. Default: `bundled:mail`. */
  readonly data?: string | DataSet;
  /** How many models are trained beside the target. Default: 10. */
  readonly references?: number;
  /**
   * Which examples a model is trained on: `paper` (as many parts as two per model, no example in two of them) or `halves` (every example in half
   * of the models). Default: `halves` for attacks that need models trained on each candidate, otherwise `paper`.
   */
  readonly examples?: WorldSplit;
  /** How many of the models are attacked in turn, each with all others as references. Default: 1. */
  readonly targets?: number;
  /** Defaults of epochs, batch size and learning rate: `overfit` (60, 8, 1e-3), `paper` (30, 128, 3e-4) or `usual` (5, 32, 1e-3). Default: `overfit`. */
  readonly recipe?: WorldRecipe;
  /** As in `fineTune`. Default: `pooler+classifier`. */
  readonly trainable?: string;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly learningRate?: number;
  /** Texts are cut to this many tokens. Default: 128. */
  readonly maxTokens?: number;
  /** Whether to use equally many examples of each class. Default: false. */
  readonly balanced?: boolean;
  /** Use at most this many examples, drawn at random. Default: all. */
  readonly limit?: number;
  /** How the target is trained privately, as in `fineTune`; its noise comes from the seed. Default: without privacy. */
  readonly privacy?: PrivacyOptions;
  /** Whether the attacker's models are trained with the same noise. Default: false. */
  readonly privateReferences?: boolean;
  /** How many of the most exposed members the report lists by their rows; `Infinity` lists all. Default: 20. */
  readonly records?: number;
  /** Seeds who is trained on what, heads, order of batches, noise and bootstrap intervals. Default: 1. */
  readonly seed?: number;
  readonly onProgress?: (progress: WorldProgress) => void;
  /** Stops after the step under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How many losses have been computed: first those of the members, then those of the others. */
export interface MembershipProgress {
  readonly group: 'members' | 'others';
  readonly done: number;
  readonly all: number;
}

/** The options of an attack by its name: those of its kind and its own. */
export type AttackOptions<Name extends AttackName> = (AttackFor<Name>['sees'] extends 'gradient'
  ? GradientAttackOptions
  : AttackFor<Name>['sees'] extends 'losses'
    ? MembershipAttackOptions
    : WorldAttackOptions) &
  Partial<OptionValues<AttackFor<Name>['options']>>;

/** Recovered sentences beside the true ones, their scores and the floor. */
export interface TextRecovery extends ReconstructionResult {
  /** How the client protected its gradient, in words. */
  readonly protection: string;
}

/** How well the attack tells members from others, and the model's accuracy on both. */
export interface MembershipReport extends Omit<MembershipResult, 'tprAt1' | 'tprAt01' | 'floor'> {
  readonly attack: string;
  readonly model: string;
  readonly data: string;
  /** Where the non-members come from. */
  readonly othersFrom: OthersFrom;
  /** True-positive rate at a false-positive rate of 1 %; null with fewer than 100 non-members, which cannot show it. */
  readonly tprAt1: Figure | null;
  /** True-positive rate at a false-positive rate of 0.1 %; null with fewer than 1,000 non-members. */
  readonly tprAt01: Figure | null;
  /** The figures between two halves of the non-members: what chance gives. */
  readonly floor: { readonly auc: number; readonly advantage: number; readonly tprAt1: number | null };
  /** Whether members and non-members are of one kind; absent if they were held out at random, or are too few to test. */
  readonly kind?: KindTest;
  /** Sentences about the choice of non-members. */
  readonly warnings: readonly string[];
  /**
   * ε and δ that bound this attack; absent unless the model lies in a folder with a valid privacy.json, its non-members were held out by the run, and
   * examples have neither groups nor copies. One example takes the place of another here, which costs twice the ε of adding or removing one.
   */
  readonly bound?: MembershipBound;
  /** Who would be named at 1 % false alarms: private. */
  readonly records: ExposedMembers;
  /** One sentence: whether members can be told from others, as far as these figures show it. */
  readonly verdict: string;
  readonly accuracy: { readonly members: number; readonly others: number };
}

/** How well the attack tells members of the target from others, beside the models that were trained for it. */
export interface WorldReport extends Omit<MembershipResult, 'tprAt1' | 'tprAt01'> {
  readonly attack: string;
  readonly model: string;
  readonly data: string;
  readonly examples: WorldSplit;
  /** Models beside the target. */
  readonly references: number;
  readonly training: {
    readonly epochs: number;
    readonly batchSize: number;
    readonly learningRate: number;
    readonly trainable: string;
    /** That of the target. */
    readonly mechanism: string;
    readonly privateReferences: boolean;
  };
  /** As in `MembershipReport`. */
  readonly tprAt1: Figure | null;
  readonly tprAt01: Figure | null;
  readonly accuracy: { readonly members: number; readonly others: number };
  /** AUC of a threshold on the target's loss alone, without any other model. */
  readonly baseline: Figure;
  /** How many of the steps of training were read. Absent if the attack reads none. */
  readonly watched?: { readonly steps: number; readonly of: number };
  /** Where the attack reached a limit of its own, one sentence each. Absent if it did not. */
  readonly notes?: readonly string[];
  /** Its ROC curve. */
  readonly baselineRoc: MembershipResult['roc'];
  /** AUC of models that were trained on none of the candidates: what is due to who was drawn. Absent if there are no such models. */
  readonly control?: DrawControl;
  /** What the training of the target would guarantee if its noise were secret; absent without one. */
  readonly guarantee?: Guarantee;
  /** ε and δ of that guarantee as they bound this experiment: with `paper`, of replacing one example. Absent where they say nothing about it. */
  readonly bound?: MembershipBound;
  /** The most that any attack can reach at an FPR of 1 % under that guarantee; absent where the guarantee does not cover this experiment, as with groups. */
  readonly mostTprAt1?: number;
  /** AUC over the models that were attacked in turn, with Student's interval; absent for one. */
  readonly overTargets?: MeanWithInterval;
  /** Which members of the first target would be named at 1 % false alarms: private. */
  readonly records: ExposedMembers;
  /** How many models were trained, and found in the cache. */
  readonly models: { readonly trained: number; readonly found: number };
  readonly verdict: string;
}

/** Options of membership attacks on models that were trained elsewhere. */
export interface ScoresAttackOptions {
  /** A CSV, JSON or JSONL file with one row per model and example: see docs/attacks.md. */
  readonly scores: string;
  /** The model that is attacked. Default: the one named `target`, otherwise the first. */
  readonly target?: string;
  /** Seeds the bootstrap intervals. Default: 1. */
  readonly seed?: number;
}

/** The figures of one attack on a table of scores. */
export interface ScoresResult extends Omit<MembershipResult, 'tprAt1' | 'tprAt01'> {
  /** Its name, with the mode if it has some. */
  readonly attack: string;
  /** As in `MembershipReport`. */
  readonly tprAt1: Figure | null;
  readonly tprAt01: Figure | null;
  readonly verdict: string;
}

/** All attacks that a table of scores allows. */
export interface ScoresReport {
  readonly scores: string;
  readonly members: number;
  readonly others: number;
  /** Models beside the target. */
  readonly references: number;
  readonly results: readonly ScoresResult[];
  /** Attacks that need what the table does not have. */
  readonly skipped: readonly { readonly attack: string; readonly reason: string }[];
  /** That of the attack with the largest AUC, which is chosen on these examples. */
  readonly verdict: string;
}

/** The result of an attack, by its name. */
export type AttackResult<Name extends AttackName> = AttackFor<Name>['sees'] extends 'gradient'
  ? TextRecovery
  : AttackFor<Name>['sees'] extends 'losses'
    ? MembershipReport
    : WorldReport;
