// BERT (Devlin et al. 2019) with its pooler, a classifier and the masked-LM head, with the parameter names of Hugging Face
// (without the prefix `bert.`). Dropout stands where Hugging Face has it, if the graph is built with it.

import { add, gelu, mul, reshape, sliceAxis, squeeze, sub, tanh, type Value } from '../engine/index.js';
import type { Architecture } from './architecture.js';
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
import { readRate } from './dropout.js';
import { type ModelGraph, type ModelInput, pickPlaces } from './graph.js';
import type { Layers } from './layers.js';
import {
  type BlockLayout,
  blockParameters,
  type LinearLayout,
  layoutBlocks,
  linearLayout,
  type ModelLayout,
  normLayout,
  parameterNames,
  tableLayout,
} from './layout.js';

/** BERT's sizes. */
export interface BertConfig extends ModelConfig {
  /** Number of token types (segments). */
  readonly types: number;
}

/** Reads and checks BERT's sizes in config.json. */
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

const linear = (name: string): LinearLayout => linearLayout(name, { transposed: true });

const embeddings = {
  words: tableLayout('embeddings.word_embeddings'),
  positions: tableLayout('embeddings.position_embeddings'),
  tokenTypes: tableLayout('embeddings.token_type_embeddings'),
  norm: normLayout('embeddings.LayerNorm'),
};

const taskHeads = {
  pooler: linear('pooler.dense'),
  classifier: linear('classifier'),
  transform: linear('cls.predictions.transform.dense'),
  transformNorm: normLayout('cls.predictions.transform.LayerNorm'),
  decoderBias: 'cls.predictions.bias',
};

/** Layout of the block called `name`. */
export const bertBlockLayout = (name: string) =>
  ({
    query: linear(`${name}.attention.self.query`),
    key: linear(`${name}.attention.self.key`),
    value: linear(`${name}.attention.self.value`),
    attentionOutput: linear(`${name}.attention.output.dense`),
    intermediate: linear(`${name}.intermediate.dense`),
    feedForwardOutput: linear(`${name}.output.dense`),
    norms: {
      beforeFeedForward: normLayout(`${name}.attention.output.LayerNorm`),
      afterFeedForward: normLayout(`${name}.output.LayerNorm`),
    },
  }) satisfies BlockLayout;

const blockName = (layer: number): string => `encoder.layer.${layer}`;

function bertLayout({ layers }: BertConfig): ModelLayout {
  const blocks = layoutBlocks(layers, (layer) => bertBlockLayout(blockName(layer)));
  return {
    embeddings,
    blocks,
    normPlacement: 'post',
    activation: 'gelu',
    attention: 'bidirectional',
    decoderBias: taskHeads.decoderBias,
    classifierBias: taskHeads.classifier.bias,
    losses: ['all', 'masked', 'class'],
    parameterGroups: [
      parameterNames(embeddings.words, embeddings.tokenTypes, embeddings.positions, embeddings.norm),
      ...blocks.map(blockParameters),
      parameterNames(taskHeads.pooler),
      parameterNames(taskHeads.classifier),
      [...parameterNames(taskHeads.transform, taskHeads.transformNorm), taskHeads.decoderBias],
    ],
  };
}

interface BertGraph extends ModelGraph {
  /** tanh of a linear map of the first token's state: [batch, hidden]. */
  readonly pooled: () => Value;
}

/** Builds BERT's graph. `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding. */
export function buildBert(config: BertConfig, layers: Layers, source: ModelInput, mask: Value): BertGraph {
  const { hidden, epsilon } = config;
  const [batch, tokens] = mask.shape as [number, number];
  const { words: table, tokenTypes, positions, norm } = embeddings;
  const words = 'ids' in source ? layers.embedding(table.name, source.ids, [config.vocabulary, hidden]) : source.words;
  const typed = layers.addRow(tokenTypes.name, words, [config.types, hidden], 0);
  const placed = layers.addPositions(positions.name, typed, [config.positions, hidden]);
  const states = [layers.drop('embeddings', 'embeddings', layers.norm(norm.name, placed, epsilon))];
  const hide = mul(sub(1, reshape(mask, [batch, 1, 1, tokens])), -1e9);
  for (let layer = 0; layer < config.layers; layer++) {
    states.push(bertBlock(blockName(layer), states.at(-1) as Value, config, layers, hide));
  }

  const last = states.at(-1) as Value;
  const dense = denseFor(layers);
  let pooledOnce: Value | undefined;
  const pooled = () => {
    const first = () => squeeze(sliceAxis(last, 1, 0, 1), 1); // [batch, hidden]
    pooledOnce ??= tanh(dense(taskHeads.pooler, first(), hidden));
    return pooledOnce;
  };
  return {
    words,
    states,
    final: () => last,
    pooled,
    classify: () => dense(taskHeads.classifier, layers.drop('classifier', 'classifier', pooled()), config.numLabels),
    lmLogits: (places) => {
      const lifted = gelu(dense(taskHeads.transform, pickPlaces(last, places), hidden));
      const normal = layers.norm(taskHeads.transformNorm.name, lifted, epsilon);
      const tied = { weight: table.weight, bias: taskHeads.decoderBias, transposed: true };
      return layers.linear('cls.predictions.decoder', normal, { ...tied, outputs: config.vocabulary });
    },
  };
}

const denseFor = (layers: Layers) => (map: LinearLayout, x: Value, outputs: number) =>
  layers.linear(map.name, x, { outputs, transposed: map.transposed });

interface BlockSizes {
  readonly hidden: number;
  readonly heads: number;
  readonly intermediateSize: number;
  readonly epsilon: number;
}

/** One post-norm block: attention and feed-forward, each followed by the residual and a norm. */
export function bertBlock(
  name: string,
  x: Value,
  { hidden, heads, intermediateSize, epsilon }: BlockSizes,
  layers: Layers,
  mask?: Value,
  activation: (x: Value) => Value = gelu,
): Value {
  const { norms, ...block } = bertBlockLayout(name);
  const dense = denseFor(layers);
  const [query, key, value] = [block.query, block.key, block.value].map((map) => dense(map, x, hidden));
  const dropWeights = (weights: Value) => layers.drop(`${name}.attention.weights`, 'attention', weights);
  const context = attend(query as Value, key as Value, value as Value, heads, mask, dropWeights);
  const joined = layers.drop(`${name}.attention.output`, 'hidden', dense(block.attentionOutput, context, hidden));
  const attended = layers.norm(norms.beforeFeedForward.name, add(x, joined), epsilon);
  const lifted = activation(dense(block.intermediate, attended, intermediateSize));
  const lowered = layers.drop(`${name}.output`, 'hidden', dense(block.feedForwardOutput, lifted, hidden));
  return layers.norm(norms.afterFeedForward.name, add(attended, lowered), epsilon);
}

/** BERT as `loadModel` knows it. */
export const bert: Architecture = {
  prefix: 'bert.',
  unprefixed: /^(classifier|cls)\./,
  optional: /^(classifier|pooler)\./,
  selections: {
    head: /^classifier\./,
    'pooler+classifier': /^(pooler|classifier)\./,
  },
  className: 'BertForSequenceClassification',
  readDropout: (config) => {
    const hidden = readRate(config, 'hidden_dropout_prob', 0.1);
    return {
      embeddings: hidden,
      attention: readRate(config, 'attention_probs_dropout_prob', 0.1),
      hidden,
      classifier: readRate(config, 'classifier_dropout', hidden),
    };
  },
  open: (raw) => {
    const config = parseBertConfig(raw);
    return { config, layout: bertLayout(config), build: (...rest) => buildBert(config, ...rest) };
  },
};
