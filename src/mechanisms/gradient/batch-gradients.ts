// The gradients of one batch as training offers them to a mechanism. The mechanism decides which sum is computed and what noise
// is added; training decides how sums over examples are computed.

import type { RandomSource } from '../../random/index.js';

/** Gradients by the name of their parameter. */
export type Tensors = Readonly<Record<string, Float32Array>>;

/** Groups of trainable parameters, as lists of names. */
export type ParameterGroups = readonly (readonly string[])[];

/** How gradients are bounded: `clip` shortens those longer than `norm`; `normalise` gives every gradient that length. */
export interface Clipping {
  readonly kind: 'clip' | 'normalise';
  readonly norm: number;
  /** Each group is bounded by itself; by default all parameters are one group. */
  readonly parameterGroups?: ParameterGroups;
}

/** A sum of gradients over a batch. */
export interface GradientSums {
  readonly gradients: Tensors;
  /** The same before rounding to float32; present if several micro-batches were added up. */
  readonly exact?: Readonly<Record<string, Float64Array>>;
}

/** How random directions take the place of gradients. */
export interface RandomDirections {
  /** κ. */
  readonly concentration: number;
  /** Each group has its own direction; by default all parameters are one group. */
  readonly parameterGroups?: ParameterGroups;
  readonly random: RandomSource;
}

/** Sums over the examples of one batch. A call may reuse the arrays of the previous one. */
export interface BatchGradients<Sums extends GradientSums> {
  /** The plain sum. */
  plain(): Promise<Sums>;
  /** The sum of gradients that are each bounded. */
  clipped(clipping: Clipping): Promise<Sums>;
  /** The sum of one random direction per example, around that of its gradient. */
  directions(directions: RandomDirections): Promise<Sums>;
  /** The number by which a sum is divided. It must not reveal how many examples took part where that is secret. */
  readonly divisor: number;
}
