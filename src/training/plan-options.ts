// What a plan is described by, and what it holds.

import type { AccountantName, Guarantee, Neighbours, PrivacyEvent } from '../privacy/index.js';
import type { Clipping } from './per-example/index.js';

interface CommonOptions {
  /** How many examples there are. */
  readonly examples: number;
  readonly epochs: number;
  /** Examples in a batch; for Poisson batches, on average. */
  readonly batchSize: number;
}

export interface NonePlanOptions extends CommonOptions {
  readonly mechanism: 'none';
}

export interface GaussianPlanOptions extends CommonOptions {
  readonly mechanism: 'gaussian';
  /** Either the noise is found for this ε … */
  readonly epsilon?: number;
  /** … or given, as its standard deviation over the clip norm; 0 promises nothing. */
  readonly noiseMultiplier?: number;
  /** examples^−1.1 unless given. */
  readonly delta?: number;
  readonly clipNorm?: number;
  readonly clipping?: Clipping['kind'];
  readonly sampler?: 'poisson' | 'shuffled';
  readonly accountant?: AccountantName;
  /** Follow from the sampler; given only to be checked. */
  readonly neighbours?: Neighbours;
}

export interface DirectionPlanOptions extends CommonOptions {
  readonly mechanism: 'directional';
  /** κ. */
  readonly concentration: number;
  /** Groups of parameters with a direction each; one group of all unless given. */
  readonly parameterGroups?: readonly (readonly string[])[];
  readonly sampler?: 'poisson' | 'shuffled';
  readonly accountant?: AccountantName;
  readonly neighbours?: Neighbours;
}

export type PlanOptions = NonePlanOptions | GaussianPlanOptions | DirectionPlanOptions;

export interface Plan {
  readonly mechanism: PlanOptions['mechanism'];
  readonly examples: number;
  readonly epochs: number;
  readonly batchSize: number;
  readonly stepsPerEpoch: number;
  readonly steps: number;
  readonly sampler: { readonly kind: 'poisson'; readonly sampleRate: number } | { readonly kind: 'shuffled' };
  readonly clipping?: Clipping;
  /** Normal noise: its standard deviation over the clip norm. */
  readonly noiseMultiplier?: number;
  /** Directional noise: κ. */
  readonly concentration?: number;
  readonly parameterGroups?: readonly (readonly string[])[];
  /** What an example goes through when its batch is used; absent where nothing is promised. */
  readonly event?: PrivacyEvent;
  readonly neighbours?: Neighbours;
  readonly accountant?: AccountantName;
  readonly delta?: number;
  /** For all steps. */
  readonly guarantee?: Guarantee;
  readonly notes: readonly string[];
}
