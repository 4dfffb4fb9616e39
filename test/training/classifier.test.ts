// A classifier on cached features and on tokens, and its training.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel, type Model, selectParameters } from '../../src/models/index.js';
import {
  adamW,
  type LabelledExamples,
  linearSchedule,
  makePlan,
  openClassifier,
  sgd,
  trainClassifier,
} from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const models = new Map<string, Model>();
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const) {
    models.set(name, await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true }));
  }
});

/** Sentences of a, b, c, where those with more a than b are of class 1; of many lengths. */
const texts = Array.from({ length: 60 }, (_, i) =>
  Array.from({ length: 1 + ((i * 5) % 9) }, (_, j) => (i % 2 === 0 ? 'a' : 'b') + ((i + j) % 3 === 0 ? ' c' : '')).join(
    ' ',
  ),
);
const dataFor = ({ tokenizer }: Model): LabelledExamples => ({
  inputIds: texts.map((text) => tokenizer.encode(text, { maxTokens: 12 })),
  labels: texts.map((_, i) => (i + 1) % 2),
});

const plainPlan = (epochs: number, batchSize: number) =>
  makePlan({ mechanism: 'none', examples: texts.length, epochs, batchSize });

async function start(model: Model, trained: readonly string[]) {
  const parameters: Record<string, Float32Array> = {};
  for (const name of trained) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  return parameters;
}

const copy = (arrays: Readonly<Record<string, Float32Array>>) =>
  Object.fromEntries(Object.entries(arrays).map(([name, array]) => [name, [...array]]));

function expectClose(actual: readonly number[], wanted: readonly number[]) {
  // The gradient of a key's bias is 0 up to rounding.
  const scale = Math.max(1e-3, ...wanted.map(Math.abs));
  for (const [i, number] of wanted.entries())
    expect(Math.abs((actual[i] as number) - number) / scale).toBeLessThan(1e-4);
}

describe.each(['bert', 'gpt2'])('a classifier of tiny %s', (name) => {
  const batch = [0, 1, 2, 7, 19, 33, 58];

  it('gives for a batch what it gives alone, whichever batches came before', async () => {
    const model = models.get(name) as Model;
    const trained = selectParameters(model, 'pooler+classifier');
    const parameters = await start(model, trained);
    const open = () => openClassifier({ model, trainable: trained, data: dataFor(model) });
    const used = await open();
    expect(used.cached).toBe(true);
    const changing = [40, 41, 42];
    for (const indices of [batch, [5], batch, [1, 0, 2], changing]) {
      await used.sums(parameters, indices);
      if (indices === changing) changing[1] = 3;
      const again = copy((await used.sums(parameters, indices)).gradients);
      const alone = await open();
      expect(again).toEqual(copy((await alone.sums(parameters, indices)).gradients));
      await alone.close();
    }
    await used.close();
  });

  it.each(['pooler+classifier', 'all', 'head'])(
    'sums %s gradients as a loop over single examples does',
    async (selector) => {
      const model = models.get(name) as Model;
      const trained = selectParameters(model, selector);
      const parameters = await start(model, trained);
      const classifier = await openClassifier({ model, trainable: trained, data: dataFor(model), microBatchSize: 3 });
      expect(classifier.cached).toBe(selector !== 'all');
      const together = await classifier.sums(parameters, batch);
      const sums = { loss: together.loss, gradients: copy(together.gradients) };
      let loss = 0;
      const alone: Record<string, number[]> = {};
      for (const index of batch) {
        const one = await classifier.sums(parameters, [index]);
        loss += one.loss;
        for (const [key, array] of Object.entries(one.gradients)) {
          alone[key] = [...array].map((number, i) => number + (alone[key]?.[i] ?? 0));
        }
      }
      await classifier.close();
      expect(Math.abs(sums.loss - loss)).toBeLessThan(1e-4);
      for (const key of trained) expectClose(sums.gradients[key] as number[], alone[key] as number[]);
    },
  );

  it('gives the same on cached features as on tokens, for any micro-batch size', async () => {
    const model = models.get(name) as Model;
    const [some, all] = [selectParameters(model, 'pooler+classifier'), selectParameters(model, 'all')];
    const data = dataFor(model);
    const onFeatures = await openClassifier({ model, trainable: some, data, microBatchSize: 4 });
    const onTokens = await openClassifier({ model, trainable: all, data, microBatchSize: 5 });
    const [few, many] = [await start(model, some), await start(model, all)];
    const one = await onFeatures.sums(few, batch);
    const two = await onTokens.sums(many, batch);
    expect(Math.abs(one.loss - two.loss)).toBeLessThan(1e-4);
    for (const key of some) expectClose([...(one.gradients[key] ?? [])], [...(two.gradients[key] ?? [])]);
    expectClose([...(await onFeatures.logits(few))], [...(await onTokens.logits(many))]);
    await onFeatures.close();
    await onTokens.close();
  });

  it('learns separable classes', async () => {
    const model = models.get(name) as Model;
    const data = dataFor(model);
    const seen: string[] = [];
    const result = await trainClassifier({
      model,
      trainable: selectParameters(model, 'all'),
      data: { train: data, test: data },
      optimizer: adamW({ learningRate: linearSchedule(3e-3, { warmup: 5, steps: 90 }) }),
      plan: plainPlan(15, 10),
      seed: 1,
      onEpoch: ({ epoch }) => void seen.push(`${epoch}`),
    });
    expect(result.finished).toBe(true);
    expect(result.steps).toBe(90);
    expect(seen.length).toBe(15);
    expect(result.train.accuracy).toBeGreaterThan(0.95);
    expect(result.test).toEqual(result.train);
  });
});

it('resumes after an interruption as if there had been none', async () => {
  const model = models.get('bert') as Model;
  const trained = selectParameters(model, 'pooler+classifier');
  const folder = join(root, 'resumed');
  mkdirSync(folder);
  const run = (signal?: AbortSignal, resume = false) =>
    trainClassifier({
      model,
      trainable: trained,
      data: { train: dataFor(model) },
      optimizer: sgd({ learningRate: 0.1, momentum: 0.9 }),
      plan: plainPlan(3, 16),
      seed: 5,
      run: { folder, resume, configuration: { seed: 5 } },
      ...(signal && { signal }),
      onProgress: (now) => {
        if (signal && now.stage === 'training' && now.step === 5) stop.abort();
      },
    });
  const stop = new AbortController();
  const whole = await run();
  rmSync(join(folder, 'checkpoint.safetensors'));
  const first = await run(stop.signal);
  expect([first.finished, first.steps]).toEqual([false, 5]);
  const second = await run(undefined, true);
  expect(second.steps).toBe(12);
  expect(copy(second.parameters)).toEqual(copy(whole.parameters));
});

it('refuses data that does not fit the model', async () => {
  const model = models.get('bert') as Model;
  const trained = selectParameters(model, 'head');
  const open = (data: LabelledExamples) => openClassifier({ model, trainable: trained, data });
  await expect(open({ inputIds: [], labels: [] })).rejects.toThrow('at least one example');
  await expect(open({ inputIds: [[2, 3]], labels: [] })).rejects.toThrow('one label for each of 1 examples');
  await expect(open({ inputIds: [[2, 3]], labels: [2] })).rejects.toThrow(
    'example 0: expected a label from 0 to 1, got 2',
  );
});

it('steps by the learning rate times the mean gradient of the batch', async () => {
  const model = models.get('bert') as Model;
  const [trained, data] = [selectParameters(model, 'pooler+classifier'), dataFor(model)];
  const before = await start(model, trained);
  const classifier = await openClassifier({ model, trainable: trained, data });
  const { gradients } = await classifier.sums(before, [...data.inputIds.keys()]);
  const result = await trainClassifier({
    model,
    trainable: trained,
    data: { train: data },
    optimizer: sgd({ learningRate: 0.5 }),
    plan: plainPlan(1, data.inputIds.length),
    seed: 1,
  });
  for (const name of trained) {
    const wanted = [...(before[name] ?? [])].map(
      (x, i) => x - (0.5 * (gradients[name]?.[i] ?? 0)) / data.inputIds.length,
    );
    expectClose([...(result.parameters[name] ?? [])], wanted);
  }
  await classifier.close();
});
