// Universal Sentence Encoder lite (Cer et al. 2018): two transformer layers over SentencePiece tokens, their mean, one tanh
// layer, scaled to length 1. A text becomes a direction in 512 dimensions; texts of similar meaning have similar directions.

import { FileError } from '../checks/index.js';
import { bucketBatches, bucketOf } from '../data/index.js';
import {
  add,
  compile,
  div,
  fileConstant,
  input,
  max,
  mul,
  type Program,
  reduceSum,
  relu,
  reshape,
  split,
  sqrt,
  square,
  sub,
  tanh,
  type Value,
} from '../engine/index.js';
import { attend } from './attention.js';
import { expectShape } from './checkpoint.js';
import { type Layers, makeLayers } from './layers.js';
import type { SafetensorsFile } from './safetensors.js';
import { makePieces } from './sentence-encoder-pieces.js';
import { mostTokens, openEncoderFiles } from './sentence-encoder-weights.js';

const [tableRows, wordWidth, width, innerWidth, heads, epsilon] = [8002, 256, 512, 1536, 4, 1e-6];

/** Universal Sentence Encoder lite. It holds native memory: close it when done. */
export interface SentenceEncoder {
  /** Token ids of a text, truncated to 128 tokens, the most the encoder reads. */
  readonly encode: (text: string) => number[];
  /** One vector of 512 numbers and length 1 per text; zeros for a text without words. */
  readonly embed: (texts: readonly string[]) => Promise<Float32Array[]>;
  readonly close: () => Promise<void>;
}

/** Where the encoder's weights are cached. */
export interface SentenceEncoderOptions {
  /** Folder of the converted weights, written at first use. Default: `weights` in the cache folder. */
  readonly folder?: string;
}

/** Rows per batch: a few sentences waste little, and few shapes are compiled. */
const batchSizes = [1, 4, 32];
const buckets = [8, 16, 24, 32, 48, 64, 96, mostTokens];

/** Opens the sentence encoder, with which `epsilens/metrics` compares texts by meaning. */
export async function openSentenceEncoder({ folder }: SentenceEncoderOptions = {}): Promise<SentenceEncoder> {
  const { weights, vocabulary } = await openEncoderFiles(folder);
  const pieces = makePieces(vocabulary);
  const encode = (text: string) => pieces(text).slice(0, mostTokens);
  const programs = new Map<string, Promise<Program<'vectors'>>>();

  async function embed(texts: readonly string[]): Promise<Float32Array[]> {
    const inputIds = texts.map(encode);
    const results = texts.map(() => new Float32Array(width));
    const chosen = [...inputIds.keys()].filter((index) => (inputIds[index] as number[]).length > 0);
    const batch = (tokens: number): number => {
      const count = chosen.filter((index) => bucketOf((inputIds[index] as number[]).length, buckets) === tokens).length;
      return batchSizes.find((size) => size >= count) ?? Math.max(...batchSizes);
    };
    for (const { tokens, indices, ids, mask, weights: filled } of bucketBatches(
      inputIds,
      { batch, buckets, padding: 0 },
      chosen,
    )) {
      const key = `${filled.length} ${tokens}`;
      const program = programs.get(key) ?? compile({ vectors: buildEncoder(weights, filled.length, tokens) });
      programs.set(key, program);
      const { vectors } = await (await program).run({ ids, mask });
      for (const [row, index] of indices.entries()) {
        results[index]?.set((vectors as Float32Array).subarray(row * width, (row + 1) * width));
      }
    }
    return results;
  }

  return {
    encode,
    embed,
    close: async () => {
      for (const program of programs.values()) await (await program).close();
      programs.clear();
    },
  };
}

/** Builds the encoder: inputs `ids` (i64) and `mask` (f32), both [batch, tokens]; output [batch, 512]. */
function buildEncoder(weights: SafetensorsFile, batch: number, tokens: number): Value {
  const layers = makeLayers((name, shape) => {
    const tensor = weights.tensors.get(name);
    if (tensor === undefined) throw new FileError(`${weights.path}: tensor ${name} is missing`);
    expectShape({ ...tensor, name, file: weights }, shape);
    return fileConstant({ path: weights.path, offset: tensor.offset }, shape);
  });
  const [ids, mask] = [input('ids', [batch, tokens], 'i64'), input('mask', [batch, tokens])];
  const hide = mul(sub(1, reshape(mask, [batch, 1, 1, tokens])), -1e9);
  // The published graph adds the word embeddings to the positions twice.
  const words = mul(layers.embedding('embedding', ids, [tableRows, wordWidth]), 2);
  let x = layers.addPositions('position', words, [mostTokens, wordWidth]); // [batch, tokens, 256]
  for (const layer of [0, 1]) x = buildLayer(`layer.${layer}`, x, layers, hide); // [batch, tokens, 512]
  const total = reduceSum(mul(x, reshape(mask, [batch, tokens, 1])), [1]); // [batch, 512]
  const mean = div(total, reduceSum(mask, [1], true));
  const head = tanh(layers.linear('head', mean, { outputs: width }));
  return div(head, sqrt(max(reduceSum(square(head), [1], true), 1e-12)));
}

/** One pre-norm layer; if the width changes, the shortcut is a linear map. */
function buildLayer(name: string, x: Value, layers: Layers, hide: Value): Value {
  const inputs = x.shape.at(-1) as number;
  const dense = (map: string, from: Value, outputs: number) => layers.linear(`${name}.${map}`, from, { outputs });
  const all = dense('query-key-value', layers.norm(`${name}.norm`, x, epsilon), 3 * inputs);
  const [query, key, value] = split(all, [inputs, inputs, inputs], -1) as [Value, Value, Value];
  const attended = dense('output', attend(query, key, value, heads, hide), width);
  const sum = add(attended, inputs === width ? x : dense('shortcut', x, width));
  const lifted = relu(dense('lift', layers.norm(`${name}.inner-norm`, sum, epsilon), innerWidth));
  return add(sum, dense('lower', lifted, width));
}
