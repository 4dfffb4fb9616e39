// Dropout as an option of fineTune: 0 is to the bit as without, a rate is recorded, and resuming with another one is refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type FineTuneOptions, fineTune } from '../../src/api/index.js';
import { readJsonObject } from '../../src/platform/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();

it('drops in training, says so, and is off at 0', async () => {
  const model = await writeTiny(join(root, 'model'), 'bert', { without: /^classifier/ });
  const data = join(root, 'texts.csv');
  const lines = Array.from({ length: 24 }, (_, i) => `${'ab'[i % 2]} ${'cdefgh'[i % 6]} ${'xyz'[i % 3]},${i % 2}`);
  writeFileSync(data, `text,label\n${lines.join('\n')}\n`);
  const train = (options: FineTuneOptions = {}) =>
    fineTune({ model, data, epochs: 2, batchSize: 8, maxTokens: 8, holdOut: 0.25, ...options });
  const numbers = async (run: Promise<Awaited<ReturnType<typeof train>>>) => (await run).scores.train;
  const plain = await numbers(train());
  expect(await numbers(train({ dropout: 0 }))).toEqual(plain);
  const folder = join(root, 'run');
  const dropped = await train({ dropout: 0.4, folder });
  expect(dropped.scores.train.loss).not.toBe(plain.loss);
  expect(dropped.dropout).toEqual({
    rates: { embeddings: 0.4, attention: 0.4, hidden: 0.4, summary: 0.4, classifier: 0.4 },
    frozen: false,
  });
  expect((await readJsonObject(join(folder, 'run.json'))).dropout).toBe(0.4);
  await expect(train({ dropout: 0.2, folder, resume: true })).rejects.toThrow('dropout = 0.4');
  await expect(train({ dropoutFrozen: true })).rejects.toThrow('dropoutFrozen needs dropout');
  await expect(train({ dropout: 1 })).rejects.toThrow('invalid dropout: expected config or a number');
  expect((await train({ dropout: 'config', dropoutFrozen: true })).cachedFeatures).toBe(false);
});
