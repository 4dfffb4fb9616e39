// What the plans of all mechanisms have in common: sizes, the sampler, and what is promised.

import { ArgumentError, check, positiveInteger } from '../../checks/index.js';
import type { AccountantName, Guarantee, Neighbours, PrivacyEvent } from '../../privacy/index.js';
import type { ParameterGroups } from './batch-gradients.js';

export interface PlanSizeOptions {
  /** How many examples there are. */
  readonly examples: number;
  readonly epochs: number;
  /** Examples in a batch; for Poisson batches, on average. */
  readonly batchSize: number;
  /** The trainable parameters by layer, for mechanisms that treat layers apart. */
  readonly layers?: ParameterGroups;
}

/** The sizes of a run with what follows from them. */
export interface PlanSizes extends Omit<PlanSizeOptions, 'layers'> {
  readonly stepsPerEpoch: number;
  readonly steps: number;
}

export function planSizes({ examples, epochs, batchSize }: PlanSizeOptions): PlanSizes {
  positiveInteger({ examples, epochs, batchSize });
  check({ batchSize }, `at most the ${examples} examples`, (size) => size <= examples);
  const stepsPerEpoch = Math.ceil(examples / batchSize);
  return { examples, epochs, batchSize, stepsPerEpoch, steps: epochs * stepsPerEpoch };
}

export type SamplerKind = 'poisson' | 'shuffled';
export type Sampler =
  | { readonly kind: 'poisson'; readonly sampleRate: number }
  /** Disjoint batches of an epoch. */
  | { readonly kind: 'shuffled' };

export interface PlanBase<Name extends string> extends PlanSizes {
  readonly mechanism: Name;
  readonly sampler: Sampler;
  readonly notes: readonly string[];
}

/** What a plan promises. */
export interface Promised {
  /** What an example goes through when its batch is used. */
  readonly event: PrivacyEvent;
  readonly neighbours: Neighbours;
  readonly accountant: AccountantName;
  readonly delta: number;
  /** For all steps. */
  readonly guarantee: Guarantee;
}

/** Nothing is promised: none of the keys is there. */
export type NotPromised = { readonly [Key in keyof Promised]?: never };

/** Poisson batches are compared with and without an example; disjoint batches of fixed size with another example in its place. */
export function expectNeighbours(sampler: SamplerKind, asked: Neighbours | undefined): Neighbours {
  const neighbours = sampler === 'poisson' ? 'add-or-remove-one' : 'replace-one';
  if (asked !== undefined && asked !== neighbours) {
    throw new ArgumentError(
      sampler === 'poisson'
        ? `invalid neighbours: Poisson batches are accounted for add-or-remove-one, got ${asked}: apply groupPrivacy of size 2, or use shuffled batches`
        : `invalid neighbours: shuffled batches are accounted for replace-one, without amplification, got ${asked}: use Poisson batches`,
    );
  }
  return neighbours;
}
