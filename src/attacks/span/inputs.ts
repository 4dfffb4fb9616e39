// The inputs of the first block for every token v and position p, without computing them all: x = gain∘(z − mean)/sd + shift with
// z = word_v + place_p. The products of x with any vector, and its length, follow from products with the word table alone.

import { check } from '../../checks/index.js';
import { dot } from '../../math/index.js';
import { readParameter } from '../../models/index.js';
import type { GradientView } from '../view.js';
import { firstNorm } from './first-block.js';
import { wordProducts } from './products.js';
import { makeScales, type Scales } from './scales.js';

/** The first block's inputs of one model, prepared for many gradients; close it when done. */
export interface FirstInputs {
  readonly hidden: number;
  readonly vocabulary: number;
  readonly positions: number;
  /** For each of the first `positions`: how much of every token's unit input a weighted basis explains, as a sum of squares. */
  readonly scoreTokens: (basis: Float64Array, weights: Float64Array, positions: number) => Promise<Float32Array[]>;
  /** Writes the input of one token at one position, scaled to length 1, into `into` from `start` on. */
  readonly unit: (token: number, position: number, into: Float64Array, start: number) => void;
  readonly close: () => Promise<void>;
}

/** Prepares the inputs of the first `positions` positions. */
export async function openFirstInputs(
  view: Pick<GradientView, 'model' | 'parameters'>,
  positions: number,
): Promise<FirstInputs> {
  const { hidden, positions: most, epsilon } = view.model.config;
  const norm = firstNorm(view.model);
  // Rows of the table beyond the tokenizer's vocabulary are never used.
  const vocabulary = Math.min(view.model.config.vocabulary, view.model.tokenizer.size);
  check({ length: positions }, `at most the model's ${most} positions`, (count) => count >= 1 && count <= most);
  const read = (name: string) => readParameter(view.model, name, view.parameters);
  const words = (await read(view.model.layout.embeddings.words.weight)).subarray(0, vocabulary * hidden);
  const places = await placeRows(view, positions);
  const [gain, shift] = [await read(norm.weight), await read(norm.bias)];
  const products = wordProducts(words, hidden);
  const scales = await makeScales(words, places, { gain, shift, epsilon }, products.plain);
  const tables = { hidden, vocabulary, words, places, gain, shift, epsilon, scales };
  return {
    hidden,
    vocabulary,
    positions,
    scoreTokens: (basis, weights, count) => scoreTokens(tables, products, basis, weights, count),
    unit: (token, position, into, start) => writeUnit(tables, token, position, into.subarray(start, start + hidden)),
    close: () => products.close(),
  };
}

/** The model's tables, and what is computed from them once for all gradients. */
interface InputTables {
  readonly hidden: number;
  readonly vocabulary: number;
  readonly words: Float32Array;
  readonly places: readonly Float64Array[];
  readonly gain: Float32Array;
  readonly shift: Float32Array;
  readonly epsilon: number;
  readonly scales: readonly Scales[];
}

/**
 * Let u be the basis vectors times the roots of their weights, a = W gu, b = gu·place, s = Σ gu, t = u·shift, and m, ρ the mean and
 * 1/sd of z. The products of x with u are (a + b − m s) ρ + t; the sum of their squares is multiplied out.
 */
async function scoreTokens(
  { hidden, vocabulary, places, gain, shift, scales }: InputTables,
  products: ReturnType<typeof wordProducts>,
  basis: Float64Array,
  weights: Float64Array,
  count: number,
): Promise<Float32Array[]> {
  const vectors = Array.from(weights, (weight, k) =>
    basis.subarray(k * hidden, (k + 1) * hidden).map((x) => x * Math.sqrt(weight)),
  );
  const gu = vectors.map((vector) => vector.map((u, i) => u * (gain[i] as number)));
  const s = Float64Array.from(gu, (one) => one.reduce((sum, x) => sum + x, 0));
  const t = Float64Array.from(vectors, (vector) => dot(vector, shift));
  const b = places.slice(0, count).map((place) => Float64Array.from(gu, (one) => dot(one, place)));
  const { crossed, squares } = await products.twice(gu, [s, t, ...b]);
  const [withS, withT, ...withB] = crossed as [Float32Array, Float32Array, ...Float32Array[]];
  const [ss, st, tt] = [dot(s, s), dot(s, t), dot(t, t)];
  return b.map((one, position) => {
    const ab = withB[position] as Float32Array;
    const [bb, bs, bt] = [dot(one, one), dot(one, s), dot(one, t)];
    const { mean, inverse, length } = scales[position] as Scales;
    const scores = new Float32Array(vocabulary);
    for (let v = 0; v < vocabulary; v++) {
      const [m, rate, unit] = [mean[v] as number, inverse[v] as number, length[v] as number];
      const square =
        (squares[v] as number) + 2 * (ab[v] as number) + bb + m * (m * ss - 2 * ((withS[v] as number) + bs));
      const along = (withT[v] as number) + bt - m * st;
      scores[v] = ((square * rate + 2 * along) * rate + tt) * unit * unit;
    }
    return scores;
  });
}

/** Computes in float64 throughout, because the sentences of a batch differ by little. */
function writeUnit(tables: InputTables, token: number, position: number, into: Float64Array): void {
  const { hidden, words, places, gain, shift, epsilon } = tables;
  const place = places[position] as Float64Array;
  let [sum, square] = [0, 0];
  for (let i = 0; i < hidden; i++) {
    const z = (words[token * hidden + i] as number) + (place[i] as number);
    into[i] = z;
    sum += z;
    square += z * z;
  }
  const m = sum / hidden;
  const rate = 1 / Math.sqrt(Math.max(0, square / hidden - m * m) + epsilon);
  let length = 0;
  for (let i = 0; i < hidden; i++) {
    const x = ((into[i] as number) - m) * rate * (gain[i] as number) + (shift[i] as number);
    into[i] = x;
    length += x * x;
  }
  const scale = 1 / Math.sqrt(length);
  for (let i = 0; i < hidden; i++) into[i] = (into[i] as number) * scale;
}

/** The vector that is added to a word at each position. */
async function placeRows(
  { model, parameters }: Pick<GradientView, 'model' | 'parameters'>,
  count: number,
): Promise<Float64Array[]> {
  const { hidden } = model.config;
  const { positions, tokenTypes } = model.layout.embeddings;
  const table = await readParameter(model, positions.weight, parameters);
  const type = tokenTypes && (await readParameter(model, tokenTypes.weight, parameters));
  return Array.from({ length: count }, (_, p) =>
    Float64Array.from(
      { length: hidden },
      (_, i) => (table[(positions.first + p) * hidden + i] as number) + (type?.[i] ?? 0),
    ),
  );
}
