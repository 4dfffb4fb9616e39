// GPT-2 (Radford et al. 2019) with a tied language-model head and a classifier on the last real token, with the parameter
// names of Hugging Face (without the prefix `transformer.`). Dropout is off: the graph is the model in evaluation mode, in training too.

import {
  add,
  concat,
  constant,
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

/** From the words of config.json. */
export function parseGpt2Config(config: RawConfig): ModelConfig {
  expectValue(config, 'model_type', 'gpt2');
  expectValue(config, 'activation_function', 'gelu_new');
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

/**
 * `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding, which stands on the right.
 */
export function buildGpt2(config: ModelConfig, layers: Layers, source: ModelInput, mask: Value): ModelGraph {
  const { hidden, intermediateSize, heads, epsilon } = config;
  const [, tokens] = mask.shape as [number, number];
  const dense = (name: string, x: Value, outputs: number) => layers.linear(name, x, { outputs });

  const words = 'ids' in source ? layers.embedding('wte', source.ids, [config.vocabulary, hidden]) : source.words;
  const hide = causalMask(tokens);
  let x = layers.addPositions('wpe', words, [config.positions, hidden]);
  const states = [x];
  for (let layer = 0; layer < config.layers; layer++) {
    const name = `h.${layer}`;
    const joined = dense(`${name}.attn.c_attn`, layers.norm(`${name}.ln_1`, x, epsilon), 3 * hidden);
    const [query, key, value] = split(joined, [hidden, hidden, hidden], 2) as [Value, Value, Value];
    x = add(x, dense(`${name}.attn.c_proj`, attend(query, key, value, heads, hide), hidden));
    const lifted = gelu(dense(`${name}.mlp.c_fc`, layers.norm(`${name}.ln_2`, x, epsilon), intermediateSize), 'tanh');
    x = add(x, dense(`${name}.mlp.c_proj`, lifted, hidden));
    states.push(x);
  }
  // The final norm acts on each token alone, so it is applied only where its result is used.
  const norm = (from: Value) => layers.norm('ln_f', from, epsilon);
  return {
    words,
    states,
    final: () => norm(x),
    classify: () =>
      layers.linear('score', norm(lastOf(x, mask)), { outputs: config.numLabels, bias: false, transposed: true }),
    lmLogits: (places) =>
      layers.linear('lm_head', norm(pickPlaces(x, places)), {
        outputs: config.vocabulary,
        weight: 'wte.weight',
        bias: false,
        transposed: true,
      }),
  };
}

/** Hides from each token what comes after it; that covers padding too, which stands on the right. */
function causalMask(tokens: number): Value {
  const later = Float32Array.from({ length: tokens * tokens }, (_, i) =>
    i % tokens > Math.floor(i / tokens) ? -1e9 : 0,
  );
  return constant(later, [1, 1, tokens, tokens]);
}

/** The state of the last real token: where the mask is 1 and the next is 0. */
function lastOf(states: Value, mask: Value): Value {
  const [batch, tokens] = mask.shape as [number, number];
  const next = concat([sliceAxis(mask, 1, 1, tokens), zeros({ dtype: 'f32', shape: [batch, 1] })], 1);
  return squeeze(matMul(unsqueeze(sub(mask, next), 1), states), 1); // [batch, hidden]
}
