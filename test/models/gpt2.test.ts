// GPT-2 against a float64 reference: as a classifier and as a language model.

import { describe, expect, it } from 'vitest';
import {
  crossEntropy,
  div,
  gradients,
  input,
  mul,
  reduceL2,
  reduceSum,
  sliceAxis,
  type Value,
} from '../../src/engine/index.js';
import { buildGpt2, makeLayers, parseGpt2Config } from '../../src/models/index.js';
import { describeGoldenModel, expectNear, ids, readGolden, readWeights, runWith } from './describe-golden.js';

describe('tiny GPT-2', () => {
  const config = parseGpt2Config(readGolden('tiny-gpt2', 'config.json'));
  describeGoldenModel({
    name: 'tiny-gpt2',
    prefix: 'transformer.',
    hidden: config.hidden,
    build: (parameter, source, mask) => {
      const model = buildGpt2(config, makeLayers(parameter), source, mask);
      return { words: model.words, states: model.final(), logits: model.classify() };
    },
  });

  it('gives the logits, losses and gradient norms of the reference as a language model, with the tied head', async () => {
    const expected = readGolden('tiny-gpt2', 'expected.json');
    const weights = await readWeights('tiny-gpt2', 'transformer.');
    const parameters: Record<string, Value> = {};
    const parameter = (name: string, shape: readonly number[]) => {
      parameters[name] ??= input(name, shape);
      return parameters[name];
    };
    const [tokens, tokenIds, mask] = [12, input('ids', [1, 12], 'i64'), input('mask', [1, 12])];
    const nextLogits = buildGpt2(config, makeLayers(parameter), { ids: tokenIds }, mask).lmLogits();
    // Every token but the first is predicted from those before it; padding does not count.
    const losses = crossEntropy(sliceAxis(nextLogits, 1, 0, tokens - 1), sliceAxis(tokenIds, 1, 1, tokens));
    const counted = sliceAxis(mask, 1, 1, tokens);
    const loss = div(reduceSum(mul(losses, counted)), reduceSum(counted));
    const slopes = gradients(loss, [parameters['wte.weight'] as Value]);
    const last = sliceAxis(nextLogits, 1, tokens - 1, tokens);
    for (const [example, wanted] of expected.lm_loss_per_example.entries()) {
      const result = await runWith(
        { loss, last, norm: reduceL2(slopes[0] as Value) },
        {
          ...weights,
          ids: ids([expected.input_ids[example]]),
          mask: Float32Array.from(expected.attention_mask[example]),
        },
      );
      expectNear(result.loss, [wanted], 1e-5);
      expectNear(result.norm, [expected.lm_gradient_norm_wte[example]], 1e-4);
      if (example === 0) expectNear(result.last, expected.lm_logits_example0_last, 1e-5);
    }
  });

  it('refuses an unsupported configuration', () => {
    const good = readGolden('tiny-gpt2', 'config.json');
    expect(() => parseGpt2Config({ ...good, activation_function: 'relu' })).toThrow(
      'activation_function: expected gelu_new',
    );
    expect(() => parseGpt2Config({ ...good, n_head: 5 })).toThrow('n_embd 32 to be a multiple of 5 heads');
    expect(parseGpt2Config(good).intermediateSize).toBe(128);
  });
});
