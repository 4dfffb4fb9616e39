// The tokens that leak without their order, counted from planted gradients.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leakedTokens, leakParameter } from '../../src/attacks/decepticons/leaked.js';
import { initializeReluTransformer, loadModel } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const hidden = 32;
const relu = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 50,
  hidden,
  heads: 4,
  intermediateSize: 20,
});
const gpt2 = await loadModel(await writeTiny(join(makeRoot(), 'gpt2'), 'gpt2'), { numLabels: 2, newHead: true });
const draw = (name: string, size: number) => fillNormal(seededSource('leaked').stream(name), new Float64Array(size));

describe('leaked tokens', () => {
  const counts = (ids: readonly number[]) => {
    const found: Record<number, number> = {};
    for (const id of ids) found[id] = (found[id] ?? 0) + 1;
    return found;
  };
  const decoderBias = relu.layout.decoderBias as string;
  const fromBias = (bias: Float32Array, count: number, tokens = 50) =>
    counts(leakedTokens({ model: relu, gradients: { [decoderBias]: bias } }, { equalise: false }, count, tokens));
  /** The gradient of the mean loss: for each token its probabilities' sum less how often it was to be predicted, over 10. */
  const biasOf = (planted: Record<number, number>) =>
    Float32Array.from({ length: 50 }, (_, token) => (0.2 - (planted[token] ?? 0)) / 10);

  it('are counted by the decoder’s bias', () => {
    const planted = { 3: 4, 17: 1, 20: 2, 49: 3 };
    expect(fromBias(biasOf(planted), 10)).toEqual(planted);
    expect(fromBias(biasOf({ 3: 1, 49: 1 }), 2, 49)).toEqual({ 3: 2 }); // ids from 49 on are no tokens
  });

  it('have seats by D’Hondt, each token at least one', () => {
    // 6 : 3 : 1 for seven seats, one each before. The next claims: 3, then 2, then 1.5 of the first, then 1.5 of the second.
    const bias = new Float32Array(50);
    bias.set([-6, -3, -1], 5);
    expect(fromBias(bias, 7)).toEqual({ 5: 4, 6: 2, 7: 1 });
    expect(fromBias(bias, 2)).toEqual({ 5: 2 }); // 6 and 6/2 = 3: the first of equals
  });

  it('are counted by the rows of the word table where the bias shows only some', () => {
    const { words } = relu.layout.embeddings;
    expect(leakParameter(relu, { equalise: true })).toBe(words.weight);
    expect(leakParameter(relu, { equalise: false })).toBe(decoderBias);
    expect(leakParameter(gpt2, { equalise: false })).toBe(gpt2.layout.embeddings.words.weight);
    const gradient = new Float32Array(50 * hidden);
    for (const [token, size] of [
      [8, 2.1],
      [30, 0.9],
    ] as const) {
      const unit = draw(`word ${token}`, hidden);
      gradient.set(
        unit.map((x) => (size * x) / Math.hypot(...unit)),
        token * hidden,
      );
    }
    const view = { model: relu, gradients: { [words.weight]: gradient } };
    expect(counts(leakedTokens(view, { equalise: true }, 3, 50))).toEqual({ 8: 2, 30: 1 });
  });
});
