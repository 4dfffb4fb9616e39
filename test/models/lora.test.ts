// LoRA adapters: PEFT's folders give PEFT's logits and gradients (test/golden, origin inside), and what is saved here has PEFT's names.

import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../../src/engine/index.js';
import {
  loadModel,
  type Model,
  mergeAdapter,
  openSafetensors,
  replaceParameters,
  saveModel,
  selectParameters,
  shouldCacheFeatures,
  withAdapter,
} from '../../src/models/index.js';
import { groupsByLayer, openClassifier, readParameters } from '../../src/training/index.js';
import { expectNear, readGolden } from './describe-golden.js';
import { goldenLogits, makeRoot, writeTiny } from './tiny-models.js';

const root = makeRoot();
let folders = 0;
const fresh = () => join(root, `${++folders}`);
const golden = (name: string) => join(import.meta.dirname, '..', 'golden', name);
const readJson = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));

/** A copy of a golden adapter with another configuration. */
function changedAdapter(name: string, change: object): string {
  const folder = fresh();
  cpSync(golden(`${name}-lora`), folder, { recursive: true });
  writeFileSync(
    join(folder, 'adapter_config.json'),
    JSON.stringify({ ...readJson(folder, 'adapter_config.json'), ...change }),
  );
  return folder;
}

const bases: Record<string, string> = {};
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const) bases[name] = await writeTiny(join(root, name), name);
});

describe.each(['bert', 'gpt2'] as const)('an adapter that PEFT saved for tiny %s', (name) => {
  const expected = readGolden(`tiny-${name}-lora`, 'expected.json');
  const prefix = name === 'bert' ? 'bert.' : 'transformer.';
  const head = name === 'bert' ? 'classifier.weight' : 'score.weight';
  const open = () => loadModel(golden(`tiny-${name}-lora`), { base: bases[name] as string });

  it('gives its logits', async () => {
    expectNear(await goldenLogits(await open(), name), expected.logits, 1e-5);
  });

  it('gives its losses and the norms of every example’s gradients', async () => {
    const model = await open();
    const { input_ids, attention_mask, labels } = readGolden(`tiny-${name}`, 'expected.json');
    const lengths = attention_mask.map((row: number[]) => row.reduce((sum, one) => sum + one, 0));
    const inputIds = input_ids.map((row: number[], i: number) => row.slice(0, lengths[i]));
    const names = selectParameters(model, 'lora');
    const classifier = await openClassifier({ model, trainable: names, data: { inputIds, labels } });
    try {
      const parameters = await readParameters(model, names);
      const wanted = { given: parameters, groups: names.map((one) => [one]), scaled: false, gram: false };
      const products = await classifier.gradientProducts(parameters, [0, 1, 2], wanted);
      const norms = expected.gradient_norm_per_example_per_parameter as Record<string, number>[];
      expect(names).toHaveLength(Object.keys(norms[0] as object).length);
      for (const [place, one] of names.entries()) {
        const stored = one in (norms[0] as object) ? one : `${prefix}${one}`;
        const found = products[place]?.squares.map(Math.sqrt) as Float64Array;
        expectNear(
          found,
          norms.map((row) => row[stored] as number),
          1e-4,
        );
      }
      const { loss } = await classifier.sums(parameters, [0, 1, 2]);
      const total = expected.loss_per_example.reduce((sum: number, one: number) => sum + one, 0);
      expect(Math.abs(loss / total - 1)).toBeLessThan(1e-5);
      expect(classifier.cached).toBe(false);
    } finally {
      await classifier.close();
    }
  });

  it('merges into a model with the same logits, which saves and loads as a plain one', async () => {
    const folder = fresh();
    await saveModel(folder, await open(), { merge: true });
    const merged = await loadModel(folder);
    expect(merged.adapter).toBeUndefined();
    expectNear(await goldenLogits(merged, name), expected.logits, 1e-5);
    expectNear(await goldenLogits(await mergeAdapter(await open()), name), expected.logits, 1e-5);
    expect(existsSync(join(folder, 'adapter_config.json'))).toBe(false);
  });

  it('saves again with the same tensors and settings, and loads as the same', async () => {
    const model = await open();
    const folder = fresh();
    await saveModel(folder, model);
    const [own, peft] = [
      await openSafetensors(join(folder, 'adapter_model.safetensors')),
      await openSafetensors(join(golden(`tiny-${name}-lora`), 'adapter_model.safetensors')),
    ];
    const shapes = ({ tensors }: typeof own) =>
      new Map([...tensors].map(([key, { shape }]) => [key, shape.join()] as const).toSorted());
    expect(shapes(own)).toEqual(shapes(peft));
    const [now, before] = [
      readJson(folder, 'adapter_config.json'),
      readJson(golden(`tiny-${name}-lora`), 'adapter_config.json'),
    ];
    expect(Object.keys(before)).toEqual(expect.arrayContaining(Object.keys(now)));
    for (const key of [
      'peft_type',
      'task_type',
      'r',
      'lora_alpha',
      'fan_in_fan_out',
      'bias',
      'use_rslora',
      'inference_mode',
    ])
      expect(now[key], key).toEqual(before[key]);
    expect(new Set(now.target_modules.map((one: string) => one.split('.').at(-1)))).toEqual(
      new Set(before.target_modules.map((one: string) => one.split('.').at(-1))),
    );
    expect(now.modules_to_save).toEqual([head.split('.')[0]]);
    expect(now.base_model_name_or_path).toBe(bases[name]);
    const again = await loadModel(folder);
    expect(await goldenLogits(again, name)).toEqual(await goldenLogits(model, name));
    expect(again.newlyInitialized).toEqual([]);
    expect(again.digest.split(' ')[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(readdirSync(folder).sort()).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    await expect(saveModel(folder, await mergeAdapter(again))).rejects.toThrow('holds an adapter');
    await expect(saveModel(bases[name] as string, again)).rejects.toThrow('holds a whole model');
  });
});

describe('a new adapter', () => {
  const load = async (name: 'bert' | 'gpt2' = 'bert'): Promise<Model> => loadModel(bases[name] as string);

  it('changes nothing until it is trained: A is uniform up to 1/√inputs, B is 0', async () => {
    const plain = await load();
    const model = withAdapter(plain, { rank: 16, seed: 3 });
    expect(await goldenLogits(model, 'bert')).toEqual(await goldenLogits(plain, 'bert'));
    const [a, b] = await Promise.all(
      ['lora_A', 'lora_B'].map((one) =>
        model.parameters.get(`encoder.layer.1.attention.self.value.${one}.weight`)?.read(),
      ),
    );
    const bound = 1 / Math.sqrt(plain.config.hidden);
    const largest = Math.max(...(a as Float32Array).map(Math.abs));
    expect(largest).toBeLessThanOrEqual(bound);
    expect(largest).toBeGreaterThan(0.97 * bound);
    expect((b as Float32Array).every((one) => one === 0)).toBe(true);
    const again = await model.parameters.get('encoder.layer.1.attention.self.value.lora_A.weight')?.read();
    expect(again).toEqual(a);
    // What is saved is what was computed with.
    const name = 'encoder.layer.1.attention.self.query.lora_B.weight';
    const moved = replaceParameters(model, { [name]: new Float32Array(16 * 32).fill(0.1) });
    const folder = fresh();
    await saveModel(folder, moved);
    expect(await goldenLogits(await loadModel(folder), 'bert')).toEqual(await goldenLogits(moved, 'bert'));
    expect(withAdapter(plain, { seed: 3 }).digest).not.toBe(withAdapter(plain, { seed: 4 }).digest);
    expect(withAdapter(plain, { seed: 3 }).frozenDigest(selectParameters(withAdapter(plain), 'lora'))).toBe(
      withAdapter(plain, { seed: 4 }).frozenDigest(selectParameters(withAdapter(plain), 'lora')),
    );
  });

  it.each([
    ['bert', undefined, /attention\.self\.(query|value)$/],
    ['gpt2', undefined, /attn\.c_attn$/],
    ['bert', 'all-linear', /\.(query|key|value|dense)$/],
    ['bert', 'key, intermediate.dense', /\.(key|intermediate\.dense)$/],
    ['bert', 'encoder.layer.1.*', /^encoder\.layer\.1\..*(query|key|value|dense)$/],
    ['gpt2', 'h.0.mlp.c_proj', /^h\.0\.mlp\.c_proj$/],
  ] as const)('of %s with targets %s adapts what PEFT adapts', async (name, targets, pattern) => {
    const plain = await load(name);
    const linear = [...plain.parameters.keys()].filter(
      (one) => /^(encoder|h|pooler).*\.weight$/.test(one) && plain.parameters.get(one)?.shape.length === 2,
    );
    const expected = linear.map((one) => one.slice(0, -'.weight'.length)).filter((one) => pattern.test(one));
    const { adapter } = withAdapter(plain, { ...(targets && { targets }) });
    expect(new Set(adapter?.layers)).toEqual(new Set(expected));
  });

  it('has selections, groups by layer, and no cached features below it', async () => {
    const model = withAdapter(await load(), { rank: 2 });
    const lora = selectParameters(model, 'lora');
    expect(lora).toContain('classifier.weight');
    expect(selectParameters(model, 'lora-only')).toEqual(lora.filter((one) => one.includes('lora_')));
    expect(selectParameters(model, 'lora+pooler')).toContain('pooler.dense.weight');
    expect(groupsByLayer(model, lora).map((group) => group.length)).toEqual([4, 4, 2]);
    expect(shouldCacheFeatures(model, lora, 10, 8)).toBe(false);
    const top = withAdapter(await load(), { targets: 'encoder.layer.1.attention.self.query' });
    expect(shouldCacheFeatures(top, selectParameters(top, 'lora'), 10, 8)).toBe(true);
    const bare = withAdapter(await loadModel(await writeTiny(fresh(), 'bert', { without: /^(pooler|classifier)\./ })));
    expect(selectParameters(bare, 'lora')).toContain('pooler.dense.weight');
  });

  it('is saved with what was trained beside it, and refuses trained numbers under an adapter', async () => {
    const model = withAdapter(await load(), { rank: 2, targets: 'all-linear' });
    const ones = (name: string) => new Float32Array(sizeOf(model.parameters.get(name)?.shape ?? [])).fill(0.5);
    const trained = replaceParameters(model, { 'embeddings.LayerNorm.weight': ones('embeddings.LayerNorm.weight') });
    const folder = fresh();
    await saveModel(folder, trained);
    const { modules_to_save, target_modules } = readJson(folder, 'adapter_config.json');
    expect(modules_to_save).toEqual(['bert.embeddings.LayerNorm']);
    expect(new Set(target_modules)).toEqual(new Set(['query', 'key', 'value', 'dense']));
    expect(await goldenLogits(await loadModel(folder), 'bert')).toEqual(await goldenLogits(trained, 'bert'));
    const wrong = replaceParameters(model, { 'pooler.dense.bias': ones('pooler.dense.bias') });
    await expect(saveModel(fresh(), wrong)).rejects.toThrow('pooler.dense.weight is adapted');
    expect(() => withAdapter(model)).toThrow('has an adapter already');
  });

  it('refuses what it cannot do in one sentence', async () => {
    const plain = await load();
    expect(() => withAdapter(plain, { rank: 0 })).toThrow('invalid rank: expected a whole number >= 1, got 0');
    expect(() => withAdapter(plain, { targets: 'q_proj' })).toThrow(
      'no linear layer is called "q_proj": expected all-linear, query, key',
    );
    const base = { base: bases.bert as string };
    for (const [change, message] of [
      [{ use_dora: true }, 'use_dora: expected plain LoRA, got true'],
      [{ peft_type: 'IA3' }, 'peft_type: expected LORA, got "IA3"'],
      [{ bias: 'all' }, 'bias: expected none, got "all"'],
      [{ rank_pattern: { query: 4 } }, 'rank_pattern: expected plain LoRA'],
      [{ init_lora_weights: 'pissa' }, 'also changes the base model'],
      [{ r: 4 }, 'expected shape [4,32], got [3,32]'],
    ] as const) {
      await expect(loadModel(changedAdapter('tiny-bert', change), base)).rejects.toThrow(message);
    }
    const lost = changedAdapter('tiny-bert', { base_model_name_or_path: 'somebody/model' });
    await expect(loadModel(lost)).rejects.toThrow(
      'its base model somebody/model is not here: give its folder with base',
    );
    await expect(loadModel(golden('tiny-bert-lora'), { base: bases.gpt2 as string })).rejects.toThrow(
      'expected tensors lora_A and lora_B of the model',
    );
  });
});
