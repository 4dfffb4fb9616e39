// GPT-2 (Radford et al. 2019) with a tied language-model head and a classifier on the last real token, with the parameter
// names of Hugging Face (without the prefix `transformer.`). Dropout stands where Hugging
// Face has it, if the graph is built with it.

import {
  add,
  concat,
  gelu,
  matMul,
  sliceAxis,
  split,
  squeeze,
  sub,
  unsqueeze,
  type Value,
  zeros,
} from '../engine/index.js';
import type { Architecture } from './architecture.js';
import { attend, causalMask } from './attention.js';
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
import { type HeadName, readHead } from './heads.js';
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
  positionLayout,
  tableLayout,
} from './layout.js';

/** Reads and checks GPT-2's sizes in config.json. */
export function parseGpt2Config(config: RawConfig): ModelConfig {
  expectValue(config, 'model_type', 'gpt2');
  expectValue(config, 'activation_function', 'gelu_new');
  expectValue(config, 'scale_attn_weights', true);
  expectValue(config, 'scale_attn_by_inverse_layer_idx', false);
  expectValue(config, 'tie_word_embeddings', true);
  const [hidden, heads] = [readCount(config, 'n_embd'), readCount(config, 'n_head')];
  expectHeads(hidden, heads, 'n_embd');
  return {
    vocabulary: readCount(config, 'vocab_size'),
    hidden,
    layers: readLayers(config, 'n_layer'),
    heads,
    intermediateSize: readCount(config, 'n_inner', 4 * hidden),
    positions: readCount(config, 'n_positions'),
    epsilon: readPositive(config, 'layer_norm_epsilon', 1e-5),
    numLabels: readLabels(config),
  };
}

const linear = (name: string): LinearLayout => linearLayout(name, { transposed: false });

const embeddings = { words: tableLayout('wte'), positions: positionLayout('wpe') };
const finalNorm = normLayout('ln_f');
const score = tableLayout('score');
const tokenClassifier = linearLayout('classifier', { transposed: true });

function blockLayout(layer: number) {
  const name = `h.${layer}`;
  const fused = (third: 0 | 1 | 2) => ({ ...linear(`${name}.attn.c_attn`), third });
  return {
    query: fused(0),
    key: fused(1),
    value: fused(2),
    attentionOutput: linear(`${name}.attn.c_proj`),
    intermediate: linear(`${name}.mlp.c_fc`),
    feedForwardOutput: linear(`${name}.mlp.c_proj`),
    norms: { beforeAttention: normLayout(`${name}.ln_1`), beforeFeedForward: normLayout(`${name}.ln_2`) },
  } satisfies BlockLayout;
}

function gpt2Layout({ layers }: ModelConfig, head: HeadName): ModelLayout {
  const blocks = layoutBlocks(layers, blockLayout);
  return {
    embeddings,
    blocks,
    normPlacement: 'pre',
    activation: 'gelu',
    attention: 'causal',
    losses: head === 'classification' ? ['next', 'class'] : ['next'],
    parameterGroups: [
      parameterNames(embeddings.words),
      parameterNames(embeddings.positions),
      ...blocks.map(blockParameters),
      parameterNames(finalNorm),
      parameterNames(head === 'classification' ? score : tokenClassifier),
    ],
  };
}

/** Builds GPT-2's graph. `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding, which must be on the right. */
export function buildGpt2(config: ModelConfig, layers: Layers, source: ModelInput, mask: Value): ModelGraph {
  const { hidden, intermediateSize, heads, epsilon } = config;
  const [, tokens] = mask.shape as [number, number];
  const dense = (map: LinearLayout, x: Value, outputs: number) => layers.linear(map.name, x, { outputs });

  const { words: table, positions } = embeddings;
  const words = 'ids' in source ? layers.embedding(table.name, source.ids, [config.vocabulary, hidden]) : source.words;
  const hide = causalMask(tokens);
  const placed = layers.addPositions(positions.name, words, [config.positions, hidden]);
  let x = layers.drop('embeddings', 'embeddings', placed);
  const states = [x];
  for (let layer = 0; layer < config.layers; layer++) {
    const { norms, ...block } = blockLayout(layer);
    const joined = dense(block.query, layers.norm(norms.beforeAttention.name, x, epsilon), 3 * hidden);
    const [query, key, value] = split(joined, [hidden, hidden, hidden], 2) as [Value, Value, Value];
    const dropWeights = (weights: Value) => layers.drop(`h.${layer}.attn.weights`, 'attention', weights);
    const context = attend(query, key, value, heads, hide, dropWeights);
    x = add(x, layers.drop(`h.${layer}.attn`, 'hidden', dense(block.attentionOutput, context, hidden)));
    const normal = layers.norm(norms.beforeFeedForward.name, x, epsilon);
    const lifted = gelu(dense(block.intermediate, normal, intermediateSize), 'tanh');
    x = add(x, layers.drop(`h.${layer}.mlp`, 'hidden', dense(block.feedForwardOutput, lifted, hidden)));
    states.push(x);
  }
  // The final norm acts on each token separately, so it is applied only where its result is used.
  const norm = (from: Value) => layers.norm(finalNorm.name, from, epsilon);
  return {
    words,
    states,
    final: () => norm(x),
    classify: () =>
      layers.linear(score.name, norm(lastOf(x, mask)), { outputs: config.numLabels, bias: false, transposed: true }),
    labelTokens: () => layers.linear(tokenClassifier.name, norm(x), { outputs: config.numLabels, transposed: true }),
    lmLogits: (places) =>
      layers.linear('lm_head', norm(pickPlaces(x, places)), {
        outputs: config.vocabulary,
        weight: table.weight,
        bias: false,
        transposed: true,
      }),
  };
}

/** The state of the last token before the padding, where the mask is 1 and the next is 0. */
function lastOf(states: Value, mask: Value): Value {
  const [batch, tokens] = mask.shape as [number, number];
  const next = concat([sliceAxis(mask, 1, 1, tokens), zeros({ dtype: 'f32', shape: [batch, 1] })], 1);
  return squeeze(matMul(unsqueeze(sub(mask, next), 1), states), 1); // [batch, hidden]
}

/** GPT-2 as `loadModel` knows it. */
export const gpt2: Architecture = {
  prefix: 'transformer.',
  unprefixed: /^(score|classifier)\./,
  optional: /^(score|classifier)\./,
  selections: {
    head: /^(score|classifier)\./,
    'pooler+classifier': /^(ln_f|score|classifier)\./,
    'norm+score': /^(ln_f|score)\./,
  },
  classNames: { classification: 'GPT2ForSequenceClassification', tokens: 'GPT2ForTokenClassification' },
  readDropout: (config) => ({
    embeddings: readRate(config, 'embd_pdrop', 0.1),
    attention: readRate(config, 'attn_pdrop', 0.1),
    hidden: readRate(config, 'resid_pdrop', 0.1),
    // Nothing is dropped before `score`.
    summary: 0,
    classifier: 0,
  }),
  open: (raw) => {
    const config = parseGpt2Config(raw);
    const head = readHead(raw);
    return { config, head, layout: gpt2Layout(config, head), build: (...rest) => buildGpt2(config, ...rest) };
  },
};
