// Models of random shapes, with every parameter as an input and one loss per example.

import fc from 'fast-check';
import { expect } from 'vitest';
import { crossEntropy, input, mul, sizeOf, type Value } from '../../src/engine/index.js';
import { findArchitecture } from '../../src/models/architectures.js';
import {
  type BertConfig,
  buildBert,
  buildGpt2,
  type Layers,
  type ModelGraph,
  makeLayers,
  type Task,
  taskLogits,
} from '../../src/models/index.js';

export interface Sizes {
  readonly batch: number;
  readonly tokens: number;
}
export type Build = (layers: Layers, ids: Value, mask: Value) => ModelGraph;

/** The model with every parameter as an input, its traces, and one loss per example. */
export function openRandom(build: Build, use: Task, { batch, tokens }: Sizes) {
  const parameters: Record<string, Value> = {};
  const layers = makeLayers((name, shape) => {
    expect(parameters, 'asked for once').not.toHaveProperty([name]);
    parameters[name] = input(name, shape);
    return parameters[name];
  });
  const mask = input('mask', [batch, tokens]);
  const graph = build(layers, input('ids', [batch, tokens], 'i64'), mask);
  const targets = input('targets', use === 'classification' ? [batch] : [batch, tokens], 'i64');
  const losses = crossEntropy(taskLogits(graph, use), targets);
  // Some token losses count more than others, padding none.
  const loss = use === 'classification' ? losses : mul(losses, input('weights', [batch, tokens]));
  return { parameters, traces: layers.traces, loss };
}

const rawRoberta = (config: BertConfig) => ({
  model_type: 'roberta',
  vocab_size: config.vocabulary,
  hidden_size: config.hidden,
  num_hidden_layers: config.layers,
  num_attention_heads: config.heads,
  intermediate_size: config.intermediateSize,
  max_position_embeddings: config.positions + 2,
  type_vocab_size: config.types,
  layer_norm_eps: config.epsilon,
  num_labels: config.numLabels,
});
const rawDistilBert = (config: BertConfig) => ({
  model_type: 'distilbert',
  vocab_size: config.vocabulary,
  dim: config.hidden,
  n_layers: config.layers,
  n_heads: config.heads,
  hidden_dim: config.intermediateSize,
  max_position_embeddings: config.positions,
  num_labels: config.numLabels,
});

export const builds = {
  BERT: (config) => (layers, tokenIds, mask) => buildBert(config, layers, { ids: tokenIds }, mask),
  RoBERTa: (config) => (layers, tokenIds, mask) =>
    findArchitecture(rawRoberta(config)).open(rawRoberta(config)).build(layers, { ids: tokenIds }, mask),
  DistilBERT: (config) => (layers, tokenIds, mask) =>
    findArchitecture(rawDistilBert(config)).open(rawDistilBert(config)).build(layers, { ids: tokenIds }, mask),
  'GPT-2': (config) => (layers, tokenIds, mask) => buildGpt2(config, layers, { ids: tokenIds }, mask),
} satisfies Record<string, (config: BertConfig) => Build>;

export const anySizes = fc
  .record({
    heads: fc.integer({ min: 1, max: 3 }),
    size: fc.integer({ min: 2, max: 3 }),
    layers: fc.integer({ min: 1, max: 2 }),
    intermediateSize: fc.integer({ min: 2, max: 7 }),
    vocabulary: fc.integer({ min: 2, max: 6 }),
    spare: fc.nat(2),
    types: fc.integer({ min: 1, max: 3 }),
    numLabels: fc.integer({ min: 2, max: 4 }),
    lengths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    seed: fc.nat(1e6),
  })
  .map(({ size, spare, lengths, seed, ...rest }) => {
    const tokens = Math.max(...lengths);
    const config = { ...rest, hidden: rest.heads * size, positions: tokens + spare, epsilon: 1e-3 };
    return { config, lengths, tokens, seed };
  });

export type RandomSizes = typeof anySizes extends fc.Arbitrary<infer T> ? T : never;

/** Numbers in [0, 1), the same for the same name and seed. */
export function numbersFor(name: string, seed: number, count: number): number[] {
  let state = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, seed + 7);
  return Array.from({ length: count }, () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 2_654_435_769) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  });
}

/** Numbers for every parameter and input of a random model. */
export function drawFeeds(
  { config, lengths, tokens, seed }: RandomSizes,
  use: Task,
  parameters: Readonly<Record<string, Value>>,
): { readonly weights: Record<string, number[]>; readonly rows: Record<string, number[]> } {
  const batch = lengths.length;
  const draw = (name: string, count: number, map: (x: number) => number) => numbersFor(name, seed, count).map(map);
  const mask = lengths.flatMap((length) => Array.from({ length: tokens }, (_, i) => Number(i < length)));
  const targets = use === 'classification' ? batch : batch * tokens;
  const classes = use === 'lm' ? config.vocabulary : config.numLabels;
  return {
    weights: Object.fromEntries(
      Object.entries(parameters).map(([name, { shape }]) => [name, draw(name, sizeOf(shape), (x) => 2 * x - 1)]),
    ),
    rows: {
      ids: draw('ids', batch * tokens, (x) => Math.floor(x * config.vocabulary)),
      mask,
      targets: draw('targets', targets, (x) => Math.floor(x * classes)),
      weights: draw('weights', batch * tokens, (x) => x).map((x, i) => x * (mask[i] as number)),
    },
  };
}

/** One example's part of every array. */
export const rowsOfExample = (
  rows: Readonly<Record<string, number[]>>,
  batch: number,
  example: number,
): Record<string, number[]> =>
  Object.fromEntries(
    Object.entries(rows).map(([name, all]) => {
      const width = all.length / batch;
      return [name, all.slice(example * width, (example + 1) * width)];
    }),
  );
