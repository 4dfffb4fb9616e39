// The parts of what a malicious server sends: arrays written where the model stores them, and tables with room for a key.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeParameterWriter } from '../../src/attacks/decepticons/parameter-writer.js';
import { settingsFor } from '../../src/attacks/decepticons/settings.js';
import { makeTables } from '../../src/attacks/decepticons/tables.js';
import { type BlockLayout, initializeReluTransformer, loadModel, type ModelCore } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const relu = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 60,
  hidden: 32,
  heads: 4,
  intermediateSize: 40,
});
const models: Record<string, ModelCore> = { relu };
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const)
    models[name] = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
});
const blockOf = (model: ModelCore, layer = 0) => model.layout.blocks[layer] as BlockLayout;
const length = (numbers: ArrayLike<number>) => Math.hypot(...Array.from(numbers));
const along = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((s, x, i) => s + x * (b[i] as number), 0);

describe('the writer of parameters', () => {
  it('puts weights where BERT stores them, [outputs, inputs], and fills the rest with zeros', () => {
    const { intermediate } = blockOf(models.bert as ModelCore);
    const draft = makeParameterWriter(models.bert as ModelCore);
    draft.weight(intermediate, 5, 7, 1.5);
    draft.bias(intermediate, 5, -2);
    const weights = draft.arrays[intermediate.weight] as Float32Array;
    expect(weights).toHaveLength(64 * 32);
    expect([...weights.entries()].filter(([, x]) => x !== 0)).toEqual([[5 * 32 + 7, 1.5]]);
    expect([...(draft.arrays[intermediate.bias] as Float32Array).entries()].filter(([, x]) => x !== 0)).toEqual([
      [5, -2],
    ]);
    expect(Object.keys(draft.arrays)).toEqual([intermediate.weight, intermediate.bias]);
  });

  it('puts them where GPT-2 stores them, [inputs, outputs], query, key and value side by side', () => {
    const { query, key, value } = blockOf(models.gpt2 as ModelCore);
    const draft = makeParameterWriter(models.gpt2 as ModelCore);
    for (const [i, map] of [query, key, value].entries()) {
      draft.weight(map, 4, 9, i + 1);
      draft.bias(map, 6, 10 * (i + 1));
    }
    const filled = (name: string) => [...(draft.arrays[name] as Float32Array).entries()].filter(([, x]) => x !== 0);
    expect(filled(query.weight)).toEqual([0, 1, 2].map((third) => [9 * 96 + 32 * third + 4, third + 1]));
    expect(filled(query.bias)).toEqual([0, 1, 2].map((third) => [32 * third + 6, 10 * (third + 1)]));
    const diagonal = makeParameterWriter(models.gpt2 as ModelCore);
    diagonal.diagonal(key, 3);
    const entries = [...(diagonal.arrays[key.weight] as Float32Array).entries()].filter(([, x]) => x !== 0);
    expect(entries).toEqual(Array.from({ length: 32 }, (_, i) => [i * 96 + 32 + i, 3]));
  });

  it('clears to zeros, and knows only parameters of the model', () => {
    const draft = makeParameterWriter(relu);
    const { query } = blockOf(relu);
    draft.clear(query);
    expect([...(draft.arrays[query.weight] as Float32Array)].every((x) => x === 0)).toBe(true);
    expect(() => draft.fill('no.such.weight', 1)).toThrow('the model has no parameter no.such.weight');
  });
});

describe('the tables', () => {
  const rowsOf = (table: Float32Array) =>
    Array.from({ length: table.length / 32 }, (_, row) => table.subarray(row * 32, (row + 1) * 32));

  it('leave room for the key, and only one position has a part along its own', async () => {
    const settings = settingsFor(relu, 'noise-aware', { keyPosition: 2 });
    const { keyLength } = settings;
    expect(keyLength).toBe(4); // half a head
    const { words, positions } = await makeTables(relu, settings, seededSource('tables'));
    const part = (row: Float32Array) => row.subarray(keyLength, 2 * keyLength);
    const sought = part(rowsOf(positions)[2] as Float32Array);
    expect(length(sought)).toBeCloseTo(1, 5);
    expect(sought.reduce((sum, x) => sum + x, 0)).toBeCloseTo(0, 5);
    for (const row of [...rowsOf(words), ...rowsOf(positions)])
      expect([...row.subarray(0, keyLength)]).toEqual([0, 0, 0, 0]);
    for (const row of rowsOf(words)) expect(along(part(row), sought)).toBeCloseTo(0, 5);
    for (const [p, row] of rowsOf(positions).entries())
      expect(along(part(row), sought)).toBeCloseTo(p === 2 ? 1 : 0, 5);
  });

  it('are the model’s own except for the key if kept, and have the given deviation if redrawn', async () => {
    const own = (await relu.parameters.get(relu.layout.embeddings.words.weight)?.read()) as Float32Array;
    const kept = await makeTables(relu, settingsFor(relu, 'published'), seededSource('tables'));
    expect([...kept.words]).toEqual([...own].map((x, i) => (i % 32 < 4 ? 0 : x)));
    const settings = settingsFor(relu, 'noise-aware', { exclusiveKey: false });
    const { words } = await makeTables(relu, settings, seededSource('tables'));
    const drawn = [...words].filter((_, i) => i % 32 >= 4);
    // A deviation of n normal numbers is known to 1/√(2n) of itself; five times that is passed once in 1.7 million.
    const deviation = length(drawn) / Math.sqrt(drawn.length);
    expect(Math.abs(deviation / settings.deviation - 1)).toBeLessThan(5 / Math.sqrt(2 * drawn.length));
  });
});
