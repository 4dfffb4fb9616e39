// An attack is a descriptor. The command `epsilens attack NAME`, the key in studies, help, JSON, the report's section and the table in
// docs/attacks.md all follow from it. A new attack is one folder with a descriptor and one line in registry.ts.

import type { OptionSchema, OptionValues } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import type { RandomSource, SeededSource } from '../random/index.js';
import type { Arrays } from '../training/index.js';
import type { ClientLossName } from './client-loss.js';
import type { AttackedModel } from './model.js';
import type { GradientView, LossView, Recovery } from './view.js';

/** The measure by which curves, verdicts and comparisons judge an attack. */
export interface Measure {
  /** Its key among the measures of a result. */
  readonly key: string;
  /** Its name for people, such as “LCS ratio”. */
  readonly name: string;
  /** What its values mean, in a few words. */
  readonly scale: string;
  /** The range that a chart shows at least. */
  readonly range: readonly [number, number];
  /** The score of guessing, where it is known; otherwise the floor is measured on unrelated sentences. */
  readonly chance?: number;
}

/** What help, report and docs say about an attack. */
export interface AttackWords {
  /** Its name in tables and sentences. */
  readonly label: string;
  /** What it does, for `epsilens attack --help`. */
  readonly help: string;
  /** Who attacks and what they see, for the report. */
  readonly definition: string;
  /** The publication it follows. */
  readonly reference: string;
}

/** What all attacks carry. */
interface AttackBase<Schema extends OptionSchema> {
  /** Its name on the command line and in studies. */
  readonly name: string;
  readonly words: AttackWords;
  /** Its options as data: flags, study keys, defaults and checks follow. */
  readonly options: Schema;
  readonly measure: Measure;
}

/** What a gradient attack knows before it sees any gradient. */
export interface AttackSetting<Schema extends OptionSchema = OptionSchema> {
  readonly model: AttackedModel;
  readonly options: OptionValues<Schema>;
  /** Sentences whose gradients are shared as one sum. */
  readonly batchSize: number;
  /** The most tokens that a sentence may have. */
  readonly longest: number;
}

/** An attack that reads text from the gradients that a client shares. */
export interface GradientAttack<Schema extends OptionSchema = OptionSchema> extends AttackBase<Schema> {
  readonly sees: 'gradient';
  readonly goal: 'reconstruction';
  /** `curious` servers only look at gradients; `malicious` ones first send parameters of their own making. */
  readonly server: 'curious' | 'malicious';
  /** Default number of sentences per batch. */
  readonly batchSize: number;
  /** The most sentences whose sum it can read. Default: any number. */
  readonly largestBatch?: number;
  /** Which gradients a client shares by default: only those that the attack reads, or all. */
  readonly shares: 'read' | 'all';
  /** The losses whose gradients it can read; the first is the default. */
  readonly losses: (setting: Pick<AttackSetting<Schema>, 'model' | 'options'>) => readonly ClientLossName[];
  /**
   * `probability` if the confidence of a token is the probability that it is right. Such an attack offers a `judge` when it is open.
   * Absent: confidence is on a scale of the attack's own.
   */
  readonly confidence?: 'probability';
  /** Whether the client keeps the lengths of its sentences secret. Default: false. */
  readonly hidesLengths?: (options: OptionValues<Schema>) => boolean;
  /** Throws an ArgumentError if this model, these options or these shared gradients do not allow the attack. */
  readonly check: (
    setting: Pick<AttackSetting<Schema>, 'model' | 'options' | 'batchSize'>,
    shared: readonly string[] | undefined,
  ) => void;
  /** Prepares what can be reused for every gradient of this model. */
  readonly open: (
    setting: AttackSetting<Schema> & {
      readonly loss: ClientLossName;
      /** Names of the parameters whose gradients are shared; if absent, those that the attack says it reads. */
      readonly shared?: readonly string[];
      readonly random: SeededSource;
    },
  ) => Promise<OpenGradientAttack>;
}

/** A gradient attack that is ready to run; close it when done. */
export interface OpenGradientAttack {
  /** Names of the parameters whose gradients it reads. */
  readonly reads: readonly string[];
  /** What a malicious server sends in place of the model's own parameters. */
  readonly parameters?: Arrays;
  /** Recovers text from one shared gradient, whose arrays may be used again afterwards: copy what you keep. */
  readonly run: (view: GradientView) => Promise<Recovery>;
  /** What the attack maximises, if it maximises a likelihood: tells how near an answer is to the best that anybody could give. */
  readonly judge?: Judge;
  /** What the attacker prepared, as lines for people and as data for JSON. */
  readonly about?: { readonly lines: readonly string[]; readonly data: Readonly<Record<string, unknown>> };
  readonly close: () => Promise<void>;
}

/** The objective of an attack that looks for the likeliest sentence. */
export interface Judge {
  /** The nats of whole sentences, special tokens included, given one shared gradient. */
  readonly nats: (view: GradientView, sentences: readonly (readonly number[])[]) => Promise<readonly SentenceNats[]>;
  /** Log-probability of each token of the vocabulary where nothing else is known; −∞ for those that no text contains. */
  readonly unigram: Float64Array;
}

/** What speaks for a sentence, in nats. Their sum is what the attack maximises. */
export interface SentenceNats {
  /** Log-likelihood of the shared gradient, against pure noise. */
  readonly likelihood: number;
  /** Log-probability of the text before the gradient is seen, without the special tokens around every text. */
  readonly prior: number;
}

/** What attacks on membership share. */
interface MembershipBase<Schema extends OptionSchema> extends AttackBase<Schema> {
  readonly goal: 'membership';
  /** One score per example; a higher score means that it is more likely a member. */
  readonly run: (view: LossView, options: OptionValues<Schema>, random: RandomSource) => ArrayLike<number>;
  /** The score from which the attack itself says “member”. Default: it only ranks. */
  readonly decision?: (options: OptionValues<Schema>) => number;
}

/** An attack that infers from the losses of a trained model which examples were in its training data. */
export interface LossAttack<Schema extends OptionSchema = OptionSchema> extends MembershipBase<Schema> {
  readonly sees: 'losses';
}

/** An attack that compares a trained model with other models, of the attacker's own, to infer which examples were in its training data. */
export interface WorldAttack<Schema extends OptionSchema = OptionSchema> extends MembershipBase<Schema> {
  readonly sees: 'models';
  /** Which models it compares the target with. */
  readonly references: (options: OptionValues<Schema>) => ReferenceNeed;
  /** What it sees of the target besides predictions: its parameters and, with `steps`, every release of its training. Default: nothing. */
  readonly insight?: (options: OptionValues<Schema>) => InsightNeed;
  /** Texts that it asks the target about, for each candidate, as token ids of the target; the losses are in the view. Default: the candidates only. */
  readonly queries?: (setting: QuerySetting<Schema>) => Promise<readonly (readonly (readonly number[])[])[]>;
}

/** What an attacker needs to see of a model besides its predictions. */
export interface InsightNeed {
  /** How many of the steps of training are looked at, evenly spread; 0 if only the trained model is. */
  readonly steps: number;
  /** Whether the attacker's own models are trained with the noise of the target, because what they show depends on it. Default: false. */
  readonly likeTarget?: boolean;
}

/** What an attacker knows who chooses questions: the candidates as the target reads them, but not which are members. */
export interface QuerySetting<Schema extends OptionSchema = OptionSchema> {
  readonly tokenizer: Tokenizer;
  readonly inputIds: readonly (readonly number[])[];
  /** The most tokens that the target reads. */
  readonly maxTokens: number;
  readonly options: OptionValues<Schema>;
  readonly random: SeededSource;
  readonly onProgress?: (done: number, all: number) => void;
  readonly signal?: AbortSignal;
}

/** Any attack on membership. */
export type MembershipAttack<Schema extends OptionSchema = OptionSchema> = LossAttack<Schema> | WorldAttack<Schema>;

/**
 * The reference models that an attack needs: none; any whose own members and others are known (`own`); models that were not trained on
 * the candidate (`outside`); or, for each candidate, some that were and some that were not (`both`).
 */
export type ReferenceNeed = 'none' | 'own' | 'outside' | 'both';

/** Any attack. `sees` tells the kinds apart. */
export type Attack<Schema extends OptionSchema = OptionSchema> = GradientAttack<Schema> | MembershipAttack<Schema>;
