// What an attack is: a descriptor. The command `epsilens attack NAME`, the key in studies, help, JSON, the report's section and the
// table in docs/attacks.md all follow from it. A new attack is one folder with a descriptor and one line in registry.ts.

import type { OptionSchema, OptionValues } from '../checks/index.js';
import type { RandomSource, SeededSource } from '../random/index.js';
import type { Arrays } from '../training/index.js';
import type { ClientLossName } from './client-loss.js';
import type { AttackedModel } from './model.js';
import type { GradientView, LossView, Recovery } from './view.js';

/** The figure that stands for an attack in curves, verdicts and comparisons. */
export interface Measure {
  /** Its key among the measures of a result. */
  readonly key: string;
  readonly name: string;
  /** What its ends mean, in words. */
  readonly scale: string;
  /** The least range that a chart of it shows. */
  readonly range: readonly [number, number];
  /** What guessing scores where that is known; otherwise the floor is measured on unrelated sentences. */
  readonly chance?: number;
}

export interface AttackWords {
  /** In tables and sentences. */
  readonly label: string;
  /** What it does, for `epsilens attack --help`. */
  readonly help: string;
  /** Who attacks and what they see, for the report. */
  readonly definition: string;
  readonly reference: string;
}

interface AttackBase<Schema extends OptionSchema> {
  readonly name: string;
  readonly words: AttackWords;
  readonly options: Schema;
  readonly measure: Measure;
}

/** What a gradient attack is told before any gradient comes in. */
export interface AttackSetting<Schema extends OptionSchema = OptionSchema> {
  readonly model: AttackedModel;
  readonly options: OptionValues<Schema>;
  /** Sentences whose gradients are shared as one sum. */
  readonly batchSize: number;
  /** Tokens of the longest sentence that may occur. */
  readonly longest: number;
}

/** Reads text from the gradients that a client shares. */
export interface GradientAttack<Schema extends OptionSchema = OptionSchema> extends AttackBase<Schema> {
  readonly sees: 'gradient';
  readonly goal: 'reconstruction';
  /** `malicious`: the server sends parameters of its own making before it looks at the gradients. */
  readonly server: 'curious' | 'malicious';
  /** Sentences per batch unless chosen. */
  readonly batchSize: number;
  /** Which gradients a client shares unless chosen: only those that the attack reads, or all. */
  readonly shares: 'read' | 'all';
  /** The losses whose gradients it can read, the usual one first. */
  readonly losses: (setting: Pick<AttackSetting<Schema>, 'model' | 'options'>) => readonly ClientLossName[];
  /** Whether the client keeps the lengths of its sentences to itself. */
  readonly hidesLengths?: (options: OptionValues<Schema>) => boolean;
  /** Throws an ArgumentError, one sentence, where this model, these options or these shared gradients do not allow the attack. */
  readonly check: (
    setting: Pick<AttackSetting<Schema>, 'model' | 'options' | 'batchSize'>,
    shared: readonly string[] | undefined,
  ) => void;
  /** Prepares what serves every gradient of this model. */
  readonly open: (
    setting: AttackSetting<Schema> & { readonly loss: ClientLossName; readonly random: SeededSource },
  ) => Promise<OpenGradientAttack>;
}

export interface OpenGradientAttack {
  /** The gradients that it reads. */
  readonly reads: readonly string[];
  /** What a malicious server sends in place of the model's own parameters. */
  readonly parameters?: Arrays;
  readonly run: (view: GradientView) => Promise<Recovery>;
  /** What the attacker prepared, in words for people and as data for JSON. */
  readonly about?: { readonly lines: readonly string[]; readonly data: Readonly<Record<string, unknown>> };
  readonly close: () => Promise<void>;
}

/** Tells from the losses of a trained model who was in its training data. */
export interface LossAttack<Schema extends OptionSchema = OptionSchema> extends AttackBase<Schema> {
  readonly sees: 'losses';
  readonly goal: 'membership';
  /** A score per example, larger for whoever seems to be a member. */
  readonly run: (view: LossView, options: OptionValues<Schema>, random: RandomSource) => ArrayLike<number>;
}

export type Attack<Schema extends OptionSchema = OptionSchema> = GradientAttack<Schema> | LossAttack<Schema>;
