// BERT for sequence classification (Devlin et al. 2019), with the parameter names of Hugging Face. Dropout is off: the
// graph is the model in evaluation mode, in training too.

import {
  add,
  affine,
  gather,
  layerNorm,
  mul,
  reshape,
  sliceAxis,
  squeeze,
  sub,
  tanh,
  transpose,
  type Value,
} from '../engine/index.js';
import {
  expectHeads,
  expectValue,
  type ModelConfig,
  type RawConfig,
  readCount,
  readLabels,
  readPositive,
} from './config.js';
import { encoderBlock, type ParameterOf } from './encoder.js';

export interface BertConfig extends ModelConfig {
  readonly types: number;
}

/** From the words of config.json. */
export function parseBertConfig(config: RawConfig): BertConfig {
  expectValue(config, 'model_type', 'bert');
  expectValue(config, 'hidden_act', 'gelu');
  expectValue(config, 'position_embedding_type', 'absolute');
  const [hidden, heads] = [readCount(config, 'hidden_size'), readCount(config, 'num_attention_heads')];
  expectHeads(hidden, heads, 'hidden_size');
  return {
    vocabulary: readCount(config, 'vocab_size'),
    hidden,
    layers: readCount(config, 'num_hidden_layers'),
    heads,
    inner: readCount(config, 'intermediate_size'),
    positions: readCount(config, 'max_position_embeddings'),
    types: readCount(config, 'type_vocab_size', 2),
    epsilon: readPositive(config, 'layer_norm_eps', 1e-12),
    labels: readLabels(config),
  };
}

export interface BertValues {
  /** Word embeddings before anything is added: what gradient inversion optimises. */
  readonly words: Value;
  /** The sum of the embeddings after its norm, then the output of every layer: [batch, tokens, hidden]. */
  readonly states: readonly Value[];
  readonly pooled: Value;
  readonly logits: Value;
}

const blockNames: Readonly<Record<string, string>> = {
  'attention.query': 'attention.self.query',
  'attention.key': 'attention.self.key',
  'attention.value': 'attention.self.value',
  'attention.output': 'attention.output.dense',
  'attention.norm': 'attention.output.LayerNorm',
  inner: 'intermediate.dense',
  outer: 'output.dense',
  norm: 'output.LayerNorm',
};

/**
 * The graph from token ids, or from word embeddings. `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding.
 * `parameter` is asked for names without the prefix `bert.`, with [outputs, inputs] for matrices.
 */
export function buildBert(
  config: BertConfig,
  parameter: ParameterOf,
  source: { readonly ids: Value } | { readonly words: Value },
  mask: Value,
): BertValues {
  const { hidden, epsilon } = config;
  const [batch, tokens] = mask.shape as [number, number];
  const table = 'embeddings.word_embeddings.weight';
  const words = 'ids' in source ? gather(parameter(table, [config.vocabulary, hidden]), source.ids) : source.words;
  const positions = sliceAxis(
    parameter('embeddings.position_embeddings.weight', [config.positions, hidden]),
    0,
    0,
    tokens,
  );
  const type = sliceAxis(parameter('embeddings.token_type_embeddings.weight', [config.types, hidden]), 0, 0, 1);
  const norm = (name: string, x: Value) =>
    layerNorm(x, parameter(`${name}.weight`, [hidden]), parameter(`${name}.bias`, [hidden]), epsilon);
  const dense = (name: string, x: Value, outputs: number) =>
    affine(x, parameter(`${name}.weight`, [outputs, hidden]), parameter(`${name}.bias`, [outputs]), {
      transposeB: true,
    });

  const states = [norm('embeddings.LayerNorm', add(add(words, type), positions))];
  const hide = mul(sub(1, reshape(mask, [batch, 1, 1, tokens])), -1e9);
  for (let layer = 0; layer < config.layers; layer++) {
    states.push(encoderBlock(states.at(-1) as Value, config, inBlock(layer, parameter), hide));
  }
  const first = squeeze(sliceAxis(states.at(-1) as Value, 1, 0, 1), 1); // [batch, hidden]
  const pooled = tanh(dense('pooler.dense', first, hidden));
  return { words, states, pooled, logits: dense('classifier', pooled, config.labels) };
}

/** The block's own names and [inputs, outputs] matrices as Hugging Face has them; the transpose costs nothing. */
const inBlock =
  (layer: number, parameter: ParameterOf): ParameterOf =>
  (name, shape) => {
    const dot = name.lastIndexOf('.');
    const full = `encoder.layer.${layer}.${blockNames[name.slice(0, dot)]}${name.slice(dot)}`;
    return shape.length === 2 ? transpose(parameter(full, shape.toReversed())) : parameter(full, shape);
  };
