// Gradients that are not finite contribute nothing and are counted; the others are unaffected; many stop a run. A gradient that is
// scaled keeps its direction however sure the model is.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { type LabelledExamples, makePlan, sgd, type TrainOptions, trainClassifier } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { dot, flat, lengthOf, loadTiny, openTask, relativeDistance, sentences } from './tiny-task.js';

const root = makeRoot();
/** The first block overflows at the letter z, and only there: one inner unit answers to the direction of its embedding. */
const model = await loadTiny(root, 'bert', {
  change: (tensors) => {
    const change = (name: string, by: (numbers: Float32Array) => void) => {
      const { shape, data } = tensors[name] as { shape: number[]; data: Float32Array };
      tensors[name] = { shape, data: data.slice() };
      by(tensors[name].data as Float32Array);
    };
    const [width, inner] = [32, 64];
    const pattern = Float32Array.from({ length: width }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const layer = 'encoder.layer.0';
    change('embeddings.word_embeddings.weight', (rows) =>
      rows.set(
        pattern.map((x) => 1e3 * x),
        30 * width,
      ),
    );
    change(`${layer}.intermediate.dense.weight`, (rows) => rows.set(pattern.map((x) => 1e30 * x)));
    change(`${layer}.intermediate.dense.bias`, (numbers) => numbers.fill(-16e30, 0, 1));
    change(`${layer}.output.dense.weight`, (rows) => {
      for (let row = 0; row < width; row++) rows[row * inner] = 1e30;
    });
  },
});
const [broken] = model.tokenizer.encode('z').slice(1) as [number];

/** Sentences, with a z in those at these places. */
function spoilt(count: number, places: readonly number[]): LabelledExamples {
  const { inputIds: rows, labels } = sentences(model, count);
  return { labels, inputIds: rows.map((row, i) => (places.includes(i) ? [...row.slice(0, -1), broken, 3] : row)) };
}

it('z has the id of the broken embedding', () => expect(broken).toBe(30));

it.each(['pooler+classifier', 'all'])('%s: clipped sums leave them out, in every micro-batch', async (selector) => {
  const batch = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  for (const microBatchSize of [1, 4, 32]) {
    const data = spoilt(12, [2, 7, 8]);
    const { classifier, parameters } = await openTask(model, selector, { data, microBatchSize });
    const clipping = { kind: 'clip', norm: 1 } as const;
    const sums = await classifier.clippedSums(parameters, batch, clipping);
    const [all, loss] = [flat(sums.gradients), sums.loss];
    expect(sums.nonFinite).toBe(3);
    const good = batch.filter((index) => ![2, 7, 8].includes(index));
    const others = await classifier.clippedSums(parameters, good, clipping);
    expect(others.nonFinite).toBe(0);
    expect(relativeDistance(all, flat(others.gradients))).toBeLessThan(1e-6);
    expect(Math.abs(loss - others.loss)).toBeLessThan(1e-4);
    const alone = await classifier.clippedSums(parameters, [7], clipping);
    expect([alone.nonFinite, lengthOf(flat(alone.gradients))]).toEqual([1, 0]);
    await classifier.close();
  }
});

it.each(['pooler+classifier', 'all'])('%s: sums of directions use uniform ones for them', async (selector) => {
  for (const microBatchSize of [1, 4]) {
    const { classifier, parameters, trained } = await openTask(model, selector, {
      data: spoilt(12, [2, 7, 8]),
      microBatchSize,
    });
    const directions = { concentration: 1e9, parameterGroups: [trained], random: seededSource(1) };
    const { gradients, nonFinite } = await classifier.directionSums(parameters, [1, 2, 3, 7], directions);
    expect(nonFinite).toBe(2);
    const all = flat(gradients);
    // At this concentration the finite ones are where they were; the other two are unit vectors, nearly orthogonal to all.
    const { gradients: two } = await classifier.clippedSums(parameters, [1, 3], { kind: 'normalise', norm: 1 });
    const own = flat(two);
    const rest = all.map((x, i) => x - (own[i] as number));
    expect(Math.abs(lengthOf(rest) - Math.SQRT2)).toBeLessThan(0.2);
    const alone = await classifier.directionSums(parameters, [8], directions);
    expect(alone.nonFinite).toBe(1);
    expect(lengthOf(flat(alone.gradients))).toBeCloseTo(1, 5);
    await classifier.close();
  }
});

it('a run continues with a few of them and stops with advice at many, with the current step counted', async () => {
  const trained = selectParameters(model, 'pooler+classifier');
  const folder = join(root, 'run');
  mkdirSync(folder);
  const done: number[] = [];
  const run = (places: readonly number[], rest: Partial<TrainOptions> = {}) =>
    trainClassifier({
      model,
      trainable: trained,
      data: { train: spoilt(60, places) },
      optimizer: sgd({ learningRate: 0.1 }),
      plan: makePlan({ mechanism: 'gaussian', examples: 60, epochs: 2, batchSize: 20, noiseMultiplier: 1 }),
      seed: 1,
      insecureSeed: 1,
      ...rest,
    });
  const { privacy, parameters, finished } = await run([5]);
  expect(finished).toBe(true);
  expect(privacy.nonFinite).toBeGreaterThan(0);
  expect(flat(parameters).every(Number.isFinite)).toBe(true);
  const many = run(
    Array.from({ length: 20 }, (_, i) => 3 * i),
    { run: { folder, resume: false, configuration: {} }, onStep: ({ step }) => void done.push(step) },
  );
  await expect(many).rejects.toThrow(
    /training stopped: the gradients of \d+ of \d+ examples are not finite: lower the learning rate/,
  );
  const lines = readFileSync(join(folder, 'ledger.jsonl'), 'utf8').trim().split('\n');
  expect(lines.length).toBe(1 + done.length + 1);
});

describe('an example that the model is sure of', () => {
  const last = 'classifier.bias';
  /** Logits of the first class that far above the other: the gradient falls with e^−gap. */
  const gaps = [0, 5, 12, 17, 20, 30, 38, 44, 52, 60, 85, 92, 103, 110, 150, 200];

  it('has a normalised gradient of the given length, however sure', async () => {
    const { classifier, parameters, data } = await openTask(model, 'head');
    const sure = data.labels.flatMap((label, index) => (label === 0 ? [index] : [])).slice(0, 4);
    for (const gap of gaps) {
      (parameters[last] as Float32Array)[0] = gap;
      for (const index of sure) {
        const { gradients, zero } = await classifier.clippedSums(parameters, [index], { kind: 'normalise', norm: 1 });
        const length = lengthOf(flat(gradients));
        expect(zero).toBe(0);
        expect(Math.abs(length - 1), `gap ${gap}`).toBeLessThanOrEqual(2 ** -12);
      }
    }
    await classifier.close();
  });

  it('has the direction of its gradient, to float32, at any margin', async () => {
    const { classifier, parameters, data, trained } = await openTask(model, 'head');
    const index = data.labels.indexOf(0);
    // With two classes the gradient is p·(−1, 1) ⊗ (features, 1), whatever p is: its direction is that of an unsure model.
    (parameters[last] as Float32Array)[0] = 0;
    const unsure = flat((await classifier.sums(parameters, [index])).gradients);
    for (const gap of gaps) {
      (parameters[last] as Float32Array)[0] = gap;
      const directions = { concentration: 1e12, parameterGroups: [trained], random: seededSource(1) };
      const { gradients, zero } = await classifier.directionSums(parameters, [index], directions);
      const found = flat(gradients);
      expect(zero).toBe(0);
      expect(lengthOf(found), `gap ${gap}`).toBeCloseTo(1, 4);
      expect(dot(found, unsure) / lengthOf(found) / lengthOf(unsure), `gap ${gap}`).toBeCloseTo(1, 6);
      // True slopes, as clipping and diagnostics use them, are the same direction as far as float32 reaches.
      if (gap > 85) continue;
      const plain = flat((await classifier.sums(parameters, [index])).gradients);
      expect(dot(plain, unsure) / lengthOf(plain) / lengthOf(unsure), `gap ${gap}`).toBeCloseTo(1, 6);
    }
    await classifier.close();
  });
});
