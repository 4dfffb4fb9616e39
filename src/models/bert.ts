// BERT (Devlin et al. 2019) with its pooler, a classifier and the masked-LM head, with the parameter names of Hugging Face
// (without the prefix `bert.`). Dropout is off: the graph is the model in evaluation mode, in training too.

import { add, gelu, mul, reshape, sliceAxis, squeeze, sub, tanh, type Value } from '../engine/index.js';
import { attend } from './attention.js';
import {
  expectHeads,
  expectValue,
  type ModelConfig,
  type RawConfig,
  readCount,
  readLabels,
  readLayers,
  readPositive,
} from './config.js';
import { type ModelGraph, type ModelInput, pickPlaces } from './graph.js';
import type { Layers } from './layers.js';

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
    layers: readLayers(config, 'num_hidden_layers'),
    heads,
    intermediateSize: readCount(config, 'intermediate_size'),
    positions: readCount(config, 'max_position_embeddings'),
    types: readCount(config, 'type_vocab_size', 2),
    epsilon: readPositive(config, 'layer_norm_eps', 1e-12),
    numLabels: readLabels(config),
  };
}

export interface BertGraph extends ModelGraph {
  /** tanh of a linear map of the first token's state: [batch, hidden]. */
  readonly pooled: () => Value;
}

/** `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding. */
export function buildBert(config: BertConfig, layers: Layers, source: ModelInput, mask: Value): BertGraph {
  const { hidden, epsilon } = config;
  const [batch, tokens] = mask.shape as [number, number];
  const table = 'embeddings.word_embeddings';
  const words = 'ids' in source ? layers.embedding(table, source.ids, [config.vocabulary, hidden]) : source.words;
  const typed = layers.addRow('embeddings.token_type_embeddings', words, [config.types, hidden], 0);
  const placed = layers.addPositions('embeddings.position_embeddings', typed, [config.positions, hidden]);
  const states = [layers.norm('embeddings.LayerNorm', placed, epsilon)];
  const hide = mul(sub(1, reshape(mask, [batch, 1, 1, tokens])), -1e9);
  for (let layer = 0; layer < config.layers; layer++) {
    states.push(bertBlock(`encoder.layer.${layer}`, states.at(-1) as Value, config, layers, hide));
  }

  const last = states.at(-1) as Value;
  const dense = (name: string, x: Value, outputs: number) => layers.linear(name, x, { outputs, transposed: true });
  let pooledOnce: Value | undefined;
  const pooled = () => {
    const first = () => squeeze(sliceAxis(last, 1, 0, 1), 1); // [batch, hidden]
    pooledOnce ??= tanh(dense('pooler.dense', first(), hidden));
    return pooledOnce;
  };
  return {
    words,
    states,
    final: () => last,
    pooled,
    classify: () => dense('classifier', pooled(), config.numLabels),
    lmLogits: (places) => {
      const lifted = gelu(dense('cls.predictions.transform.dense', pickPlaces(last, places), hidden));
      const normal = layers.norm('cls.predictions.transform.LayerNorm', lifted, epsilon);
      const tied = { weight: `${table}.weight`, bias: 'cls.predictions.bias', transposed: true };
      return layers.linear('cls.predictions.decoder', normal, { ...tied, outputs: config.vocabulary });
    },
  };
}

interface BlockSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly intermediateSize: number;
  readonly epsilon: number;
}

/** Attention and feed-forward, each followed by adding its input and normalising. */
export function bertBlock(name: string, x: Value, sizes: BlockSizes, layers: Layers, mask?: Value): Value {
  const { hidden, heads, intermediateSize, epsilon } = sizes;
  const dense = (part: string, from: Value, outputs: number) =>
    layers.linear(`${name}.${part}`, from, { outputs, transposed: true });
  const [query, key, value] = ['query', 'key', 'value'].map((part) => dense(`attention.self.${part}`, x, hidden));
  const context = attend(query as Value, key as Value, value as Value, heads, mask);
  const attended = layers.norm(
    `${name}.attention.output.LayerNorm`,
    add(x, dense('attention.output.dense', context, hidden)),
    epsilon,
  );
  const lifted = gelu(dense('intermediate.dense', attended, intermediateSize));
  return layers.norm(`${name}.output.LayerNorm`, add(attended, dense('output.dense', lifted, hidden)), epsilon);
}
