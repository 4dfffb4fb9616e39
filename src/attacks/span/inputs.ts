// The inputs of the first block for every token v and position p, without making them: x = gain∘(z − mean)/sd + shift with
// z = word_v + place_p. Products of x with any vector and its length follow from products of the word table alone.

import { compile, input, matMul, type Program } from '../../engine/index.js';
import { check } from '../../math/index.js';
import type { GradientView } from '../view.js';
import { firstBlockOf, readParameter } from './first-block.js';

export interface FirstInputs {
  readonly hidden: number;
  readonly vocabulary: number;
  readonly positions: number;
  /** Squared length of what a basis explains of the unit input of every token at one position; see `explained`. */
  readonly prepare: (basis: Float64Array, weights: Float64Array) => Promise<(position: number) => Float32Array>;
  /** The input of one token at one position, scaled to length 1. */
  readonly unit: (token: number, position: number) => Float64Array;
  readonly close: () => Promise<void>;
}

/** `positions` is how many are needed. */
export async function openFirstInputs(
  view: Pick<GradientView, 'model' | 'parameters'>,
  positions: number,
): Promise<FirstInputs> {
  const block = firstBlockOf(view);
  const { hidden, positions: most, epsilon } = view.model.config;
  // Rows beyond the tokenizer's are never used.
  const vocabulary = Math.min(view.model.config.vocabulary, view.model.tokenizer.size);
  check({ length: positions }, `at most the model's ${most} positions`, (count) => count >= 1 && count <= most);
  const words = (await readParameter(view, block.words)).subarray(0, vocabulary * hidden);
  const places = await placeRows(view, positions);
  const [gain, shift] = [
    await readParameter(view, `${block.norm}.weight`),
    await readParameter(view, `${block.norm}.bias`),
  ];
  const programs = new Map<number, Program<'products'>>();
  /** [vocabulary, columns.length] */
  const products = async (columns: readonly ArrayLike<number>[]): Promise<Float32Array> => {
    const width = Math.ceil(columns.length / 8) * 8;
    const right = new Float32Array(hidden * width);
    for (const [j, column] of columns.entries())
      for (let i = 0; i < hidden; i++) right[i * width + j] = column[i] as number;
    const program =
      programs.get(width) ??
      (await compile({ products: matMul(input('words', [vocabulary, hidden]), input('columns', [hidden, width])) }));
    programs.set(width, program);
    const result = await program.run({ words, columns: right });
    return result.products as Float32Array;
  };

  const g2 = Float64Array.from(gain, (g) => g * g);
  const gb = Float64Array.from(gain, (g, i) => g * (shift[i] as number));
  const own = wordSums(words, hidden, g2, gb);
  const [g2Sum, gbSum, bSquare] = [total(g2), total(gb), shift.reduce((sum, b) => sum + b * b, 0)];
  // For every position: z's mean, 1/sd, and 1/‖x‖ for all tokens, kept.
  const scales = new Map<number, Scales>();
  const scalesAt = async (position: number): Promise<Scales> => {
    const known = scales.get(position);
    if (known !== undefined) return known;
    const q = places[position] as Float64Array;
    const crossed = await products([q, q.map((x, i) => x * (g2[i] as number))]);
    const width = crossed.length / vocabulary;
    const [qMean, qq, qDq, qG2, qGb] = [total(q) / hidden, dot(q, q), dot3(q, q, g2), dot(q, g2), dot(q, gb)];
    const [mean, inverse, length] = [
      new Float32Array(vocabulary),
      new Float32Array(vocabulary),
      new Float32Array(vocabulary),
    ];
    for (let v = 0; v < vocabulary; v++) {
      const m = (own.mean[v] as number) + qMean;
      const zz = (own.square[v] as number) + 2 * (crossed[v * width] as number) + qq;
      const rate = 1 / Math.sqrt(Math.max(0, zz / hidden - m * m) + epsilon);
      const zDz = (own.weighted[v] as number) + 2 * (crossed[v * width + 1] as number) + qDq;
      const zG2 = (own.g2[v] as number) + qG2;
      const zGb = (own.gb[v] as number) + qGb;
      const square = (zDz - 2 * m * zG2 + m * m * g2Sum) * rate * rate + 2 * (zGb - m * gbSum) * rate + bSquare;
      mean[v] = m;
      inverse[v] = rate;
      length[v] = 1 / Math.sqrt(Math.max(1e-30, square));
    }
    const made = { mean, inverse, length };
    scales.set(position, made);
    return made;
  };
  for (let position = 0; position < positions; position++) await scalesAt(position);

  return {
    hidden,
    vocabulary,
    positions,
    prepare: async (basis, weights) => {
      const count = weights.length;
      const vector = (k: number) => basis.subarray(k * hidden, (k + 1) * hidden);
      const gu = Array.from({ length: count }, (_, k) => vector(k).map((u, i) => u * (gain[i] as number)));
      const wordProducts = await products(gu);
      const width = wordProducts.length / vocabulary;
      const guSum = Float64Array.from(gu, total);
      const shifted = Float64Array.from({ length: count }, (_, k) => dot(vector(k), shift));
      return (position) => {
        const { mean, inverse, length } = scales.get(position) as Scales;
        const placed = Float64Array.from(gu, (one) => dot(one, places[position] as Float64Array));
        const scores = new Float32Array(vocabulary);
        for (let v = 0; v < vocabulary; v++) {
          const [m, rate, unit] = [mean[v] as number, inverse[v] as number, length[v] as number];
          let score = 0;
          for (let k = 0; k < count; k++) {
            const along =
              ((wordProducts[v * width + k] as number) + (placed[k] as number) - m * (guSum[k] as number)) * rate +
              (shifted[k] as number);
            score += (weights[k] as number) * along * along;
          }
          scores[v] = score * unit * unit;
        }
        return scores;
      };
    },
    unit: (token, position) => {
      const { mean, inverse, length } = scales.get(position) as Scales;
      const [m, rate, scale] = [mean[token] as number, inverse[token] as number, length[token] as number];
      const place = places[position] as Float64Array;
      const vector = new Float64Array(hidden);
      for (let i = 0; i < hidden; i++) {
        const z = (words[token * hidden + i] as number) + (place[i] as number);
        vector[i] = ((z - m) * rate * (gain[i] as number) + (shift[i] as number)) * scale;
      }
      return vector;
    },
    close: async () => {
      for (const program of programs.values()) await program.close();
    },
  };
}

interface Scales {
  readonly mean: Float32Array;
  /** 1/sd. */
  readonly inverse: Float32Array;
  /** 1/‖x‖. */
  readonly length: Float32Array;
}

/** What is added to a word at each position. */
async function placeRows(view: Pick<GradientView, 'model' | 'parameters'>, count: number): Promise<Float64Array[]> {
  const block = firstBlockOf(view);
  const { hidden } = view.model.config;
  const table = await readParameter(view, block.positions);
  const type = block.types === undefined ? undefined : await readParameter(view, block.types);
  return Array.from({ length: count }, (_, p) =>
    Float64Array.from({ length: hidden }, (_, i) => (table[p * hidden + i] as number) + (type?.[i] ?? 0)),
  );
}

/** Sums over each word's numbers that every position needs. */
function wordSums(words: Float32Array, hidden: number, g2: Float64Array, gb: Float64Array) {
  const count = words.length / hidden;
  const make = () => new Float64Array(count);
  const sums = { mean: make(), square: make(), weighted: make(), g2: make(), gb: make() };
  for (let v = 0; v < count; v++) {
    let [sum, square, weighted, withG2, withGb] = [0, 0, 0, 0, 0];
    for (let i = 0; i < hidden; i++) {
      const w = words[v * hidden + i] as number;
      const scaled = w * (g2[i] as number);
      sum += w;
      square += w * w;
      weighted += w * scaled;
      withG2 += scaled;
      withGb += w * (gb[i] as number);
    }
    sums.mean[v] = sum / hidden;
    sums.square[v] = square;
    sums.weighted[v] = weighted;
    sums.g2[v] = withG2;
    sums.gb[v] = withGb;
  }
  return sums;
}

function total(numbers: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number;
  return sum;
}

function dot(a: Float64Array, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

const dot3 = (a: Float64Array, b: Float64Array, c: Float64Array): number =>
  dot(
    a.map((x, i) => x * (b[i] as number)),
    c,
  );
