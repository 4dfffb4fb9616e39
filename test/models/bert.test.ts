// BERT against a float64 reference.

import { describe, expect, it } from 'vitest';
import { buildBert, makeLayers, parseBertConfig } from '../../src/models/index.js';
import { describeGoldenModel, readGolden } from './describe-golden.js';

describe('tiny BERT', () => {
  const config = parseBertConfig(readGolden('tiny-bert', 'config.json'));
  describeGoldenModel({
    name: 'tiny-bert',
    prefix: 'bert.',
    hidden: config.hidden,
    build: (parameter, source, mask) => {
      const model = buildBert(config, makeLayers(parameter), source, mask);
      return { words: model.words, states: model.final(), pooled: model.pooled(), logits: model.classify() };
    },
  });

  it('refuses an unsupported configuration', () => {
    const good = readGolden('tiny-bert', 'config.json');
    expect(() => parseBertConfig({ ...good, hidden_act: 'relu' })).toThrow('hidden_act: expected gelu, got "relu"');
    expect(() => parseBertConfig({ ...good, hidden_size: 30 })).toThrow('hidden_size 30 to be a multiple of 4 heads');
    expect(() => parseBertConfig({ ...good, vocab_size: 'many' })).toThrow(
      'vocab_size: expected a whole number from 1',
    );
    expect(() => parseBertConfig({ ...good, num_hidden_layers: 1e9 })).toThrow(
      'expected a whole number from 1 to 1024',
    );
    expect(() => parseBertConfig({ ...good, layer_norm_eps: -1 })).toThrow('layer_norm_eps: expected > 0');
    expect(parseBertConfig({ ...good, num_labels: undefined, id2label: { 0: 'a', 1: 'b', 2: 'c' } }).numLabels).toBe(3);
  });
});
