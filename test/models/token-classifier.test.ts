// Token classifiers: labels of words against the logits of the model, saving, and the sentence for every wrong use.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { fineTune, loadModel } from '../../src/index.js';
import { loadModel as loadPlain, openTokenClassifier, saveModel, selectParameters } from '../../src/models/index.js';
import { writeReviews } from '../tiny-reviews.js';
import { runWith } from './describe-golden.js';
import { feedRows, makeRoot, type TinyName, type TinyOptions, writeTiny } from './tiny-models.js';

const root = makeRoot();
let folders = 0;
const classNames: Readonly<Record<TinyName, string>> = {
  bert: 'BertForTokenClassification',
  gpt2: 'GPT2ForTokenClassification',
  roberta: 'RobertaForTokenClassification',
  distilbert: 'DistilBertForTokenClassification',
};
const labels = ['O', 'B-PER', 'I-PER'];
const write = (name: TinyName, options: TinyOptions = {}) =>
  writeTiny(join(root, `${++folders}`), name, {
    ...options,
    config: {
      architectures: [classNames[name]],
      num_labels: undefined,
      id2label: Object.fromEntries(labels.map((label, i) => [i, label])),
      ...options.config,
    },
    change: (tensors) => {
      tensors['classifier.weight'] = { shape: [3, 32], data: Float32Array.from({ length: 96 }, (_, i) => Math.sin(i)) };
      tensors['classifier.bias'] = { shape: [3], data: Float32Array.of(0.1, -0.2, 0.3) };
      options.change?.(tensors);
    },
  });

describe.each(Object.keys(classNames) as TinyName[])('a token classifier on tiny %s', (name) => {
  it('labels each word by its first token', async () => {
    const model = await loadPlain(await write(name));
    expect(model.head).toBe('tokens');
    const classifier = openTokenClassifier(model);
    expect(classifier.classes).toEqual(labels);
    const texts = ['the cat sat', '  a\tb\n c ', 'hello'];
    const found = await classifier.classify(texts);
    expect(found.map(({ words }) => words.map(({ word }) => word))).toEqual([
      ['the', 'cat', 'sat'],
      ['a', 'b', 'c'],
      ['hello'],
    ]);
    // The same from the graph, for ids that the tokenizer gives for the whole text.
    for (const [index, firsts] of [
      [0, [0, 3, 6]],
      [2, [0]],
    ] as const) {
      const ids = model.tokenizer.encode(texts[index] as string);
      const { logits } = await runWith(
        { logits: model.build({ batch: 1, tokens: ids.length }).labelTokens() },
        feedRows([ids], ids.length),
      );
      const before = model.tokenizer.around.before.length;
      for (const [word, first] of firsts.entries()) {
        const start = (before + first) * 3;
        const own = [...(logits as Float32Array).subarray(start, start + 3)];
        const sum = own.reduce((total, logit) => total + Math.exp(logit), 0);
        const { probabilities, label } = found[index]?.words[word] ?? {};
        for (const [k, one] of labels.entries())
          expect(probabilities?.[one]).toBeCloseTo(Math.exp(own[k] ?? 0) / sum, 5);
        expect(label).toBe(labels[own.indexOf(Math.max(...own))]);
      }
    }
    // A text that is too long keeps the labels of what was read.
    const [{ words = [], truncated } = {}] = await classifier.classify(['a b c d e f'], { maxTokens: 5 });
    expect(truncated).toBe(true);
    expect(words).toHaveLength(5 - model.tokenizer.added);
    await expect(classifier.classify([' '])).rejects.toThrow('text 1: expected at least one word, got none');
    await expect(classifier.classify(['a'], { maxTokens: model.tokenizer.added || 0.5 })).rejects.toThrow(
      ArgumentError,
    );
    await classifier.close();
  });

  it('is the same after saving, with the class that transformers expects', async () => {
    const model = await loadPlain(await write(name));
    const folder = join(root, `${++folders}`);
    await saveModel(folder, model);
    const again = await loadPlain(folder);
    expect(again.head).toBe('tokens');
    expect(again.config).toEqual(model.config);
    const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    expect(config.architectures).toEqual([classNames[name]]);
    expect(config.id2label).toEqual({ 0: 'O', 1: 'B-PER', 2: 'I-PER' });
    const [before, after] = [openTokenClassifier(model), openTokenClassifier(again)];
    expect(await after.classify(['the cat'])).toEqual(await before.classify(['the cat']));
    expect(selectParameters(again, 'head', 'tokens')).toEqual(['classifier.weight', 'classifier.bias']);
  });

  it('is no classifier of texts, unless it gets a new one', async () => {
    const folder = await write(name);
    const model = await loadModel(folder);
    await expect(model.classify(['a'])).rejects.toThrow(
      `${folder}: expected a classifier of texts, got one of tokens: use classifyTokens`,
    );
    expect(() => model.parametersOf('classification')).toThrow(
      'expected a classifier of texts, got a classifier of tokens: add newHead: true to initialize a new one',
    );
    expect(() => model.build({ batch: 1, tokens: 2 }).classify()).toThrow('expected a classifier of texts');
    expect((await model.classifyTokens(['a b']))[0]?.words).toHaveLength(2);
    await model.close();
    const fresh = await loadModel(folder, { newHead: true, numLabels: 2 });
    expect(fresh.head).toBe('classification');
    expect(fresh.config.numLabels).toBe(2);
    expect(fresh.build({ batch: 1, tokens: 2 }).classify().shape).toEqual([1, 2]);
    await expect(fresh.classifyTokens(['a'])).rejects.toThrow('expected a classifier of tokens, got one of texts');
    const saved = join(root, `${++folders}`);
    await saveModel(saved, fresh);
    const { architectures } = JSON.parse(readFileSync(join(saved, 'config.json'), 'utf8'));
    expect(architectures).toEqual([classNames[name].replace('Token', 'Sequence')]);
  });
});

it('a token classifier that the checkpoint lacks must be trained first', async () => {
  const model = await loadModel(await write('bert', { without: /^classifier/ }));
  expect(model.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
  await expect(model.classifyTokens(['a'])).rejects.toThrow('expected a trained classifier');
});

it('training on texts refuses a token classifier, and takes it with a new head', async () => {
  await writeReviews(root);
  const [model, data] = [await write('bert'), join(root, 'data')];
  await expect(fineTune({ model, data, epochs: 1 })).rejects.toThrow('add newHead: true to initialize a new one');
  const run = await fineTune({ model, data, epochs: 1, batchSize: 8, newHead: true });
  expect(run.newlyInitialized).toContain('classifier.weight');
  expect(await run.model.classify(['a'])).toHaveLength(1);
});

describe('checkpoints as they are published', () => {
  it('DistilGPT-2: its keys of old, and one class in a configuration without a classifier', async () => {
    const config = {
      _num_labels: 1,
      num_labels: undefined,
      id2label: { 0: 'LABEL_0' },
      label2id: { LABEL_0: 0 },
      architectures: ['GPT2LMHeadModel'],
      n_inner: undefined,
      summary_type: 'cls_index',
      task_specific_params: { 'text-generation': { do_sample: true, max_length: 50 } },
      pad_token_id: undefined,
    };
    const change: TinyOptions['change'] = (tensors) => {
      for (const layer of [0, 1]) tensors[`h.${layer}.attn.bias`] = { shape: [1], data: Float32Array.of(1) };
    };
    const folder = await writeTiny(join(root, 'distilgpt2'), 'gpt2', { config, change, without: /^score\./ });
    const plain = await loadPlain(folder);
    expect(plain.config).toMatchObject({ numLabels: 1, layers: 2, intermediateSize: 128 });
    expect(plain.parametersOf('lm')).toContain('wte.weight');
    const model = await loadPlain(folder, { numLabels: 2 });
    expect(model.newlyInitialized).toEqual(['score.weight']);
    const saved = join(root, 'distilgpt2 saved');
    await saveModel(saved, model);
    const written = JSON.parse(readFileSync(join(saved, 'config.json'), 'utf8'));
    expect(written).toMatchObject({ architectures: ['GPT2ForSequenceClassification'], num_labels: 2, pad_token_id: 0 });
    expect(written).not.toHaveProperty('_num_labels');
    expect((await loadPlain(saved)).config.numLabels).toBe(2);
  });

  it('MiniLM: names without prefix, buffers of positions, and no classifier', async () => {
    const change: TinyOptions['change'] = (tensors) => {
      tensors['embeddings.position_ids'] = { shape: [1, 40], data: new Float32Array(40) };
    };
    const options = { change, prefix: false, without: /^(classifier|cls)\./ };
    const folder = await writeTiny(join(root, 'minilm'), 'bert', {
      ...options,
      config: { architectures: ['BertModel'] },
    });
    const model = await loadPlain(folder, { numLabels: 2 });
    expect(model.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
    expect(() => model.build({ batch: 1, tokens: 2 }).lmLogits()).toThrow('the model lacks the head for this task');
  });

  it('RoBERTa: the tokenizer must have the padding that positions are counted from', async () => {
    const folder = await writeTiny(join(root, 'padding'), 'roberta', { config: { pad_token_id: 0 } });
    await expect(loadPlain(folder)).rejects.toThrow(
      "config.json: pad_token_id: expected the id of the tokenizer's padding token, 1, got 0: positions are counted from it",
    );
  });
});
