// BERT (Devlin et al. 2019) with its pooler, classifiers of texts and tokens, and the masked-LM head, with the parameter names of
// Hugging Face (without the prefix `bert.`). Encoders that differ in names and small things only are built here too, from their
// `EncoderNames`. Dropout stands where Hugging Face has it, if the graph is built with it.

import { add, gelu, mul, reshape, sliceAxis, squeeze, sub, tanh, type Value } from '../engine/index.js';
import type { Architecture, OpenArchitecture } from './architecture.js';
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
import { type DropoutRates, readRate } from './dropout.js';
import { type ModelGraph, type ModelInput, pickPlaces } from './graph.js';
import { type HeadName, readHead } from './heads.js';
import type { Layers } from './layers.js';
import {
  type BlockLayout,
  blockParameters,
  type LinearLayout,
  layoutBlocks,
  linearLayout,
  type ModelLayout,
  type NormLayout,
  normLayout,
  parameterNames,
  positionLayout,
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
  return { ...readBertSizes(config), positions: readCount(config, 'max_position_embeddings') };
}

/** Reads the sizes of an encoder with BERT's keys, except for its positions. */
export function readBertSizes(config: RawConfig): Omit<BertConfig, 'positions'> {
  expectValue(config, 'hidden_act', 'gelu');
  expectValue(config, 'position_embedding_type', 'absolute');
  expectValue(config, 'is_decoder', false);
  expectValue(config, 'tie_word_embeddings', true);
  const [hidden, heads] = [readCount(config, 'hidden_size'), readCount(config, 'num_attention_heads')];
  expectHeads(hidden, heads, 'hidden_size');
  return {
    vocabulary: readCount(config, 'vocab_size'),
    hidden,
    layers: readLayers(config, 'num_hidden_layers'),
    heads,
    intermediateSize: readCount(config, 'intermediate_size'),
    types: readCount(config, 'type_vocab_size', 2),
    epsilon: readPositive(config, 'layer_norm_eps', 1e-12),
    numLabels: readLabels(config),
  };
}

const linear = (name: string): LinearLayout => linearLayout(name, { transposed: true });

/** The parameters of an encoder like BERT by role, and how it summarises a text. */
export interface EncoderNames {
  readonly embeddings: ModelLayout['embeddings'] & { readonly norm: NormLayout };
  readonly block: (layer: number) => PostNormBlock;
  /** Maps the first token's state to what the classifier of texts reads. */
  readonly summary: LinearLayout;
  /** Follows the summary's map. */
  readonly activation: (x: Value) => Value;
  readonly classifier: LinearLayout;
  /** Whether dropout acts on what the summary reads, too. */
  readonly dropsSummary?: true;
  /** The head of masked tokens: a map, GELU, a norm, and the word table with a bias. */
  readonly transform: LinearLayout;
  readonly transformNorm: NormLayout;
  readonly decoderBias: string;
}

/** A block with a norm after attention and one after the feed-forward network. */
type PostNormBlock = BlockLayout & {
  readonly norms: { readonly afterFeedForward: NormLayout };
  /** Dropout acts on attention probabilities and after the feed-forward network, but not on what attention adds. Absent: there too. */
  readonly keepsAttention?: true;
};

/** The classifier of tokens, which all encoders name alike. */
const tokenClassifier = linear('classifier');

/** Layout of the block called `name`. */
export const bertBlockLayout = (name: string): PostNormBlock => ({
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
});

/** What encoders with BERT's names below the heads share. */
export const bertBody = (firstPosition = 0): Pick<EncoderNames, 'embeddings' | 'block'> => ({
  embeddings: {
    words: tableLayout('embeddings.word_embeddings'),
    positions: positionLayout('embeddings.position_embeddings', firstPosition),
    tokenTypes: tableLayout('embeddings.token_type_embeddings'),
    norm: normLayout('embeddings.LayerNorm'),
  },
  block: (layer) => bertBlockLayout(`encoder.layer.${layer}`),
});

const bertNames: EncoderNames = {
  ...bertBody(),
  summary: linear('pooler.dense'),
  activation: tanh,
  classifier: linear('classifier'),
  transform: linear('cls.predictions.transform.dense'),
  transformNorm: normLayout('cls.predictions.transform.LayerNorm'),
  decoderBias: 'cls.predictions.bias',
};

function encoderLayout({ layers }: ModelConfig, names: EncoderNames, head: HeadName): ModelLayout {
  const { embeddings, summary, classifier, transform, transformNorm, decoderBias } = names;
  const blocks = layoutBlocks(layers, names.block);
  const ofTexts = head === 'classification';
  const heads = ofTexts ? [parameterNames(summary), parameterNames(classifier)] : [parameterNames(tokenClassifier)];
  return {
    embeddings,
    blocks,
    normPlacement: 'post',
    activation: 'gelu',
    attention: 'bidirectional',
    decoderBias,
    ...(ofTexts && { classifierBias: classifier.bias }),
    losses: ['all', 'masked', ...(ofTexts ? (['class'] as const) : [])],
    parameterGroups: [
      parameterNames(embeddings.words, embeddings.tokenTypes, embeddings.positions, embeddings.norm),
      ...blocks.map(blockParameters),
      ...heads,
      [...parameterNames(transform, transformNorm), decoderBias],
    ],
  };
}

interface BertGraph extends ModelGraph {
  /** What the classifier of texts reads, from the first token's state; BERT's pooled vector: [batch, hidden]. */
  readonly pooled: () => Value;
}

/** Builds the graph of BERT, or of an encoder with other names. `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding. */
export function buildBert(
  config: BertConfig,
  layers: Layers,
  source: ModelInput,
  mask: Value,
  names: EncoderNames = bertNames,
): BertGraph {
  const { hidden, epsilon, numLabels } = config;
  const [batch, tokens] = mask.shape as [number, number];
  const { words: table, tokenTypes, positions, norm } = names.embeddings;
  const words = 'ids' in source ? layers.embedding(table.name, source.ids, [config.vocabulary, hidden]) : source.words;
  const typed = tokenTypes ? layers.addRow(tokenTypes.name, words, [config.types, hidden], 0) : words;
  const rows = positions.first + config.positions;
  const placed = layers.addPositions(positions.name, typed, [rows, hidden], positions.first);
  const states = [layers.drop('embeddings', 'embeddings', layers.norm(norm.name, placed, epsilon))];
  const hide = mul(sub(1, reshape(mask, [batch, 1, 1, tokens])), -1e9);
  for (let layer = 0; layer < config.layers; layer++) {
    states.push(bertBlock(names.block(layer), states.at(-1) as Value, config, layers, hide));
  }

  const last = states.at(-1) as Value;
  const dense = denseFor(layers);
  let pooledOnce: Value | undefined;
  const pooled = () => {
    const first = () => squeeze(sliceAxis(last, 1, 0, 1), 1); // [batch, hidden]
    const read = () => (names.dropsSummary ? layers.drop('summary', 'summary', first()) : first());
    pooledOnce ??= names.activation(dense(names.summary, read(), hidden));
    return pooledOnce;
  };
  return {
    words,
    states,
    final: () => last,
    pooled,
    classify: () => dense(names.classifier, layers.drop('classifier', 'classifier', pooled()), numLabels),
    labelTokens: () => dense(tokenClassifier, layers.drop('classifier', 'classifier', last), numLabels),
    lmLogits: (places) => {
      const lifted = gelu(dense(names.transform, pickPlaces(last, places), hidden));
      const normal = layers.norm(names.transformNorm.name, lifted, epsilon);
      const tied = { weight: table.weight, bias: names.decoderBias, transposed: true };
      return layers.linear('decoder', normal, { ...tied, outputs: config.vocabulary });
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
  { norms, keepsAttention, ...block }: PostNormBlock,
  x: Value,
  { hidden, heads, intermediateSize, epsilon }: BlockSizes,
  layers: Layers,
  mask?: Value,
  activation: (x: Value) => Value = gelu,
): Value {
  const dense = denseFor(layers);
  const [query, key, value] = [block.query, block.key, block.value].map((map) => dense(map, x, hidden));
  const dropWeights = (weights: Value) => layers.drop(`${block.query.name} weights`, 'attention', weights);
  const context = attend(query as Value, key as Value, value as Value, heads, mask, dropWeights);
  const found = dense(block.attentionOutput, context, hidden);
  const joined = keepsAttention ? found : layers.drop(block.attentionOutput.name, 'hidden', found);
  const attended = layers.norm(norms.beforeFeedForward.name, add(x, joined), epsilon);
  const lifted = activation(dense(block.intermediate, attended, intermediateSize));
  const lowered = layers.drop(block.feedForwardOutput.name, 'hidden', dense(block.feedForwardOutput, lifted, hidden));
  return layers.norm(norms.afterFeedForward.name, add(attended, lowered), epsilon);
}

/** Reads the probabilities of dropout of an encoder with BERT's keys. */
export function readBertDropout(config: RawConfig): DropoutRates {
  const hidden = readRate(config, 'hidden_dropout_prob', 0.1);
  const classifier = readRate(config, 'classifier_dropout', hidden);
  const attention = readRate(config, 'attention_probs_dropout_prob', 0.1);
  return { embeddings: hidden, attention, hidden, summary: classifier, classifier };
}

/** An encoder with these sizes and names, as `loadModel` uses it. */
export function openEncoder(raw: RawConfig, config: BertConfig, names: EncoderNames): OpenArchitecture {
  const head = readHead(raw);
  return {
    config,
    head,
    layout: encoderLayout(config, names, head),
    build: (layers, source, mask) => buildBert(config, layers, source, mask, names),
  };
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
  classNames: { classification: 'BertForSequenceClassification', tokens: 'BertForTokenClassification' },
  readDropout: readBertDropout,
  open: (raw) => openEncoder(raw, parseBertConfig(raw), bertNames),
};
