// Saving a model: it loads again as the same model, in a folder that transformers can read.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { loadModel, openSafetensors, saveModel } from '../../src/models/index.js';
import { expectNear, readGolden } from './describe-golden.js';
import { goldenLogits, makeRoot, type TinyOptions, writeTiny } from './tiny-models.js';

const root = makeRoot();
let folders = 0;
const fresh = () => join(root, `${++folders}`);
const readJson = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

describe.each(['bert', 'gpt2'] as const)('a saved %s', (name) => {
  const head = name === 'bert' ? 'classifier.weight' : 'score.weight';

  it.each<TinyOptions>([
    {},
    { prefix: false, files: 2 },
    { dtype: 'F16' },
    { without: /^(pooler|classifier|score)\./ },
  ])('gives the same logits to the bit, first written with %o', async (options) => {
    const model = await loadModel(await writeTiny(fresh(), name, options), { seed: 4 });
    const folder = fresh();
    await saveModel(folder, model);
    const again = await loadModel(folder);
    expect(await goldenLogits(again, name)).toEqual(await goldenLogits(model, name));
    expect(again.newlyInitialized).toEqual([]);
    expect(again.config).toEqual(model.config);
    expect(again.tokenizer.digest).toBe(model.tokenizer.digest);
    expect(again.tokenizer.special).toEqual(model.tokenizer.special);
    expect(readdirSync(folder).sort()).toEqual([
      'config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
  });

  it('has the tensor names and the configuration that transformers expects', async () => {
    const folder = fresh();
    await saveModel(folder, await loadModel(await writeTiny(fresh(), name, { prefix: false })));
    const { tensors, metadata } = await openSafetensors(join(folder, 'model.safetensors'));
    const golden = await openSafetensors(
      join(import.meta.dirname, '..', 'golden', `tiny-${name}`, 'model.safetensors'),
    );
    expect(new Set(tensors.keys())).toEqual(new Set(golden.tensors.keys()));
    expect(metadata).toEqual({ format: 'pt' });
    const { architectures } = readGolden(`tiny-${name}`, 'config.json');
    expect(readJson(folder, 'config.json')).toMatchObject({ architectures, num_labels: 2, pad_token_id: 0 });
    expect(readJson(folder, 'tokenizer_config.json')).toMatchObject({ pad_token: '[PAD]' });
  });

  it.each([
    { dtype: 'F16', tolerance: 5e-3, said: 'float16' },
    { dtype: 'BF16', tolerance: 5e-2, said: 'bfloat16' },
    { dtype: 'F32', tolerance: 1e-9, said: 'float32' },
  ] as const)('may be written as $dtype, and says so', async ({ dtype, tolerance, said }) => {
    const model = await loadModel(await writeTiny(fresh(), name, { config: { torch_dtype: 'float16', dtype: 'x' } }));
    const folder = fresh();
    await saveModel(folder, model, { dtype });
    expectNear(await goldenLogits(await loadModel(folder), name), [...(await goldenLogits(model, name))], tolerance);
    const config = readJson(folder, 'config.json');
    expect([config.torch_dtype, config.dtype]).toEqual([said, undefined]);
  });

  it('holds the trained numbers and the names of the classes', async () => {
    const model = await loadModel(await writeTiny(fresh(), name), { numLabels: 3, newHead: true });
    const trained = Float32Array.from({ length: 96 }, (_, i) => Math.sin(i));
    const folder = fresh();
    await saveModel(folder, model, { parameters: { [head]: trained }, classes: ['bad', 'so "so"', 'good'] });
    const again = await loadModel(folder);
    expect(again.config.numLabels).toBe(3);
    expect(await again.parameters.get(head)?.read()).toEqual(trained);
    const { id2label, label2id, num_labels } = readJson(folder, 'config.json');
    expect(id2label).toEqual({ 0: 'bad', 1: 'so "so"', 2: 'good' });
    expect(label2id).toEqual({ bad: 0, 'so "so"': 1, good: 2 });
    expect([3, undefined]).toContain(num_labels);
    // Without names there is num_labels.
    await saveModel(folder, model);
    expect(readJson(folder, 'config.json')).toMatchObject({ num_labels: 3 });
  });

  it('may replace the folder that it came from', async () => {
    const folder = await writeTiny(fresh(), name);
    const model = await loadModel(folder);
    const before = await goldenLogits(model, name);
    await saveModel(folder, model, { parameters: { [head]: new Float32Array(64) } });
    expect(await goldenLogits(await loadModel(folder), name)).not.toEqual(before);
  });

  it.each([
    [
      'a name that is no parameter',
      { parameters: { 'clasifier.weight': new Float32Array(64) } },
      'unknown parameter clasifier.weight',
    ],
    ['too few numbers', { parameters: { [head]: new Float32Array(63) } }, 'expected 64 numbers for [2,32], got 63'],
    [
      'a number that is none',
      { parameters: { [head]: new Float32Array(64).fill(Number.NaN) } },
      'holds NaN at element 0',
    ],
    ['too many names of classes', { classes: ['a', 'b', 'c'] }, 'invalid classes: expected 2 names, got 3'],
  ])('is not written with %s', async (_, options, message) => {
    const folder = fresh();
    const saving = saveModel(folder, await loadModel(await writeTiny(fresh(), name)), options);
    await expect(saving).rejects.toThrow(message);
    await expect(saving).rejects.toBeInstanceOf(ArgumentError);
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  });
});

it('a saved masked language model keeps its head', async () => {
  const folder = fresh();
  const model = await loadModel(await writeTiny(fresh(), 'bert', { golden: 'tiny-bert-mlm' }));
  await saveModel(folder, model);
  const again = await loadModel(folder);
  expect(again.parametersOf('lm')).toEqual(model.parametersOf('lm'));
});
