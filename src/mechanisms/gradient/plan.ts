// What the plans of all mechanisms share: sizes, the sampler and the guarantee.

import { ArgumentError, check, option, positiveInteger, say } from '../../checks/index.js';
import type { AccountantName, Guarantee, Neighbours, PrivacyEvent } from '../../privacy/index.js';
import type { ParameterGroups } from './batch-gradients.js';

/** The sizes of a run. */
export interface PlanSizeOptions {
  /** The number of examples. */
  readonly examples: number;
  readonly epochs: number;
  /** Examples per batch; for Poisson batches, on average. */
  readonly batchSize: number;
  /** The trainable parameters by layer, for mechanisms that treat layers separately. */
  readonly layers?: ParameterGroups;
}

/** The sizes of a run, with the numbers of steps that follow from them. */
export interface PlanSizes extends Omit<PlanSizeOptions, 'layers'> {
  readonly stepsPerEpoch: number;
  readonly steps: number;
}

/** Checks the sizes of a run and computes its steps: one epoch is examples / batchSize steps, rounded up. */
export function planSizes({ examples, epochs, batchSize }: PlanSizeOptions): PlanSizes {
  positiveInteger({ examples, epochs, batchSize });
  check({ batchSize }, `at most the ${examples} examples`, (size) => size <= examples);
  const stepsPerEpoch = Math.ceil(examples / batchSize);
  return { examples, epochs, batchSize, stepsPerEpoch, steps: epochs * stepsPerEpoch };
}

export type SamplerKind = 'poisson' | 'shuffled';
/** How batches are drawn: each example independently with a sample rate, or disjoint batches of a shuffled epoch. */
export type Sampler = { readonly kind: 'poisson'; readonly sampleRate: number } | { readonly kind: 'shuffled' };

/** What every plan holds. */
export interface PlanBase<Name extends string> extends PlanSizes {
  readonly mechanism: Name;
  readonly sampler: Sampler;
  /** What a reader should know, such as a default that was chosen. */
  readonly notes: readonly string[];
}

/** The guarantee of a plan. */
export interface Promised {
  /** The event of one batch, for the examples in it. */
  readonly event: PrivacyEvent;
  readonly neighbours: Neighbours;
  readonly accountant: AccountantName;
  readonly delta: number;
  /** The guarantee of all steps. */
  readonly guarantee: Guarantee;
}

/** A plan without a guarantee has none of these keys. */
export type NotPromised = { readonly [Key in keyof Promised]?: never };

/** Poisson batches compare data with and without an example; disjoint batches of fixed size compare an example with another in its place. */
export function expectNeighbours(sampler: SamplerKind, asked: Neighbours | undefined): Neighbours {
  const neighbours = sampler === 'poisson' ? 'add-or-remove-one' : 'replace-one';
  if (asked !== undefined && asked !== neighbours) {
    throw new ArgumentError(
      sampler === 'poisson'
        ? say`invalid ${option('neighbours')}: Poisson batches are accounted for add-or-remove-one, got ${asked}: set ${option('sampler')} to shuffled, or apply groupPrivacy of size 2`
        : say`invalid ${option('neighbours')}: shuffled batches are accounted for replace-one, without amplification, got ${asked}: set ${option('sampler')} to poisson`,
    );
  }
  return neighbours;
}
