// The whole chain on RoBERTa and DistilBERT: load, train with privacy, save, load, classify; and the sums that training releases against
// a loop over single examples.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { attack, fineTune, loadModel } from '../../src/index.js';
import { openSafetensors } from '../../src/models/index.js';
import { makeRoot, type TinyName } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';
import {
  flat,
  gradientsAlone,
  lengthOf,
  loadTiny,
  openTask,
  relativeDistance,
  weightedTotal,
} from '../training/tiny-task.js';

const root = makeRoot();
const names: readonly TinyName[] = ['roberta', 'distilbert'];
const written = { roberta: 'RobertaForSequenceClassification', distilbert: 'DistilBertForSequenceClassification' };

describe.each(names)('tiny %s', (name) => {
  const folder = join(root, name);
  const [model, data] = [join(folder, 'model'), join(folder, 'data')];
  beforeAll(async () => {
    mkdirSync(folder);
    await writeReviews(folder, name);
  });

  it.each(['pooler+classifier', 'all'])('%s: learns, and is the same after saving', async (trainable) => {
    const settings = { model, data, trainable, batchSize: 8, learningRate: 0.01, epochs: 20 };
    const run = await fineTune(settings);
    const texts = ['a a c', 'b b', 'a a c c c', 'b b c'];
    const predictions = await run.model.classify(texts);
    expect(predictions.map(({ label }) => label)).toEqual(['good', 'bad', 'good', 'bad']);
    const saved = join(folder, `saved ${trainable}`);
    await run.model.save(saved);
    const again = await loadModel(saved);
    expect(again.newlyInitialized).toEqual([]);
    expect(await again.classify(texts)).toEqual(predictions);
    expect(again.parametersOf('lm')).toEqual(run.model.parametersOf('lm'));
    const report = await attack('membership', { model: run.model, data, others: 'validation' });
    expect(report).toMatchObject({ attack: 'membership', members: 40, others: 10 });
    expect(report.auc.value).toBeGreaterThan(0);
    const config = JSON.parse(readFileSync(join(saved, 'config.json'), 'utf8'));
    expect(config).toMatchObject({
      architectures: [written[name as keyof typeof written]],
      pad_token_id: name === 'roberta' ? 1 : 0,
      id2label: { 0: 'bad', 1: 'good' },
    });
    const { tensors } = await openSafetensors(join(saved, 'model.safetensors'));
    const before = await openSafetensors(join(model, 'model.safetensors'));
    for (const key of before.tensors.keys()) expect(tensors.has(key), key).toBe(true);
  });

  it.each(['pooler+classifier', 'all'])('%s: trains with privacy, and carries its record', async (trainable) => {
    const settings = { model, data, trainable, batchSize: 8, learningRate: 0.01, epochs: 2 };
    const run = await fineTune({ ...settings, privacy: { epsilon: 8 } });
    expect(run.private).toBe(true);
    const saved = join(folder, `private ${trainable}`);
    await run.model.save(saved);
    const again = await loadModel(saved);
    expect(again.privacy).toEqual(run.model.privacy);
    expect(await again.classify(['a a', 'b'])).toEqual(await run.model.classify(['a a', 'b']));
  });

  it.each(['head', 'pooler+classifier', 'all'])('%s: clipped sums are those of single examples', async (selector) => {
    const tiny = await loadTiny(folder, name);
    const task = await openTask(tiny, selector, { count: 12, microBatchSize: 5 });
    const all = Array.from({ length: 12 }, (_, i) => i);
    const alone = await gradientsAlone(task, all);
    for (const norm of [0.01, 4, 1e6]) {
      const { gradients } = await task.classifier.clippedSums(task.parameters, all, { kind: 'clip', norm });
      const wanted = weightedTotal(alone, (length) => Math.min(1, norm / length));
      expect(relativeDistance(flat(gradients), wanted)).toBeLessThan(1e-5);
      const { gradients: one } = await task.classifier.clippedSums(task.parameters, [3], { kind: 'clip', norm });
      expect(lengthOf(flat(one))).toBeLessThanOrEqual(norm * (1 + 2 ** -12));
    }
    await task.classifier.close();
  });
});
