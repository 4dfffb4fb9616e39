// DistilBERT (Sanh et al. 2019): BERT's blocks under other names, without token types and pooler; the classifier of texts reads the
// first token's state through a map with ReLU. The key sinusoidal_pos_embds concerns the initial values of the position table only.

import { relu } from '../engine/index.js';
import type { Architecture } from './architecture.js';
import { type BertConfig, type EncoderNames, openEncoder } from './bert.js';
import { expectHeads, expectValue, type RawConfig, readCount, readLabels, readLayers } from './config.js';
import { readRate } from './dropout.js';
import { linearLayout, normLayout, positionLayout, tableLayout } from './layout.js';

function parseDistilBertConfig(config: RawConfig): BertConfig {
  expectValue(config, 'model_type', 'distilbert');
  expectValue(config, 'activation', 'gelu');
  expectValue(config, 'tie_word_embeddings', true);
  const [hidden, heads] = [readCount(config, 'dim'), readCount(config, 'n_heads')];
  expectHeads(hidden, heads, 'dim');
  return {
    vocabulary: readCount(config, 'vocab_size'),
    hidden,
    layers: readLayers(config, 'n_layers'),
    heads,
    intermediateSize: readCount(config, 'hidden_dim'),
    positions: readCount(config, 'max_position_embeddings'),
    types: 0,
    epsilon: 1e-12, // No key sets it.
    numLabels: readLabels(config),
  };
}

const linear = (name: string) => linearLayout(name, { transposed: true });

const names: EncoderNames = {
  embeddings: {
    words: tableLayout('embeddings.word_embeddings'),
    positions: positionLayout('embeddings.position_embeddings'),
    norm: normLayout('embeddings.LayerNorm'),
  },
  block: (layer) => {
    const name = `transformer.layer.${layer}`;
    return {
      query: linear(`${name}.attention.q_lin`),
      key: linear(`${name}.attention.k_lin`),
      value: linear(`${name}.attention.v_lin`),
      attentionOutput: linear(`${name}.attention.out_lin`),
      intermediate: linear(`${name}.ffn.lin1`),
      feedForwardOutput: linear(`${name}.ffn.lin2`),
      norms: {
        beforeFeedForward: normLayout(`${name}.sa_layer_norm`),
        afterFeedForward: normLayout(`${name}.output_layer_norm`),
      },
      keepsAttention: true,
    };
  },
  summary: linear('pre_classifier'),
  activation: relu,
  classifier: linear('classifier'),
  transform: linear('vocab_transform'),
  transformNorm: normLayout('vocab_layer_norm'),
  decoderBias: 'vocab_projector.bias',
};

/** DistilBERT as `loadModel` knows it. */
export const distilbert: Architecture = {
  prefix: 'distilbert.',
  unprefixed: /^(pre_classifier|classifier|vocab_\w+)\./,
  optional: /^(pre_classifier|classifier)\./,
  selections: {
    head: /^classifier\./,
    'pooler+classifier': /^(pre_classifier|classifier)\./,
  },
  classNames: { classification: 'DistilBertForSequenceClassification', tokens: 'DistilBertForTokenClassification' },
  readDropout: (config) => {
    const hidden = readRate(config, 'dropout', 0.1);
    return {
      embeddings: hidden,
      attention: readRate(config, 'attention_dropout', 0.1),
      hidden,
      summary: 0,
      classifier: readRate(config, 'seq_classif_dropout', 0.2),
    };
  },
  open: (raw) => openEncoder(raw, parseDistilBertConfig(raw), names),
};
