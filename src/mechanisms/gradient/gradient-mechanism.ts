// The interface of mechanisms for gradients: one object from which training, the protection of shared gradients, studies, the
// command line, JSON and reports follow. No code outside branches on the name of a mechanism.

import type { Option, OptionSchema } from '../../checks/index.js';
import type { AccountantName, PrivacyEvent } from '../../privacy/index.js';
import type { RandomSource } from '../../random/index.js';
import type { BatchGradients, Clipping, GradientSums } from './batch-gradients.js';
import type { NotPromised, PlanBase, PlanSizes, Promised } from './plan.js';

/** The parameter that sets the noise: the one number that a study varies. */
export interface MechanismParameter {
  /** Its key in plans, protections and JSON. */
  readonly key: string;
  /** Its flag on the command line and its key in studies, without dashes. */
  readonly flag: string;
  readonly symbol: string;
  /** The symbol in plain ASCII, for columns of CSV files. */
  readonly ascii: string;
  /** What one unit of the parameter is, in words. */
  readonly unit: string;
  /** Whether a higher or a lower parameter means more noise. */
  readonly moreNoise: 'higher' | 'lower';
}

/** How a mechanism is called and explained to readers. */
export interface MechanismWords {
  readonly label: string;
  /** For table columns and legends. */
  readonly short: string;
  readonly definition: string;
}

/** What is bounded and noised together: `joint` is all shared tensors as one vector, `tensor` each tensor by itself. */
export type Scope = 'joint' | 'tensor';

/** What a protocol makes public about vectors that are bounded and noised together: enough to say how likely a gradient is behind them. */
export interface ReleaseLaw {
  /** Standard deviation of the noise on each number. */
  readonly deviation: number;
  /** The length to which gradients are clipped or scaled before the noise; absent if they keep their own. */
  readonly bound?: { readonly kind: 'clip' | 'normalise'; readonly norm: number };
  /** κ of directional noise; absent if the noise is normal. */
  readonly concentration?: number;
}

/** A sum after protection. */
export interface ProtectedSum extends ReleaseLaw {
  readonly sum: Float32Array;
}

/** A way to protect gradients before a client shares them. */
export interface Protector<Name extends string, Protection> {
  readonly name: Name;
  readonly words: MechanismWords;
  /** Absent if there is no noise. */
  readonly parameter?: MechanismParameter;
  /** Options of the protection; those without a default are required. */
  readonly protectOptions: OptionSchema;
  /** The protected sum of vectors, one per example, that are bounded and noised together, in a new array or in `into`. */
  protect(
    vectors: readonly Float32Array[],
    protection: Protection,
    random: RandomSource,
    into?: Float32Array,
  ): ProtectedSum;
  /** In a few words, for tables. */
  describeProtection(protection: Protection): string;
  /**
   * What one protected sum releases about any one of its examples, if that example is replaced by another; undefined if nothing is promised. `vectors`
   * are bounded and noised on their own: one, or as many as there are tensors. Absent: nothing is promised.
   */
  eventOf?(protection: Protection, vectors: number): SharedEvent | undefined;
  /** The parameter of training whose noise on a sum equals that of so many gradients which are each protected with this one. Absent: the same. */
  parameterOfSum?(parameter: number, gradients: number): number;
  /** The protection at this parameter, as a study uses it. `options` are those that the study sets for the mechanism. */
  protectionAt(parameter: number, sharing: SharingSettings, options?: MechanismOptions): Protection;
}

/** The event of one shared gradient, with the accountant that composes such events without slack. */
interface SharedEvent {
  readonly event: PrivacyEvent;
  readonly accountant: AccountantName;
  /** Whether its ε holds with δ = 0. */
  readonly isPure: boolean;
}

/** Options of a mechanism's plan that a study sets for all of its levels, such as `accountant` (see `studyOptionsOf`). */
export type MechanismOptions = Readonly<Record<string, string | number | boolean>>;

/** How a study's client shares gradients. */
export interface SharingSettings {
  readonly scope: Scope;
  readonly clipNorm: number;
}

/** A mechanism that can also train a model. */
export interface GradientMechanism<
  Name extends string,
  Options extends { readonly mechanism: Name },
  Plan extends PlanBase<Name> & (Promised | NotPromised),
  Protection,
> extends Protector<Name, Protection> {
  /** The mechanism that this one becomes as its noise vanishes, with these options; its level is where the curves of a study begin. */
  withoutNoise?(options: MechanismOptions): string;
  /** Whether it only serves studies as a point of comparison, so that commands do not offer it for training. */
  readonly isControl?: true;
  readonly planOptions: OptionSchema;
  /** Exactly one of these options must be given; empty where none is required. */
  readonly planNeeds: readonly string[];
  /** Makes sampler, clipping, noise, event and guarantee together, so that they agree. */
  plan(options: Options, sizes: PlanSizes): Plan;
  /** The options that make this plan again, with its noise instead of a target ε. */
  optionsOf(plan: Plan): Options;
  /** Throws if a plan was made for other trainable parameters. */
  checkParameters?(plan: Plan, names: readonly string[]): void;
  /** The noise in words, for the summary of a run. */
  describePlan(plan: Plan): string;
  /** What rounding does to the guarantee, as a sentence of the privacy statement. */
  readonly rounding?: string;
  /** What one step releases: the optimizer sees nothing else. The arrays of the batch are changed in place. */
  release<Sums extends GradientSums>(plan: Plan, batch: BatchGradients<Sums>, random: RandomSource): Promise<Sums>;
  /** The clipping of the sum that diagnostics compare the release with; undefined for the plain sum. */
  boundedBy(plan: Plan): Clipping | undefined;
  /** Whether an example without a direction (its gradient is zero or not finite) is replaced by a uniformly random one: such draws are counted. */
  readonly drawsUniform?: true;
  /** The cosine that the noise leaves, on average, between a release and the sum of `boundedBy`; undefined where no formula is known. */
  expectedCosine?(plan: Plan, sum: NoiseFreeSum): number | undefined;
  /** The keys under which a study may give amounts of noise; the parameter's own flag is one of them. */
  readonly grids: Readonly<Record<string, NoiseGrid>>;
  /** The training options at this parameter, as a study uses them. `options` are those that the study sets for the mechanism. */
  planAt(parameter: number, training: TrainingSettings, options?: MechanismOptions): Options;
  /**
   * What the noise does to the sum of this many bounded gradients over a group of so many numbers, as the plan makes public (the number of gradients, where
   * batches are shuffled). Absent: nothing. The noise is described as if it were the same in all directions; that of directional draws is less
   * along the gradients themselves where κ is not small beside the number of numbers.
   */
  releaseNoise?(plan: Plan, sum: { readonly numbers: number; readonly members: number }): ReleaseNoise;
  /**
   * Variance of the noise on each number of a batch's sum over the squared factor by which the sum itself shrinks, in squared clip
   * norms. Absent if there is no formula.
   */
  noiseToSignal?(parameter: number, batch: { readonly numbers: number; readonly members: number }): number;
  /** Expected length of the noise over the clip norm, for this many numbers bounded as this many vectors; absent if it means nothing. */
  noiseLength?(parameter: number, numbers: number, vectors: number): number;
}

/** A released sum is, on average, the sum of bounded gradients times `shrink`, with noise of this standard deviation on each number. */
interface ReleaseNoise {
  readonly shrink: number;
  readonly deviation: number;
}

/** What the expected cosine of a release depends on, besides its plan. */
export interface NoiseFreeSum {
  /** Length of the sum of bounded gradients, in units of the clip norm. */
  readonly sumNorm: number;
  /** Examples in the batch. */
  readonly members: number;
  /** Those among them whose gradient has no direction. Default: 0. */
  readonly undirected?: number;
  /** K: how many numbers the sum has. */
  readonly numbers: number;
}

/** One way to give an amount of noise, such as σ, ε or a cosine. */
export interface NoiseGrid {
  readonly option: Extract<Option, { readonly type: 'positive' }>;
  /** The parameter that gives this value. */
  parameterFor(value: number, context: NoiseContext): number;
}

/** Settings of a study's training that decide its noise: the clip norm, and δ (default examples^-1.1). */
export interface TrainingSettings {
  readonly clipNorm: number;
  readonly delta?: number;
}

/** What the noise for a target may depend on. */
export interface NoiseContext {
  readonly sizes: PlanSizes;
  readonly training: TrainingSettings;
  readonly options?: MechanismOptions;
  /** K: how many numbers are shared. */
  readonly numbers: number;
  readonly scope: Scope;
}
