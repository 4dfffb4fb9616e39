// GPT-2 (Radford et al. 2019) with a tied language-model head and a classifier on the last real token, with the parameter
// names of Hugging Face. Dropout is off: the graph is the model in evaluation mode, in training too.

import {
  add,
  affine,
  concat,
  constant,
  gather,
  gelu,
  layerNorm,
  matMul,
  sliceAxis,
  split,
  squeeze,
  sub,
  unsqueeze,
  type Value,
  zeros,
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
import { attend, type ParameterOf } from './encoder.js';

/** From the words of config.json. */
export function parseGpt2Config(config: RawConfig): ModelConfig {
  expectValue(config, 'model_type', 'gpt2');
  expectValue(config, 'activation_function', 'gelu_new');
  const [hidden, heads] = [readCount(config, 'n_embd'), readCount(config, 'n_head')];
  expectHeads(hidden, heads, 'n_embd');
  return {
    vocabulary: readCount(config, 'vocab_size'),
    hidden,
    layers: readCount(config, 'n_layer'),
    heads,
    inner: readCount(config, 'n_inner', 4 * hidden),
    positions: readCount(config, 'n_positions'),
    epsilon: readPositive(config, 'layer_norm_epsilon', 1e-5),
    labels: readLabels(config),
  };
}

export interface Gpt2Values {
  /** Word embeddings before the positions are added. */
  readonly words: Value;
  /** After the final norm: [batch, tokens, hidden]. */
  readonly states: Value;
  /** Of the classifier: [batch, labels]. */
  readonly logits: Value;
  /** Of the next token at every place: [batch, tokens, vocabulary]. */
  readonly nextLogits: Value;
}

/**
 * The graph from token ids, or from word embeddings. `mask` is f32 [batch, tokens], 1 for tokens and 0 for padding, which
 * stands on the right. `parameter` is asked for names without the prefix `transformer.`.
 */
export function buildGpt2(
  config: ModelConfig,
  parameter: ParameterOf,
  source: { readonly ids: Value } | { readonly words: Value },
  mask: Value,
): Gpt2Values {
  const { hidden, inner, heads, epsilon } = config;
  const [, tokens] = mask.shape as [number, number];
  const dense = (name: string, x: Value, inputs: number, outputs: number) =>
    affine(x, parameter(`${name}.weight`, [inputs, outputs]), parameter(`${name}.bias`, [outputs]));
  const norm = (name: string, x: Value) =>
    layerNorm(x, parameter(`${name}.weight`, [hidden]), parameter(`${name}.bias`, [hidden]), epsilon);

  const table = parameter('wte.weight', [config.vocabulary, hidden]);
  const words = 'ids' in source ? gather(table, source.ids) : source.words;
  const hide = causalMask(tokens);
  let x = add(words, sliceAxis(parameter('wpe.weight', [config.positions, hidden]), 0, 0, tokens));
  for (let layer = 0; layer < config.layers; layer++) {
    const name = `h.${layer}`;
    const joined = dense(`${name}.attn.c_attn`, norm(`${name}.ln_1`, x), hidden, 3 * hidden);
    const [query, key, value] = split(joined, [hidden, hidden, hidden], 2) as [Value, Value, Value];
    x = add(x, dense(`${name}.attn.c_proj`, attend(query, key, value, heads, hide), hidden, hidden));
    const lifted = gelu(dense(`${name}.mlp.c_fc`, norm(`${name}.ln_2`, x), hidden, inner), 'tanh');
    x = add(x, dense(`${name}.mlp.c_proj`, lifted, inner, hidden));
  }
  const states = norm('ln_f', x);
  const score = parameter('score.weight', [config.labels, hidden]);
  return {
    words,
    states,
    logits: matMul(lastOf(states, mask), score, { transposeB: true }),
    nextLogits: matMul(states, table, { transposeB: true }),
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
