// A study: a model, data, which parameters are trainable and which are shared, noise, attacks, seeds. Every value is present; reading a
// file fills in what it leaves out.

import type { SituationName } from '../../attacks/index.js';
import type { LoadOptions } from '../../data/index.js';
import type { NoisyMechanism, StudyMechanisms } from '../../mechanisms/index.js';
import type { DropoutChoice, LoraOptions } from '../../models/index.js';
import type { ScheduleName } from '../../training/index.js';

/** What is trained and attacked, at which noise levels. `studyFromYaml` checks it and fills in defaults. */
export interface Study {
  /** Letters, digits, dots and dashes; names files in the study's folder. */
  readonly name: string;
  readonly description: string;
  /** A folder, `bundled:NAME`, or `needs: …` where the model must be given when the study is run. */
  readonly model: string;
  readonly data: StudyData;
  readonly training: StudyTraining;
  /** The training that the study stands for. Absent: the study's own. Its settings replace those of `training`. */
  readonly plan?: StudyPlan;
  /** A model trained without noise but with dropout, beside those of the study. Absent: none. */
  readonly control?: StudyControl;
  readonly sharing: StudySharing;
  /** For each mechanism its noise levels, or the ε or cosines that they are to reach, and its options for all levels. */
  readonly mechanisms: StudyMechanisms;
  readonly attacks: StudyAttacks;
  /** Who is taken to see what: only attacks that are possible in these situations are run. Absent: all. */
  readonly situations?: readonly SituationName[];
  /** One training run per noise level and seed. */
  readonly seeds: readonly number[];
}

/** The data of a study, with the options of `loadDataSet` by which they are read. */
export interface StudyData extends LoadOptions {
  /** A folder or file, `bundled:NAME`, or `needs: …`. */
  readonly source: string;
  /** Splits as in the paper on calibration. Default: those of the data set. */
  readonly split?: 'calibration-paper';
  /** Texts are cut to this many tokens for training. Default: 64. */
  readonly maxTokens: number;
  /** At most this many examples per split, drawn once. */
  readonly limit?: number;
}

/** How the models of a study are trained. */
export interface StudyTraining {
  /** Which parameters are trainable: head, pooler+classifier (the default), all, or names with *; with an adapter lora (its default). */
  readonly trainable: string;
  /** The LoRA adapter that is added to the model, for training and for the gradients that are shared. Absent: none. */
  readonly lora?: LoraOptions;
  /** Initialise a new classifier for each seed even if the model has one. */
  readonly newHead: boolean;
  readonly epochs: Tunable;
  readonly batchSize: number;
  /** The highest learning rate of the schedule. */
  readonly learningRate: Tunable;
  /** How the learning rate changes after the warm-up: it falls linearly to 0 (the default), falls as a half cosine, or is constant. */
  readonly schedule: ScheduleName;
  /** Share of the steps over which the learning rate rises to its highest. Default: .05. */
  readonly warmup: number;
  /**
   * Dropout in training: one probability, or `config` for those of the model's config.json. It acts on what depends on trainable
   * parameters, and on what the classifier reads. Absent: none.
   */
  readonly dropout?: DropoutChoice;
  /** How values are tried; present exactly if some setting is tuned. */
  readonly tuning?: StudyTuning;
  /** Clip norm of per-example gradients, for mechanisms that clip. */
  readonly clipNorm: number;
  /** δ of the guarantee. Default: examples^−1.1. */
  readonly delta?: number;
}

/**
 * A training that is planned or was done elsewhere, which a study stands for: its sizes, and what else is known of it. Beside the keys
 * below it may have options of its mechanism's plan, such as `accountant` and `sampler`.
 */
export interface StudyPlan {
  /** How many examples are trained on. */
  readonly examples: number;
  readonly batchSize: number;
  readonly epochs: number;
  /** δ of the guarantee. Default: that of the study, or examples^−1.1. */
  readonly delta?: number;
  readonly clipNorm?: number;
  readonly trainable?: string;
  readonly learningRate?: number;
  readonly schedule?: ScheduleName;
  readonly warmup?: number;
  /** Texts are cut to this many tokens. */
  readonly maxTokens?: number;
  /** One of the study's mechanisms. */
  readonly mechanism?: NoisyMechanism;
  /** The noise, in one of the ways that the mechanism has: it becomes a level of the study. */
  readonly epsilon?: number;
  readonly noise?: number;
  readonly concentration?: number;
  readonly [option: string]: string | number | boolean | undefined;
}

/**
 * A control for private models that do better than the one without noise: is it the noise that regularises? It trains one more model
 * without noise, with this dropout in place of the study's.
 */
export interface StudyControl {
  /** One probability, or `config`. */
  readonly dropout: DropoutChoice;
}

/** A setting of training: a number, or numbers of which each mechanism and level gets the one that is best on validation data. */
export type Tunable = number | { readonly tune: readonly number[] };

/** How tuned settings are chosen. */
export interface StudyTuning {
  /** With how many of the study's seeds each value is tried. Default: all. */
  readonly seeds?: number;
  /** At how many levels per mechanism values are tried; the other levels take the choice of the nearest one. Default: all. */
  readonly levels?: number;
  /** Whether the ε of a level counts all runs that were tried, not only the one that is kept. Default: false. */
  readonly accounted: boolean;
}

/** What a client shares with a curious or malicious server: gradients of one sentence or a batch, with the noise of the level. */
export interface StudySharing {
  /** Which parameters' gradients are shared. Default: all. */
  readonly parameters: string;
  /** Whether all shared tensors are protected as one vector (`joint`), or each by itself (`tensor`). */
  readonly scope: 'joint' | 'tensor';
  readonly clipNorm: number;
  /** In how many rounds a client shares a gradient of the same text: its guarantee is composed over them. Default: 1. */
  readonly rounds?: number;
}

/** The attacks of a study, by name. */
export type StudyAttacks = Readonly<Record<string, AttackSettings>>;

/** Settings of an attack: the options of its descriptor and, for attacks on gradients, those of the client's sentences. */
export interface AttackSettings {
  /** Number of attacked sentences in total. */
  readonly count?: number;
  /** Sentences whose gradients are shared as one sum. */
  readonly batchSize?: number;
  /** Sentences are cut to this many tokens. */
  readonly maxTokens?: number;
  /** The loss that the client trains on. Default: that of the attack. */
  readonly loss?: string;
  /** Places per sentence at which a genie must tell the true token from others; only for attacks that have a likelihood. Default: none. */
  readonly genie?: number;
  readonly [option: string]: unknown;
}

/** A study as it is written: what is left out is filled in with the defaults of docs/calibration.md. */
export interface StudyDescription extends Partial<Omit<Study, 'name' | 'data' | 'training' | 'sharing'>> {
  readonly name: string;
  readonly data?: Partial<StudyData>;
  readonly training?: Partial<Omit<StudyTraining, 'tuning'>> & { readonly tuning?: Partial<StudyTuning> };
  readonly sharing?: Partial<StudySharing>;
}
