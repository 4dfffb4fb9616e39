// The transformer encoder block of BERT (Devlin et al. 2019): attention and feed-forward, each followed by adding its
// input and normalising.

import {
  add,
  affine,
  gelu,
  labelled,
  layerNorm,
  matMul,
  reshape,
  type Shape,
  softmax,
  transpose,
  type Value,
} from '../engine/index.js';

export interface EncoderSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly inner: number;
  /** Of the layer norms; 1e-12 unless said otherwise. */
  readonly epsilon?: number;
}

/** Gives the value for a named parameter: an input where it is trained, a constant where it is frozen. */
export type ParameterOf = (name: string, shape: Shape) => Value;

/** `mask` is added to the attention scores: 0 for tokens to look at, a large negative number for the others. */
export function encoderBlock(x: Value, sizes: EncoderSizes, parameter: ParameterOf, mask?: Value): Value {
  const { hidden, inner, epsilon = 1e-12 } = sizes;
  const dense = (name: string, from: Value, inputs: number, outputs: number) =>
    labelled(name, () =>
      affine(from, parameter(`${name}.weight`, [inputs, outputs]), parameter(`${name}.bias`, [outputs])),
    );
  const normalize = (name: string, from: Value) =>
    labelled(name, () =>
      layerNorm(from, parameter(`${name}.weight`, [hidden]), parameter(`${name}.bias`, [hidden]), epsilon),
    );

  const [query, key, value] = ['query', 'key', 'value'].map((name) => dense(`attention.${name}`, x, hidden, hidden));
  const context = labelled('attention', () => attend(query as Value, key as Value, value as Value, sizes.heads, mask));
  const attended = normalize('attention.norm', add(x, dense('attention.output', context, hidden, hidden)));
  const lifted = gelu(dense('inner', attended, hidden, inner));
  return normalize('norm', add(attended, dense('outer', lifted, inner, hidden)));
}

/** softmax(Q·Kᵀ/√size + mask)·V for every head. */
export function attend(query: Value, key: Value, value: Value, heads: number, mask?: Value): Value {
  const [batch, tokens, hidden] = query.shape as [number, number, number];
  const size = hidden / heads;
  const split = (x: Value) => transpose(reshape(x, [batch, tokens, heads, size]), [0, 2, 1, 3]); // [batch, heads, tokens, size]
  const scores = matMul(split(query), split(key), { transposeB: true, scale: 1 / Math.sqrt(size) });
  const weights = softmax(mask === undefined ? scores : add(scores, mask)); // [batch, heads, tokens, tokens]
  return reshape(transpose(matMul(weights, split(value)), [0, 2, 1, 3]), [batch, tokens, hidden]);
}

/** Floating-point operations of one block's matrix products, forward. */
export const encoderFlops = (batch: number, tokens: number, { hidden, inner }: EncoderSizes): number =>
  2 * batch * tokens * (4 * hidden * hidden + 2 * hidden * inner) + 4 * batch * tokens * tokens * hidden;
