// The inputs of the blocks, which the span attack never computes in full, against those of the model itself.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type FirstInputs, openFirstInputs, openSecondInputs } from '../../src/attacks/index.js';
import { projectionsOf } from '../../src/attacks/span/first-block.js';
import { wordProducts } from '../../src/attacks/span/products.js';
import { makeScales } from '../../src/attacks/span/scales.js';
import { compile } from '../../src/engine/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { feedRows, makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const size = 32;
const draw = (name: string, count: number) => fillNormal(seededSource('inputs').stream(name), new Float64Array(count));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((s, x, i) => s + x * (b[i] as number), 0);
const unitOf = (vector: ArrayLike<number>) => {
  const length = Math.sqrt(dot(vector, vector));
  return Float64Array.from(vector, (x) => x / length);
};
/** Σ w (u·x)² */
const explained = (x: Float64Array, basis: Float64Array, weights: Float64Array) =>
  weights.reduce((sum, w, k) => sum + w * dot(basis.subarray(k * size, (k + 1) * size), x) ** 2, 0);

/** What the projections of a layer read, for one sentence, as unit vectors. */
async function inputsOf(model: Model, layer: 0 | 1, sentence: readonly number[]): Promise<Float64Array[]> {
  const { traces } = model.build({ batch: 1, tokens: sentence.length });
  const trace = traces.find(({ kind, weight }) => kind === 'linear' && weight.name === projectionsOf(model, layer)[0]);
  if (trace?.kind !== 'linear') throw new Error('no such projection');
  const program = await compile({ x: trace.input });
  const feeds = Object.entries(feedRows([sentence], sentence.length)).filter(([name]) => name in program.inputs);
  const x = (await program.run(Object.fromEntries(feeds))).x as Float32Array;
  await program.close();
  return sentence.map((_, place) => unitOf(x.subarray(place * size, (place + 1) * size)));
}

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('the inputs of tiny %s', (name) => {
  let [model, inputs]: [Model, FirstInputs] = [undefined as never, undefined as never];
  const [basis, weights] = [draw('basis', 3 * size).map((x) => x / 6), Float64Array.of(1, 0.7, 0.2)];
  beforeAll(async () => {
    // Gains and shifts that are not 1 and 0.
    const folder = await writeTiny(join(root, name), name, {
      change: (tensors) => {
        for (const [key, tensor] of Object.entries(tensors))
          if (/LayerNorm|layer_norm|ln_/.test(key))
            tensors[key] = { ...tensor, data: (tensor.data as Float32Array).map((x, i) => x + 0.3 * Math.sin(i)) };
      },
    });
    model = await loadModel(folder, { numLabels: 2, newHead: true });
    inputs = await openFirstInputs({ model, parameters: {} }, 6);
    return () => inputs.close();
  });
  const sentence = [2, 40, 17, 17, 9, 3];

  it('of the first block are those of the model, for a token at a position', async () => {
    for (const [position, truth] of (await inputsOf(model, 0, sentence)).entries()) {
      const into = new Float64Array(size + 4).fill(7);
      inputs.unit(sentence[position] as number, position, into, 2);
      for (const [i, x] of truth.entries()) expect(into[2 + i]).toBeCloseTo(x, 5);
      expect([into[1], into[size + 2]]).toEqual([7, 7]);
    }
  });

  it('of the first block are scored as if they were computed one by one', async () => {
    const scores = await inputs.scoreTokens(basis, weights, 6);
    expect(scores.map(({ length }) => length)).toEqual(Array(6).fill(model.tokenizer.size));
    const into = new Float64Array(size);
    for (const [position, own] of scores.entries()) {
      for (const [token, score] of own.entries()) {
        inputs.unit(token, position, into, 0);
        expect(score).toBeCloseTo(explained(into, basis, weights), 4);
      }
    }
  });

  it('of the first block follow the parameters that the server sent', async () => {
    const { words } = model.layout.embeddings;
    const parameters = { [words.weight]: Float32Array.from(draw('words', model.config.vocabulary * size)) };
    const changed = await openFirstInputs({ model, parameters }, 2);
    const [own, other] = [new Float64Array(size), new Float64Array(size)];
    inputs.unit(9, 1, own, 0);
    changed.unit(9, 1, other, 0);
    expect(dot(own, other)).toBeLessThan(0.9);
    await changed.close();
  });

  it('of the second block are scored for whole sentences, however many and long', async () => {
    const second = openSecondInputs({ model, parameters: {} });
    const sentences = Array.from({ length: 18 }, (_, i) => [2, ...sentence.slice(1, 2 + (i % 4)), 5 + i]);
    const scores = await second.scoreTokens(sentences, { basis, weights });
    for (const [i, one] of sentences.entries()) {
      const truths = await inputsOf(model, 1, one);
      expect(scores[i]).toHaveLength(one.length);
      for (const [place, truth] of truths.entries())
        expect(scores[i]?.[place]).toBeCloseTo(explained(truth, basis, weights), 4);
    }
    await second.close();
  });

  it('are refused beyond the positions that the model has', async () => {
    const { positions } = model.config;
    await expect(openFirstInputs({ model, parameters: {} }, positions + 1)).rejects.toThrow(`${positions} positions`);
  });
});

describe('sums over a word table', () => {
  const [words, vocabulary] = [Float32Array.from(draw('table', 30 * size)), 30];
  const word = (v: number) => words.subarray(v * size, (v + 1) * size);
  const products = wordProducts(words, size);

  it('are products with columns, plain and twice, for any number of columns', async () => {
    for (const count of [1, 8, 9]) {
      const columns = Array.from({ length: count }, (_, k) => draw(`column ${k}`, size));
      const others = [draw('other 1', count), draw('other 2', count)];
      const plain = await products.plain(columns);
      const { crossed, squares } = await products.twice(columns, others);
      for (let v = 0; v < vocabulary; v++) {
        const own = columns.map((column) => dot(column, word(v)));
        for (const [k, x] of own.entries()) expect(plain[k]?.[v]).toBeCloseTo(x, 3);
        for (const [k, other] of others.entries()) expect(crossed[k]?.[v]).toBeCloseTo(dot(other, own), 2);
        expect((squares[v] as number) / dot(own, own)).toBeCloseTo(1, 4);
      }
    }
  });

  it('give mean, deviation and length of every layer norm', async () => {
    const [gain, shift] = [Float32Array.from(draw('gain', size)), Float32Array.from(draw('shift', size))];
    const places = [draw('place 0', size), draw('place 1', size)];
    const scales = await makeScales(words, places, { gain, shift, epsilon: 0.01 }, products.plain);
    for (const [p, place] of places.entries()) {
      for (let v = 0; v < vocabulary; v++) {
        const z = Array.from(word(v), (x, i) => x + (place[i] as number));
        const mean = z.reduce((sum, x) => sum + x, 0) / size;
        const deviation = Math.sqrt(z.reduce((sum, x) => sum + (x - mean) ** 2, 0) / size + 0.01);
        const x = z.map((one, i) => ((one - mean) / deviation) * (gain[i] as number) + (shift[i] as number));
        expect(scales[p]?.mean[v]).toBeCloseTo(mean, 5);
        expect(scales[p]?.inverse[v]).toBeCloseTo(1 / deviation, 5);
        expect(scales[p]?.length[v]).toBeCloseTo(1 / Math.hypot(...x), 5);
      }
    }
    await products.close();
  });
});
