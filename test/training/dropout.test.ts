// Dropout in training: what a step computes follows from seed, step and the examples alone, however they run.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { dropoutRates, type Model, selectParameters } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import {
  adamW,
  makePlan,
  openClassifier,
  openTrainer,
  type StepDropout,
  type TrainOptions,
  trainClassifier,
} from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { flat, loadTiny, openTask, readParameters, sentences } from './tiny-task.js';

const root = makeRoot();
const models = new Map<string, Model>();
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const) models.set(name, await loadTiny(root, name));
});

const rates = { summary: 0, embeddings: 0.1, attention: 0.2, hidden: 0.15, classifier: 0.3 };
const at = (step: number, rest: Partial<StepDropout> = {}): StepDropout => ({ rates, seed: 7, step, ...rest });
const batch = [0, 1, 2, 7, 11, 14, 18];
const clip = { kind: 'clip', norm: 0.01 } as const;

function expectNear(actual: Float64Array, wanted: Float64Array, tolerance: number) {
  const scale = Math.max(...wanted.map(Math.abs));
  const error = Math.max(...actual.map((number, i) => Math.abs(number - (wanted[i] as number))));
  expect(error / scale).toBeLessThan(tolerance);
}

describe.each([
  ['bert', 'all'],
  ['gpt2', 'all'],
  ['bert', 'pooler+classifier'],
  ['bert', 'head'],
] as const)('dropout in training of tiny %s, %s', (name, selector) => {
  const open = (microBatchSize?: number, count?: number) =>
    openTask(models.get(name) as Model, selector, {
      ...(microBatchSize && { microBatchSize }),
      ...(count && { count }),
    });

  it('clips every example as alone: the sum over a batch is that of batches of one with the same masks', async () => {
    const { classifier, parameters, trained } = await open(3);
    for (const clipping of [clip, { ...clip, kind: 'normalise' as const }]) {
      const together = flat((await classifier.clippedSums(parameters, batch, clipping, at(4))).gradients, trained);
      const sum = new Float64Array(together.length);
      for (const index of batch) {
        const one = flat((await classifier.clippedSums(parameters, [index], clipping, at(4))).gradients, trained);
        const norm = Math.hypot(...one);
        expect(norm).toBeLessThan(0.01 * (1 + 1e-5));
        const plain = flat((await classifier.sums(parameters, [index], at(4))).gradients, trained);
        // The length by which it was clipped is that of its own gradient with these masks.
        const length = Math.hypot(...plain);
        const factor = clipping.kind === 'clip' ? Math.min(1, 0.01 / length) : 0.01 / length;
        expectNear(
          one,
          plain.map((number) => number * factor),
          2e-4,
        );
        for (const [i, number] of one.entries()) sum[i] = (sum[i] as number) + number;
      }
      expectNear(together, sum, 1e-4);
    }
    await classifier.close();
  });

  it('does not depend on micro-batches, on the order, or on what ran before', async () => {
    const [small, large] = [await open(2), await open(16)];
    const sumsOf = async (task: typeof small, indices: number[], step = 4) =>
      flat((await task.classifier.clippedSums(task.parameters, indices, clip, at(step))).gradients, task.trained);
    const one = await sumsOf(small, batch);
    await sumsOf(large, [3, 4], 1);
    expectNear(await sumsOf(large, batch.toReversed()), one, 1e-4);
    expect(await sumsOf(small, batch)).toEqual(one);
    await small.classifier.close();
    await large.classifier.close();
  });

  it('changes with step and seed, and is none without', async () => {
    const { classifier, parameters, trained } = await open();
    const sumsWith = async (dropout?: StepDropout) =>
      flat((await classifier.sums(parameters, batch, dropout)).gradients, trained);
    const first = await sumsWith(at(0));
    const distance = async (dropout?: StepDropout) => {
      const other = await sumsWith(dropout);
      return Math.hypot(...first.map((number, i) => number - (other[i] as number))) / Math.hypot(...first);
    };
    expect(await distance(at(0))).toBe(0);
    for (const other of [at(1), at(0, { seed: 8 }), undefined]) expect(await distance(other)).toBeGreaterThan(1e-3);
    // Rates of 0 are the gradient in evaluation mode, to the bit.
    const none = await sumsWith(
      at(0, { rates: { summary: 0, embeddings: 0, attention: 0, hidden: 0, classifier: 0 } }),
    );
    expect(none).toEqual(await sumsWith());
    await classifier.close();
  });

  it('keeps the masks of an example when others leave the data, so that sums differ by its own gradient only', async () => {
    const model = models.get(name) as Model;
    const all = await open();
    const data = sentences(model, 20);
    const gone = 5;
    const without = (list: readonly unknown[]) => list.filter((_, index) => index !== gone);
    const rest = { inputIds: without(data.inputIds) as number[][], labels: without(data.labels) as number[] };
    const fewer = await openTask(model, selector, { data: rest });
    const indices = data.labels.map((_, index) => index);
    const sums = async (task: typeof all, chosen: number[]) =>
      flat((await task.classifier.clippedSums(task.parameters, chosen, clip, at(2))).gradients, all.trained);
    const [more, less] = [await sums(all, indices), await sums(fewer, indices.slice(0, -1))];
    const own = await sums(all, [gone]);
    expectNear(
      more.map((number, i) => number - (less[i] as number)),
      own,
      1e-3,
    );
    await all.classifier.close();
    await fewer.classifier.close();
  });

  it('sees the same masks in all passes of directional noise', async () => {
    // At a very high concentration, a direction is that of the gradient, which only the same masks give.
    const { classifier, parameters, trained } = await open(4);
    const directions = { concentration: 1e14, parameterGroups: [trained], random: seededSource(1) };
    const found = flat((await classifier.directionSums(parameters, batch, directions, at(3))).gradients, trained);
    const clipping = { kind: 'normalise', norm: 1 } as const;
    const wanted = flat((await classifier.clippedSums(parameters, batch, clipping, at(3))).gradients, trained);
    const cosine =
      found.reduce((sum, number, i) => sum + number * (wanted[i] as number), 0) /
      (Math.hypot(...found) * Math.hypot(...wanted));
    expect(cosine).toBeGreaterThan(1 - 1e-4);
    await classifier.close();
  });
});

it('never drops in scores: logits are those of a classifier that never had dropout', async () => {
  const { classifier, parameters } = await openTask(models.get('bert') as Model, 'all');
  await classifier.sums(parameters, batch, at(0));
  const after = await classifier.logits(parameters);
  await classifier.close();
  const fresh = await openTask(models.get('bert') as Model, 'all');
  expect(after).toEqual(await fresh.classifier.logits(parameters));
  await fresh.classifier.close();
});

it('drops the mean away: over many steps, the classifier gets the gradient of its own masks on average', async () => {
  // Gradients of a linear loss would agree exactly; here the mean of masked pooled vectors is tested through the bias-free weight.
  const task = await openTask(models.get('bert') as Model, 'head');
  const only = { rates: { summary: 0, embeddings: 0, attention: 0, hidden: 0, classifier: 0.3 } };
  const steps = 400;
  const weight = async (dropout?: StepDropout) =>
    Float64Array.from((await task.classifier.sums(task.parameters, [0], dropout)).gradients['classifier.weight'] ?? []);
  const plain = await weight();
  const zeros = new Float64Array(plain.length);
  for (let step = 0; step < steps; step++) {
    for (const [i, number] of (await weight(at(step, only))).entries())
      if (number === 0) zeros[i] = (zeros[i] as number) + 1;
  }
  await task.classifier.close();
  // Each input of the classifier is dropped in a share of .3 of the steps; a false alarm has probability below 1e-6 (64 places, 5.6 σ).
  const deviation = Math.sqrt(steps * 0.3 * 0.7);
  for (const count of zeros) expect(Math.abs(count - steps * 0.3)).toBeLessThan(5.6 * deviation);
});

describe('a run with dropout', () => {
  const optionsFor = (model: Model, rest: Partial<TrainOptions> = {}): TrainOptions => {
    const data = sentences(model, 24);
    return {
      model,
      trainable: selectParameters(model, 'all'),
      data: { train: data, test: data },
      optimizer: adamW({ learningRate: 1e-3 }),
      plan: makePlan({ mechanism: 'gaussian', examples: 24, epochs: 3, batchSize: 6, noiseMultiplier: 1 }),
      seed: 3,
      insecureSeed: 1,
      dropout: { rates },
      ...rest,
    };
  };

  it('resumes to the bit, and not with another rate or seed', async () => {
    const model = models.get('bert') as Model;
    const whole = await trainClassifier(optionsFor(model));
    const folder = join(root, 'resumed');
    mkdirSync(folder);
    const stop = new AbortController();
    const run = { folder, resume: true, configuration: {} };
    const onStep = ({ step }: { step: number }) => void (step === 5 && stop.abort());
    const cut = await trainClassifier(optionsFor(model, { run, onStep, signal: stop.signal }));
    expect([cut.finished, cut.steps]).toEqual([false, 5]);
    const other = { dropout: { rates: { ...rates, hidden: 0.2 } } };
    await expect(trainClassifier(optionsFor(model, { run, ...other }))).rejects.toThrow('dropout');
    await expect(trainClassifier(optionsFor(model, { run, seed: 4 }))).rejects.toThrow('seed');
    const resumed = await trainClassifier(optionsFor(model, { run }));
    expect(resumed.finished).toBe(true);
    for (const [name, numbers] of Object.entries(whole.parameters)) expect(resumed.parameters[name]).toEqual(numbers);
  });

  it('promises what the run without dropout promises', async () => {
    const model = models.get('bert') as Model;
    const { dropout: _, ...without } = optionsFor(model);
    const [one, other] = [await trainClassifier(optionsFor(model)), await trainClassifier(without)];
    expect(one.privacy.guarantee).toEqual(other.privacy.guarantee);
    expect(one.privacy.statement).toEqual(other.privacy.statement);
    expect(one.parameters).not.toEqual(other.parameters);
  });

  it('refuses dropout that would change nothing, and says what to do', async () => {
    const model = models.get('gpt2') as Model;
    const trainable = selectParameters(model, 'head');
    await expect(trainClassifier(optionsFor(model, { trainable }))).rejects.toThrow(
      'dropout would change nothing: all places where this model drops lie in its frozen part',
    );
  });

  it('drops in the frozen part only without cached features', async () => {
    const model = models.get('gpt2') as Model;
    const trainable = selectParameters(model, 'head');
    const dropout = { rates, frozen: true };
    const result = await trainClassifier(optionsFor(model, { trainable, dropout }));
    expect(result.cached).toBe(false);
    const trainer = await openTrainer({ model, trainable, data: optionsFor(model).data });
    await expect(trainer.train({ ...optionsFor(model), dropout })).rejects.toThrow(
      'expected a trainer without cached features',
    );
    await trainer.close();
  });
});

it('on cached features is what it is on tokens', async () => {
  const model = models.get('bert') as Model;
  const trainable = selectParameters(model, 'pooler+classifier');
  const data = sentences(model, 20);
  const parameters = await readParameters(model, trainable);
  const results: Float64Array[] = [];
  for (const cacheFeatures of [true, false]) {
    const classifier = await openClassifier({ model, trainable, data, cacheFeatures });
    expect(classifier.cached).toBe(cacheFeatures);
    results.push(flat((await classifier.sums(parameters, batch, at(1))).gradients, trainable));
    await classifier.close();
  }
  expectNear(results[0] as Float64Array, results[1] as Float64Array, 1e-4);
  const names = dropoutRates(model, 0.1);
  expect(names?.hidden).toBe(0.1);
});
