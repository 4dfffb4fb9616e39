// What training offers a mechanism for one batch, and the one thing it gets back. The mechanism decides which sum is computed
// and what is added to it; how sums over examples are computed is training's.

import type { RandomSource } from '../../random/index.js';

/** Gradients by the name of their parameter. */
export type Tensors = Readonly<Record<string, Float32Array>>;

/** `clip` shortens gradients longer than `norm`; `normalise` gives every gradient that length. */
export interface Clipping {
  readonly kind: 'clip' | 'normalise';
  readonly norm: number;
}

/** Groups of trainable parameters, by name. */
export type ParameterGroups = readonly (readonly string[])[];

export interface GradientSums {
  readonly gradients: Tensors;
  /** The same before rounding to float32, where several micro-batches were added up. */
  readonly exact?: Readonly<Record<string, Float64Array>>;
}

export interface RandomDirections {
  /** κ. */
  readonly concentration: number;
  /** Each group has a direction of its own; one group of all parameters unless given. */
  readonly parameterGroups?: ParameterGroups;
  readonly random: RandomSource;
}

/** Sums over the examples of one batch. Each call may use the arrays of the last one again. */
export interface BatchGradients<Sums extends GradientSums> {
  plain(): Promise<Sums>;
  /** With every example's gradient bounded. */
  clipped(clipping: Clipping): Promise<Sums>;
  /** One random direction for each example, around that of its gradient. */
  directions(directions: RandomDirections): Promise<Sums>;
  /** What a sum is divided by: it must not tell how many examples took part where that is secret. */
  readonly divisor: number;
}
