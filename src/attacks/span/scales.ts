// The lengths of the first block's inputs: mean and standard deviation of z = word_v + place_p, and the length of its layer norm
// x = gain∘(z − mean)/sd + shift, for every token and position, from sums over words and places and their products.

import { dot } from '../../math/index.js';

/** At one position, one number per token. */
export interface Scales {
  readonly mean: Float32Array;
  /** 1/sd. */
  readonly inverse: Float32Array;
  /** 1/‖x‖. */
  readonly length: Float32Array;
}

export interface Norm {
  readonly gain: Float32Array;
  readonly shift: Float32Array;
  readonly epsilon: number;
}

/** `products` multiplies every word with columns, one column after another. */
export async function makeScales(
  words: Float32Array,
  places: readonly Float64Array[],
  { gain, shift, epsilon }: Norm,
  products: (columns: readonly Float64Array[]) => Promise<readonly Float32Array[]>,
): Promise<Scales[]> {
  const hidden = gain.length;
  const vocabulary = words.length / hidden;
  const ones = new Float64Array(hidden).fill(1);
  const g2 = Float64Array.from(gain, (g) => g * g);
  const gb = Float64Array.from(gain, (g, i) => g * (shift[i] as number));
  const weighted = (q: Float64Array) => q.map((x, i) => x * (g2[i] as number));
  const own = wordSums(words, hidden, g2, gb);
  const [g2Sum, gbSum, bSquare] = [dot(g2, ones), dot(gb, ones), dot(shift, shift)];
  const all: Scales[] = [];
  for (const q of places) {
    const [wq, wDq] = (await products([q, weighted(q)])) as [Float32Array, Float32Array];
    const [qMean, qq, qDq, qG2, qGb] = [dot(q, ones) / hidden, dot(q, q), dot(q, weighted(q)), dot(q, g2), dot(q, gb)];
    const make = () => new Float32Array(vocabulary);
    const [mean, inverse, length] = [make(), make(), make()];
    for (let v = 0; v < vocabulary; v++) {
      const m = (own.mean[v] as number) + qMean;
      const zz = (own.square[v] as number) + 2 * (wq[v] as number) + qq;
      const rate = 1 / Math.sqrt(Math.max(0, zz / hidden - m * m) + epsilon);
      const zDz = (own.weighted[v] as number) + 2 * (wDq[v] as number) + qDq;
      const zG2 = (own.g2[v] as number) + qG2;
      const zGb = (own.gb[v] as number) + qGb;
      const square = (zDz - 2 * m * zG2 + m * m * g2Sum) * rate * rate + 2 * (zGb - m * gbSum) * rate + bSquare;
      mean[v] = m;
      inverse[v] = rate;
      length[v] = 1 / Math.sqrt(Math.max(1e-30, square));
    }
    all.push({ mean, inverse, length });
  }
  return all;
}

/** Sums over the numbers of each word, which every position needs. */
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
