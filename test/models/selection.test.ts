// Which parameters are trained: named sets, names, wildcards.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { input, sizeOf } from '../../src/engine/index.js';
import { findArchitecture } from '../../src/models/architectures.js';
import { loadModel, type Model, makeLayers, selectParameters, type Task } from '../../src/models/index.js';
import { makeRoot, writeTiny } from './tiny-models.js';

const root = makeRoot();
const bert = await loadModel(await writeTiny(join(root, 'bert'), 'bert'));
const gpt2 = await loadModel(await writeTiny(join(root, 'gpt2'), 'gpt2'));
const pooled = ['pooler.dense.weight', 'pooler.dense.bias'];
const classifier = ['classifier.weight', 'classifier.bias'];
const finalNorm = ['ln_f.weight', 'ln_f.bias'];

describe('a selection', () => {
  it.each<[string, string, Model, readonly string[]]>([
    ['BERT', 'head', bert, classifier],
    ['BERT', 'pooler+classifier', bert, [...pooled, ...classifier]],
    ['BERT', 'pooler+classifier', bert, [...pooled, ...classifier]],
    ['BERT', 'classifier.bias', bert, ['classifier.bias']],
    ['BERT', 'classifier.*,pooler.*', bert, [...pooled, ...classifier]],
    ['BERT', ' classifier.* , pooler.dense.bias ', bert, ['pooler.dense.bias', ...classifier]],
    [
      'BERT',
      'encoder.layer.1.output.*',
      bert,
      ['dense.weight', 'dense.bias', 'LayerNorm.weight', 'LayerNorm.bias'].map(
        (name) => `encoder.layer.1.output.${name}`,
      ),
    ],
    [
      'BERT',
      'embeddings.*_embeddings.weight',
      bert,
      ['word', 'token_type', 'position'].map((name) => `embeddings.${name}_embeddings.weight`),
    ],
    ['GPT-2', 'head', gpt2, ['score.weight']],
    ['GPT-2', 'pooler+classifier', gpt2, [...finalNorm, 'score.weight']],
    ['GPT-2', 'norm+score', gpt2, [...finalNorm, 'score.weight']],
    ['GPT-2', '*.ln_1.bias', gpt2, ['h.0.ln_1.bias', 'h.1.ln_1.bias']],
  ])('of %s: %s', (_, selector, model, names) => {
    expect(selectParameters(model, selector)).toEqual(names);
  });

  it('of all is every parameter of the task, each once', () => {
    for (const model of [bert, gpt2]) {
      const all = selectParameters(model, 'all');
      expect(new Set(all).size).toBe(all.length);
      expect(selectParameters(model, '*')).toEqual(all);
      expect(new Set(all)).toEqual(new Set(model.parameters.keys()));
    }
    const predicting = selectParameters(gpt2, 'all', 'lm');
    expect(predicting).not.toContain('score.weight');
    expect(predicting).toContain('wte.weight');
  });

  it.each([
    '',
    'nothing',
    'classifier',
    'classifier.weight,nothing',
    'norm+score',
    'CLASSIFIER.*',
    'toString',
    'classifier_weight',
    'encoder.layer.?.output.dense.bias',
    'classifier.b.as',
    'classifier.(',
    ',',
  ])('that matches no parameter is an error: %j', (selector) => {
    const select = () => selectParameters(bert, selector);
    expect(select).toThrow(ArgumentError);
    expect(select).toThrow(/^no parameter is called ".*": expected all, head, pooler\+classifier, or names/);
  });

  it('of a head that the task does not use is an error', () => {
    expect(() => selectParameters(gpt2, 'head', 'lm')).toThrow('no parameter is called "head"');
  });
});

/** A model of these sizes without weights: all that a selection asks of it. */
function sizesOf(config: Readonly<Record<string, unknown>>) {
  const architecture = findArchitecture(config);
  const shapes = new Map<string, number>();
  const layers = makeLayers((name, shape) => {
    shapes.set(name, sizeOf(shape));
    return input(name, shape);
  });
  const { build } = architecture.open(config);
  build(layers, { ids: input('ids', [1, 1], 'i64') }, input('mask', [1, 1])).classify();
  const model = { architecture, parametersOf: (_: Task) => [...shapes.keys()] } as unknown as Model;
  return (selector: string) =>
    selectParameters(model, selector).reduce((sum, name) => sum + (shapes.get(name) as number), 0);
}

describe('the number of trainable parameters', () => {
  it('is that of the calibration paper and of the published models', () => {
    const bertBase = sizesOf({
      model_type: 'bert',
      vocab_size: 30522,
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      intermediate_size: 3072,
      max_position_embeddings: 512,
    });
    expect(bertBase('pooler+classifier')).toBe(592_130);
    expect(bertBase('head')).toBe(2 * 768 + 2);
    expect(bertBase('all')).toBe(109_483_778);
    const gpt2Small = sizesOf({
      model_type: 'gpt2',
      vocab_size: 50257,
      n_embd: 768,
      n_layer: 12,
      n_head: 12,
      n_positions: 1024,
    });
    expect(gpt2Small('pooler+classifier')).toBe(3_072);
    expect(gpt2Small('all')).toBe(124_439_808 + 2 * 768);
  });
});
