// How common tokens are, as the attacker knows it without any text.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openAttackedModel } from '../../src/attacks/index.js';
import { type PriorSource, unigram } from '../../src/attacks/likelihood/prior.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const open = async (golden: string, name: 'bert' | 'gpt2') =>
  openAttackedModel(await writeTiny(join(root, golden), name, { golden }), { numLabels: 2, seed: 1 });
const sum = (logs: Float64Array) => logs.reduce((total, log) => total + Math.exp(log), 0);

describe('the prior', () => {
  it.each([
    ['tiny-bert', 'bert', 'model', 'rank'], // no language-model head
    ['tiny-bert-mlm', 'bert', 'model', 'model'],
    ['tiny-gpt2', 'gpt2', 'model', 'model'],
    ['tiny-gpt2', 'gpt2', 'rank', 'rank'],
    ['tiny-bert', 'bert', 'uniform', 'uniform'],
  ] as const)(
    'of %s (%s) by %s comes from %s, sums to 1, and bars special tokens',
    async (golden, name, wanted, source) => {
      const model = await open(golden, name);
      const prior = await unigram(model, wanted as PriorSource);
      expect(prior.source).toBe(source);
      expect(sum(prior.logs)).toBeCloseTo(1, 6);
      const { unknown, ...special } = model.tokenizer.special;
      for (const id of Object.values(special)) expect(prior.logs[id]).toBe(Number.NEGATIVE_INFINITY);
      expect(prior.logs[unknown as number]).toBeGreaterThan(Number.NEGATIVE_INFINITY);
      expect(prior.logs).toHaveLength(model.tokenizer.size);
    },
  );

  it('by rank falls as 1/rank, and by nothing is the same for all', async () => {
    const model = await open('tiny-bert', 'bert');
    const { logs } = await unigram(model, 'rank');
    expect(Math.exp((logs[19] as number) - (logs[39] as number))).toBeCloseTo(2, 9);
    const flat = await unigram(model, 'uniform');
    expect(new Set(flat.logs.filter(Number.isFinite)).size).toBe(1);
  });

  it('by a model follows its predictions', async () => {
    const plain = await unigram(await open('tiny-bert-mlm', 'bert'), 'model');
    const folder = await writeTiny(join(root, 'biased'), 'bert', {
      golden: 'tiny-bert-mlm',
      change: (tensors) => {
        const bias = tensors['cls.predictions.bias'];
        if (bias === undefined) throw new Error('no bias');
        const data = (bias.data as Float32Array).map((x, id) => (id === 20 ? x + 3 : x));
        tensors['cls.predictions.bias'] = { ...bias, data };
      },
    });
    const biased = await unigram(await openAttackedModel(folder, { numLabels: 2, seed: 1 }), 'model');
    expect((biased.logs[20] as number) - (plain.logs[20] as number)).toBeGreaterThan(1);
    expect(biased.logs[21]).toBeLessThan(plain.logs[21] as number);
  });
});
