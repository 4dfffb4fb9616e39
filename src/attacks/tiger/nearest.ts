// From embeddings to tokens: the word of the largest cosine, both measured from the mean of the word table, because words of trained
// models have much in common.

import { readParameter } from '../../models/index.js';
import type { AttackedModel } from '../model.js';
import { wordProducts } from '../span/products.js';

/** The word table as TIGER uses it; close it when done. */
export interface WordTable {
  readonly words: Float32Array;
  readonly mean: Float64Array;
  /** Standard deviation of a number of the table around its mean. */
  readonly deviation: number;
  /** The token nearest to each embedding. */
  readonly nearest: (embeddings: readonly Float32Array[]) => Promise<number[]>;
  readonly close: () => Promise<void>;
}

/** Embeddings compared at once. */
const chunk = 32;

export async function openWordTable(model: AttackedModel): Promise<WordTable> {
  const { hidden } = model.config;
  const { special, size } = model.tokenizer;
  const vocabulary = Math.min(model.config.vocabulary, size);
  const all = await readParameter(model, model.layout.embeddings.words.weight, {});
  const words = all.subarray(0, vocabulary * hidden);
  const mean = new Float64Array(hidden);
  for (let i = 0; i < words.length; i++) mean[i % hidden] = (mean[i % hidden] as number) + (words[i] as number);
  for (let i = 0; i < hidden; i++) mean[i] = (mean[i] as number) / vocabulary;
  const units = words.map((x, i) => x - (mean[i % hidden] as number));
  const deviation = Math.sqrt(units.reduce((sum, x) => sum + x * x, 0) / units.length);
  for (let v = 0; v < vocabulary; v++) scaleToUnit(units.subarray(v * hidden, (v + 1) * hidden));
  // No text contains these tokens; a row of zeros is never nearest.
  for (const token of [special.padding, special.start, special.end, special.mask])
    if (token !== undefined) units.fill(0, token * hidden, (token + 1) * hidden);
  const products = wordProducts(units, hidden);
  return {
    words,
    mean,
    deviation,
    nearest: async (embeddings) => {
      const tokens: number[] = [];
      for (let start = 0; start < embeddings.length; start += chunk) {
        const columns = embeddings
          .slice(start, start + chunk)
          .map((one) => Float64Array.from(one, (x, i) => x - (mean[i] as number)));
        for (const cosines of await products.plain(columns)) tokens.push(largest(cosines));
      }
      return tokens;
    },
    close: products.close,
  };
}

function scaleToUnit(row: Float32Array): void {
  const length = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
  for (let i = 0; i < row.length; i++) row[i] = (row[i] as number) / Math.max(length, 1e-30);
}

function largest(numbers: Float32Array): number {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if ((numbers[i] as number) > (numbers[best] as number)) best = i;
  return best;
}
