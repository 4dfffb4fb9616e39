// Every architecture that shares BERT's graph against transformers in float64, and the token classifiers of all.

import { describe, expect, it } from 'vitest';
import { crossEntropy, div, input, mul, reduceSum, type Value } from '../../src/engine/index.js';
import type { OpenArchitecture } from '../../src/models/architecture.js';
import { findArchitecture } from '../../src/models/architectures.js';
import { makeLayers, type ParameterOf } from '../../src/models/index.js';
import { gradientTerms, squaredNorms } from '../../src/training/index.js';
import { describeGoldenModel, expectNear, ids, readGolden, readWeights, runWith } from './describe-golden.js';
import { prefixes } from './tiny-models.js';

type Name = keyof typeof prefixes;

const openGolden = (name: Name, changes: Record<string, unknown> = {}): OpenArchitecture => {
  const raw = { ...readGolden(`tiny-${name}`, 'config.json'), ...changes };
  return findArchitecture(raw).open(raw);
};

describe.each(['roberta', 'distilbert'] as const)('tiny %s', (name) => {
  const { config, build } = openGolden(name);
  describeGoldenModel({
    name: `tiny-${name}`,
    prefix: prefixes[name],
    hidden: config.hidden,
    build: (parameter, source, mask) => {
      const graph = build(makeLayers(parameter), source, mask);
      return { words: graph.words, states: graph.final(), logits: graph.classify() };
    },
  });
});

/** The graph over its parameters as inputs, with the traces. */
function openTraced({ build }: OpenArchitecture, batch: number, tokens: number) {
  const parameters: Record<string, Value> = {};
  const parameterOf: ParameterOf = (name, shape) => {
    parameters[name] = input(name, shape);
    return parameters[name];
  };
  const layers = makeLayers(parameterOf);
  const mask = input('mask', [batch, tokens]);
  return { parameters, layers, mask, graph: build(layers, { ids: input('ids', [batch, tokens], 'i64') }, mask) };
}

interface Reference {
  readonly loss_per_example: number[];
  readonly gradient_norm_per_example_per_parameter: Record<string, number>[];
}

/** Losses and per-example norms of every parameter, from the traces of one batch, against the reference. */
async function expectReference(
  { parameters, layers }: Pick<ReturnType<typeof openTraced>, 'parameters' | 'layers'>,
  losses: Value,
  feeds: Parameters<typeof runWith>[1],
  { loss_per_example: wanted, gradient_norm_per_example_per_parameter: norms }: Reference,
  prefix: string,
) {
  const terms = gradientTerms(losses, layers.traces, parameters);
  const squares = Object.fromEntries(terms.map((one) => [one.name, squaredNorms([one]).squares]));
  const result = await runWith({ losses, ...squares }, feeds);
  expectNear(result.losses, wanted, 1e-5);
  for (const [example, own] of norms.entries()) {
    expect(new Set(Object.keys(parameters))).toEqual(new Set(Object.keys(own).map((key) => key.replace(prefix, ''))));
    const total = Math.hypot(...Object.values(own));
    for (const [key, norm] of Object.entries(own)) {
      const found = Math.sqrt(Number(result[key.replace(prefix, '')]?.[example]));
      // The gradients of key biases are zero up to rounding.
      expect(Math.abs(found - norm) / (norm + 1e-3 * total), key).toBeLessThan(1e-4);
    }
  }
}

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('the token classifier of tiny %s', (name) => {
  const own = name === 'bert' || name === 'gpt2';
  const prefix = prefixes[name];
  const whole = own ? readGolden(`tiny-${name}`, 'tokens.json') : readGolden(`tiny-${name}`, 'expected.json');
  const expected = own ? whole : whole.tokens;
  const labels: number[][] = expected.labels;
  const [batch, tokens] = [3, 12];

  it('gives the logits, losses and per-example norms of the reference', async () => {
    const traced = openTraced(openGolden(name, { architectures: [expected.class] }), batch, tokens);
    const logits = traced.graph.labelTokens();
    const counted = input('counted', [batch, tokens]);
    const each = mul(crossEntropy(logits, input('labels', [batch, tokens], 'i64')), counted);
    const losses = div(reduceSum(each, [1]), reduceSum(counted, [1]));
    const given = Object.entries((whole.weights ?? {}) as Record<string, number[]>);
    const feeds = {
      ...(await readWeights(`tiny-${name}`, prefix)),
      ...Object.fromEntries(given.map(([key, numbers]) => [key, Float32Array.from(numbers)])),
      ids: ids(whole.input_ids),
      mask: Float32Array.from(whole.attention_mask.flat()),
      labels: ids(labels.map((row) => row.map((label) => Math.max(0, label)))),
      counted: Float32Array.from(labels.flat(), (label) => Number(label >= 0)),
    };
    const found = (await runWith({ logits }, feeds)).logits as Float32Array;
    const width = found.length / batch / tokens;
    for (const [row, wanted] of expected.logits_of_real_tokens.entries()) {
      expectNear(found.subarray(row * tokens * width, row * tokens * width + wanted.length), wanted, 1e-5);
    }
    await expectReference(traced, losses, feeds, expected, prefix);
  });
});

describe.each(['roberta', 'distilbert'] as const)('the masked-LM head of tiny %s', (name) => {
  const { attention_mask: masks, lm } = readGolden(`tiny-${name}`, 'expected.json');
  const [batch, tokens] = [3, 12];

  it('gives the logits, losses and per-example norms of the reference', async () => {
    const traced = openTraced(openGolden(name), batch, tokens);
    const logits = traced.graph.lmLogits(); // [batch, tokens, vocabulary]
    const counted = input('counted', [batch, tokens]);
    const losses = reduceSum(mul(crossEntropy(logits, input('targets', [batch, tokens], 'i64')), counted), [1]);
    const [targets, hidden] = [new BigInt64Array(batch * tokens), new Float32Array(batch * tokens)];
    const places: number[] = lm.places.flatMap((list: number[], row: number) => list.map((at) => row * tokens + at));
    for (const [k, place] of places.entries()) {
      hidden[place] = 1;
      targets[place] = BigInt(lm.targets.flat()[k]);
    }
    const feeds = {
      ...(await readWeights(`tiny-${name}`, prefixes[name])),
      ids: ids(lm.input_ids),
      mask: Float32Array.from(masks.flat()),
      counted: hidden,
      targets,
    };
    const some = openTraced(openGolden(name), batch, tokens).graph.lmLogits(input('places', [places.length], 'i64'));
    const result = await runWith({ some }, { ...feeds, places: ids([places]) });
    expectNear(result.some, lm.logits_at_places.flat(), 1e-5);
    await expectReference(traced, losses, feeds, lm, prefixes[name]);
  });
});

describe('architectures', () => {
  it.each(['xlm-roberta', 'camembert'])('%s is the graph of RoBERTa', async (type) => {
    const expected = readGolden('tiny-roberta', 'expected.json');
    const { graph } = openTraced(openGolden('roberta', { model_type: type }), 3, 12);
    const feeds = { ids: ids(expected.input_ids), mask: Float32Array.from(expected.attention_mask.flat()) };
    const weights = await readWeights('tiny-roberta', 'roberta.');
    const { logits } = await runWith({ logits: graph.classify() }, { ...weights, ...feeds });
    expectNear(logits, expected.logits_of_other_types[type], 1e-5);
  });

  it.each<[Name, Record<string, unknown>, string]>([
    ['bert', { is_decoder: true }, 'is_decoder: expected false, got true'],
    ['bert', { tie_word_embeddings: false }, 'tie_word_embeddings: expected true, got false'],
    ['roberta', { position_embedding_type: 'relative_key' }, 'expected absolute, got "relative_key"'],
    ['roberta', { hidden_act: 'relu' }, 'hidden_act: expected gelu, got "relu"'],
    ['roberta', { pad_token_id: -1 }, 'pad_token_id: expected a whole number from 0, got -1'],
    ['roberta', { max_position_embeddings: 2 }, 'expected more than pad_token_id + 1, where positions begin, got 2'],
    ['distilbert', { activation: 'relu' }, 'activation: expected gelu, got "relu"'],
    ['distilbert', { dim: 30 }, 'expected dim 30 to be a multiple of 4 heads'],
    ['distilbert', { n_layers: 0 }, 'n_layers: expected a whole number from 1'],
    ['gpt2', { scale_attn_by_inverse_layer_idx: true }, 'scale_attn_by_inverse_layer_idx: expected false, got true'],
  ])('%s refuses %o', (name, changes, message) => {
    expect(() => openGolden(name, changes)).toThrow(message);
  });

  it('positions are the rows that texts may use', () => {
    expect(openGolden('roberta').config.positions).toBe(40);
    expect(openGolden('roberta', { pad_token_id: 0 }).config.positions).toBe(41);
    expect(openGolden('roberta', { pad_token_id: undefined }).layout.embeddings.positions.first).toBe(2);
    // Only the initial values of DistilBERT's table depend on it.
    expect(openGolden('distilbert', { sinusoidal_pos_embds: true }).config.positions).toBe(40);
  });
});
