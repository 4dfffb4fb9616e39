// What a study is: a model, data, which parameters are trained and which are shared, noise, attacks, seeds. Every value is
// there; what a file leaves out is filled in when it is read.

import type { DataFormat } from '../../data/index.js';
import type { StudyNoise } from '../../mechanisms/index.js';

export interface Study {
  readonly name: string;
  readonly description: string;
  /** A folder, or bundled:NAME, or `needs: …` where it must be given when the study is run. */
  readonly model: string;
  readonly data: StudyData;
  readonly training: StudyTraining;
  readonly sharing: StudySharing;
  /** Either amounts of noise, or what is to be reached with them. */
  readonly mechanisms: StudyNoise;
  readonly attacks: StudyAttacks;
  /** One training run for each. */
  readonly seeds: readonly number[];
}

export interface StudyData {
  /** A folder or file, or bundled:NAME, or `needs: …`. */
  readonly source: string;
  /** Parts as the paper on calibration makes them; as they are unless given. */
  readonly split?: 'calibration-paper';
  /** Texts are cut to this many tokens for training. */
  readonly maxTokens: number;
  /** At most so many examples of each part, drawn once. */
  readonly limit?: number;
  readonly format?: DataFormat;
  readonly textColumn?: string | number;
  readonly labelColumn?: string | number;
}

export interface StudyTraining {
  /** Which parameters are trained: head, pooler+classifier, all, or names with *. */
  readonly trainable: string;
  /** Draw the classifier anew for each seed even where the model has one. */
  readonly newHead: boolean;
  readonly epochs: number;
  readonly batchSize: number;
  readonly learningRate: number;
  readonly clipNorm: number;
  /** examples^−1.1 unless given. */
  readonly delta?: number;
}

/** What a client sends to a curious or malicious server: gradients of one sentence or a few, with the noise of the level. */
export interface StudySharing {
  /** Which parameters' gradients are sent. */
  readonly parameters: string;
  /** Whether all of them are one vector when they are bounded, or each tensor is. */
  readonly scope: 'joint' | 'tensor';
  readonly clipNorm: number;
}

/** By the name of the attack. */
export type StudyAttacks = Readonly<Record<string, AttackSettings>>;

/** How an attack is made: the options of its descriptor, and for attacks on gradients the sentences of the clients. */
export interface AttackSettings {
  /** Sentences that are attacked, in all. */
  readonly count?: number;
  /** Sentences whose gradients are shared as one sum. */
  readonly batchSize?: number;
  /** Sentences are cut to this many tokens. */
  readonly maxTokens?: number;
  /** What the client trains; the attack's usual loss unless given. */
  readonly loss?: string;
  readonly [option: string]: unknown;
}
