// Attention (Vaswani et al. 2017), shared by all transformers.

import { add, constant, labelled, matMul, reshape, softmax, transpose, type Value } from '../engine/index.js';

/**
 * softmax(Q·Kᵀ/√size + mask)·V for every head; the mask is 0 for visible tokens, a large negative number for the others. `drop` is the
 * dropout on the probabilities.
 */
export const attend = (
  query: Value,
  key: Value,
  value: Value,
  heads: number,
  mask?: Value,
  drop: (weights: Value) => Value = (weights) => weights,
): Value =>
  labelled('attention', () => {
    const [batch, tokens, hidden] = query.shape as [number, number, number];
    const size = hidden / heads;
    const split = (x: Value) => transpose(reshape(x, [batch, tokens, heads, size]), [0, 2, 1, 3]); // [batch, heads, tokens, size]
    const scores = matMul(split(query), split(key), { transposeB: true, scale: 1 / Math.sqrt(size) });
    const weights = softmax(mask === undefined ? scores : add(scores, mask)); // [batch, heads, tokens, tokens]
    return reshape(transpose(matMul(drop(weights), split(value)), [0, 2, 1, 3]), [batch, tokens, hidden]);
  });

/** Hides all later tokens from each token, and with them padding on the right. */
export function causalMask(tokens: number): Value {
  const later = Float32Array.from({ length: tokens * tokens }, (_, i) =>
    i % tokens > Math.floor(i / tokens) ? -1e9 : 0,
  );
  return constant(later, [1, 1, tokens, tokens]);
}

interface BlockSizes {
  readonly hidden: number;
  readonly intermediateSize: number;
}

/** Floating-point operations of the matrix products in one transformer block, forward. */
export const blockFlops = (batch: number, tokens: number, { hidden, intermediateSize }: BlockSizes): number =>
  2 * batch * tokens * (4 * hidden * hidden + 2 * hidden * intermediateSize) + 4 * batch * tokens * tokens * hidden;
