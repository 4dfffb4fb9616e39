// What an attack is given and what it gives back.

import type {
  AttackFor,
  AttackName,
  EvaluationProgress,
  MembershipResult,
  ReconstructionResult,
} from '../attacks/index.js';
import type { OptionValues } from '../checks/index.js';
import type { DataSet, SplitName } from '../data/index.js';
import type { Protection, ProtectorName } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';

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

/** Options of attacks that read text from shared gradients; those of the attack itself come on top. */
export interface GradientAttackOptions {
  /** A folder in the Hugging Face layout, `bundled:NAME`, `relu` or a loaded model. `bundled:bert-mini` unless given. */
  readonly model?: string | Model;
  /** The client's sentences. Give these or `data`. */
  readonly texts?: readonly string[];
  /** A data set to draw the client's sentences from. */
  readonly data?: string | DataSet;
  /** With `data`: the split to draw from, `train` unless given. */
  readonly split?: SplitName;
  /** With `data`: how many sentences are drawn; one batch, or 10 single sentences, unless given. */
  readonly count?: number;
  /** Sentences are cut to this many tokens: 64 unless given. */
  readonly maxTokens?: number;
  /** Sentences whose gradients are shared as one sum; each attack has its own default. */
  readonly batchSize?: number;
  /** What the client trains: `class`, `next`, `all` or `masked`; each attack has its own default. */
  readonly loss?: string;
  /** Which gradients are shared: `read` (those that the attack reads), `all`, or a selection of parameters. */
  readonly shared?: string;
  /** What the client does to its gradient; nothing unless given. */
  readonly mechanism?: SharingMechanism;
  /** Seeds the sample, the noise and what a server draws: 1 unless given. */
  readonly seed?: number;
  /** Whether the cosine of sentence vectors is among the scores, which loads an encoder: true unless given. */
  readonly similarity?: boolean;
  /** Processes at a time, with one core each: 1 unless given. */
  readonly jobs?: number;
  /** Keeps results there batch by batch, and resumes from them. They hold private text. */
  readonly folder?: string;
  readonly onProgress?: (progress: EvaluationProgress) => void;
  /** Stops after the batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of attacks that tell from a trained model who was in its training data. */
export interface MembershipAttackOptions {
  /** A trained classifier: a folder in the Hugging Face layout, or a loaded or fine-tuned model. */
  readonly model: string | Model;
  /** The data it was trained on; its split `train` holds the members. */
  readonly data: string | DataSet;
  /** The split that was not trained on: `test` unless given. */
  readonly others?: 'test' | 'validation';
  /** Tokens to which texts were cut in training: 128 unless given. */
  readonly maxTokens?: number;
  /** Seeds the bootstrap intervals: 1 unless given. */
  readonly seed?: number;
  readonly onProgress?: (progress: MembershipProgress) => void;
  /** Stops after the batch under way; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How many losses of the members, then of the others, have been computed. */
export interface MembershipProgress {
  readonly group: 'members' | 'others';
  readonly done: number;
  readonly all: number;
}

/** The options of an attack by its name: those of its kind and its own. */
export type AttackOptions<Name extends AttackName> = (AttackFor<Name>['sees'] extends 'gradient'
  ? GradientAttackOptions
  : MembershipAttackOptions) &
  Partial<OptionValues<AttackFor<Name>['options']>>;

/** Recovered sentences beside the true ones, their scores, the floor, and how gradients were protected, in words. */
export interface TextRecovery extends ReconstructionResult {
  readonly protection: string;
}

/** How well members are told from others, and the model's accuracy on both. */
export interface MembershipReport extends MembershipResult {
  readonly attack: string;
  readonly model: string;
  readonly data: string;
  readonly accuracy: { readonly members: number; readonly others: number };
}

/** What an attack gives back, by its name. */
export type AttackResult<Name extends AttackName> = AttackFor<Name>['sees'] extends 'gradient'
  ? TextRecovery
  : MembershipReport;
