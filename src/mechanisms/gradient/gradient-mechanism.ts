// What a mechanism for gradients is: one object from which training, the protection of shared gradients, studies, the command
// line, JSON and reports follow. Nothing outside asks for a mechanism by its name.

import type { Option, OptionSchema } from '../../checks/index.js';
import type { RandomSource } from '../../random/index.js';
import type { BatchGradients, Clipping, GradientSums } from './batch-gradients.js';
import type { NotPromised, PlanBase, PlanSizes, Promised } from './plan.js';

/** How much noise: the one number that a study varies. */
export interface MechanismParameter {
  /** In plans, protections and JSON. */
  readonly key: string;
  /** On the command line and in studies, without dashes. */
  readonly flag: string;
  readonly symbol: string;
  /** The symbol in plain ASCII, for columns of tables in files. */
  readonly ascii: string;
  /** In words: what one of it is. */
  readonly unit: string;
  /** Which way noise grows with the parameter. */
  readonly moreNoise: 'higher' | 'lower';
}

export interface MechanismWords {
  readonly label: string;
  /** For table columns and legends. */
  readonly short: string;
  readonly definition: string;
}

/** `joint`: all shared tensors are one vector. `tensor`: each is bounded, and noised, by itself. */
export type Scope = 'joint' | 'tensor';

export interface ProtectedSum {
  readonly sum: Float32Array;
  /** Standard deviation of the noise on each number. */
  readonly deviation: number;
}

/** What a client may do to its gradients before it shares them. */
export interface Protector<Name extends string, Protection> {
  readonly name: Name;
  readonly words: MechanismWords;
  /** Absent where there is no noise. */
  readonly parameter?: MechanismParameter;
  /** Options without a default must be given. */
  readonly protectOptions: OptionSchema;
  /** The sum of some vectors that are bounded and noised together, one vector for each example. */
  protect(vectors: readonly Float32Array[], protection: Protection, random: RandomSource): ProtectedSum;
  /** In a few words, for tables. */
  describeProtection(protection: Protection): string;
  /** The protection of a study's level. */
  protectionAt(parameter: number, sharing: SharingSettings): Protection;
}

export interface SharingSettings {
  readonly scope: Scope;
  readonly clipNorm: number;
}

/** A mechanism that also trains. */
export interface GradientMechanism<
  Name extends string,
  Options extends { readonly mechanism: Name },
  Plan extends PlanBase<Name> & (Promised | NotPromised),
  Protection,
> extends Protector<Name, Protection> {
  readonly planOptions: OptionSchema;
  /** Exactly one of these options must be given; empty where none need be. */
  readonly planNeeds: readonly string[];
  /** Sampler, clipping, noise, event and guarantee made together, so that they cannot disagree. */
  plan(options: Options, sizes: PlanSizes): Plan;
  /** The options that give this plan, with the noise it has. */
  optionsOf(plan: Plan): Options;
  /** Throws where a plan was made for other trainable parameters. */
  checkParameters?(plan: Plan, names: readonly string[]): void;
  /** The noise in words, for the summary of a run. */
  describePlan(plan: Plan): string;
  /** What rounding does to the guarantee, as a sentence of the privacy statement. */
  readonly rounding?: string;
  /** What a step may show: the optimizer sees nothing else. The arrays of the batch are changed in place. */
  release<Sums extends GradientSums>(plan: Plan, batch: BatchGradients<Sums>, random: RandomSource): Promise<Sums>;
  /** The clipping whose sum the release is compared with in diagnostics; undefined is the plain sum. */
  boundedBy(plan: Plan): Clipping | undefined;
  /** The ways in which a study may say how much noise there is, by key; the parameter's own flag is one of them. */
  readonly grids: Readonly<Record<string, NoiseGrid>>;
  /** How a study's level trains. */
  planAt(parameter: number, training: TrainingSettings): Options;
  /** Expected length of all noise over the clip norm, on so many numbers bounded as so many vectors; absent where that says nothing. */
  noiseLength?(parameter: number, numbers: number, vectors: number): number;
}

/** One way of saying how much noise there is. */
export interface NoiseGrid {
  readonly option: Extract<Option, { readonly type: 'positive' }>;
  /** The parameter that reaches this value. */
  parameterFor(value: number, context: NoiseContext): number;
}

export interface TrainingSettings {
  readonly clipNorm: number;
  readonly delta?: number;
}

/** What may decide how much noise reaches a target. */
export interface NoiseContext {
  readonly sizes: PlanSizes;
  readonly training: TrainingSettings;
  /** K: how many numbers are shared. */
  readonly numbers: number;
  readonly scope: Scope;
}
