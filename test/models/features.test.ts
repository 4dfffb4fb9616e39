// Features of the frozen part: with them the trainable part computes what the whole model does, and cached ones are verified.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import {
  crossEntropy,
  gradients,
  input,
  reduceSum,
  sizeOf,
  type TypedArray,
  type Value,
} from '../../src/engine/index.js';
import {
  buildTrainablePart,
  computeFeatures,
  type FeatureOptions,
  loadModel,
  type Model,
  openSafetensors,
  readTensor,
  replaceParameters,
  saveModel,
  selectParameters,
  shouldCacheFeatures,
  writeSafetensors,
} from '../../src/models/index.js';
import { expectNear, ids, runWith } from './describe-golden.js';
import { feedRows, makeRoot, type TinyName, type TinyOptions, writeTiny } from './tiny-models.js';
import { gradientsFromSites, siteValues } from './trace-gradients.js';

const root = makeRoot();
let folders = 0;
const fresh = () => join(root, `${++folders}`);
const load = async (name: TinyName, options?: TinyOptions) => loadModel(await writeTiny(fresh(), name, options));
const models = {} as Record<TinyName, Model>;
beforeAll(async () => {
  models.bert = await load('bert');
  models.gpt2 = await load('gpt2');
});

const rows = [
  [2, 17, 5, 44, 17, 3],
  [2, 9, 3],
  [2, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 3],
  [2],
  [2, 50, 50, 50, 3],
];

async function trainedFeeds(model: Model, trained: readonly string[]): Promise<Record<string, TypedArray>> {
  const feeds: Record<string, TypedArray> = {};
  for (const name of trained) feeds[name] = (await model.parameters.get(name)?.read()) as Float32Array;
  return feeds;
}

async function wholeLogits(model: Model, texts: readonly number[][] = rows): Promise<number[]> {
  const tokens = Math.max(...texts.map(({ length }) => length));
  const built = model.build({ batch: texts.length, tokens });
  const { logits } = await runWith({ logits: built.classify() }, feedRows(texts, tokens));
  return [...(logits as Float32Array)];
}

/** Features, then the trainable part over all examples in one batch. */
async function partLogits(options: FeatureOptions) {
  const { model, trainable: trained, inputIds: texts } = options;
  const { values } = await computeFeatures(options);
  const part = buildTrainablePart(model, trained, texts.length, Math.max(...texts.map(({ length }) => length)));
  const feeds = Object.fromEntries(values.map(({ data }, i) => [`feature ${i}`, data]));
  const result = await runWith({ logits: part.logits }, { ...feeds, ...(await trainedFeeds(model, trained)) });
  return { logits: result.logits, shapes: values.map(({ shape }) => [...shape]), feeds, part };
}

describe.each([
  ['bert', 'head', [[32]]],
  ['bert', 'pooler+classifier', [[1, 32]]],
  ['bert', 'classifier.bias', [[2]]],
  [
    'bert',
    'encoder.layer.1.*,pooler.*,classifier.*',
    [
      [12, 32],
      [1, 1, 12],
    ],
  ],
  ['bert', 'encoder.layer.1.output.LayerNorm.*,classifier.*', [[12, 32]]],
  ['gpt2', 'head', [[32]]],
  ['gpt2', 'pooler+classifier', [[1, 32]]],
  [
    'gpt2',
    'h.1.*,ln_f.*,score.*',
    [
      [12, 32],
      [1, 12],
    ],
  ],
] as const)('%s, trained in %s', (name, selector, shapes) => {
  const open = () => ({ model: models[name], trained: selectParameters(models[name], selector) });

  it('computes the same from its features as the whole model', async () => {
    const { model, trained } = open();
    expect(shouldCacheFeatures(model, trained, 10, 8)).toBe(true);
    const result = await partLogits({ model, trainable: trained, inputIds: rows, batch: 2, folder: false });
    expectNear(result.logits, await wholeLogits(model), 1e-5);
    expect(new Set(result.shapes.map((shape) => shape.join()))).toEqual(new Set(shapes.map((shape) => shape.join())));
  });

  it('has traces that give the gradients of every example', async () => {
    const { model, trained } = open();
    const { part, feeds } = await partLogits({ model, trainable: trained, inputIds: rows, folder: false });
    const labels = [0, 1, 1, 0, 1];
    const loss = reduceSum(crossEntropy(part.logits, input('labels', [rows.length], 'i64')));
    const known = { ...feeds, ...(await trainedFeeds(model, trained)), labels: ids([labels]) };
    const slopes = gradients(loss, Object.values(part.trainable));
    const named = Object.fromEntries(Object.keys(part.trainable).map((key, i) => [`sum ${key}`, slopes[i] as Value]));
    // If only the bias is trainable there is no input, so any value will do.
    const wanted = part.traces.map((trace) =>
      trace.kind === 'linear' && !(trace.weight.name in part.trainable) ? { ...trace, input: trace.output } : trace,
    );
    expect(new Set(part.traces.flatMap((trace) => trainedNames(trace, part.trainable)))).toEqual(new Set(trained));
    const numbers = await runWith({ ...siteValues(wanted, loss), ...named }, known);
    const sums = new Map<string, Float64Array>();
    for (let example = 0; example < rows.length; example++) {
      for (const [key, own] of gradientsFromSites(wanted, numbers, { batch: rows.length, example })) {
        if (!(key in part.trainable)) continue;
        sums.set(
          key,
          (sums.get(key) ?? new Float64Array(own.length)).map((x, i) => x + (own[i] as number)),
        );
      }
    }
    expect(new Set(sums.keys())).toEqual(new Set(trained));
    for (const [key, sum] of sums) {
      expect(Math.max(...sum.map(Math.abs)), key).toBeGreaterThan(key.includes('key.bias') ? -1 : 1e-6);
      const error = sum.map((x, i) => Math.abs(x - Number(numbers[`sum ${key}`]?.[i])));
      expect(Math.max(...error), key).toBeLessThan(1e-5);
    }
  });
});

const trainedNames = (
  trace: { readonly weight: { readonly name: string }; readonly bias?: { readonly name: string } },
  trained: object,
) => [trace.weight, trace.bias].flatMap((one) => (one && one.name in trained ? [one.name] : []));

describe('features of any selection', () => {
  it('give the same result as the whole model, or do not exist', async () => {
    for (const model of Object.values(models)) {
      const all = selectParameters(model, 'all');
      const words = all.find((name) => /word_embeddings|wte/.test(name)) as string;
      const chosen = fc.subarray(all, { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(chosen, async (trained) => {
          if (trained.includes(words)) {
            expect(shouldCacheFeatures(model, trained, 10, 8)).toBe(false);
            const failing = computeFeatures({ model, trainable: trained, inputIds: rows, folder: false });
            await expect(failing).rejects.toThrow('the frozen part has no values per example to cache');
            return;
          }
          const { logits } = await partLogits({ model, trainable: trained, inputIds: rows, batch: 3, folder: false });
          expectNear(logits, await wholeLogits(model), 1e-5);
        }),
        { numRuns: 6, seed: 8 },
      );
    }
  });

  it.each<[TinyName, string, boolean]>([
    ['bert', 'all', false],
    ['bert', 'embeddings.LayerNorm.bias', false],
    ['bert', 'encoder.*,pooler.*,classifier.*', false],
    ['bert', 'encoder.layer.0.output.dense.bias', true],
    ['bert', 'encoder.layer.1.*', true],
    ['gpt2', 'all', false],
    ['gpt2', 'wpe.weight,score.weight', false],
    ['gpt2', 'h.1.*', true],
  ])('pay if a frozen linear layer lies below: %s, trainable %s, %s', (name, selector, pays) => {
    expect(shouldCacheFeatures(models[name], selectParameters(models[name], selector), 10, 8)).toBe(pays);
  });

  it('do not pay if they do not fit into memory', () => {
    const trained = selectParameters(models.bert, 'encoder.layer.1.*');
    expect(shouldCacheFeatures(models.bert, trained, 1e9, 8)).toBe(false);
  });

  it('are the logits themselves if nothing is trainable', async () => {
    const { values } = await computeFeatures({ model: models.bert, trainable: [], inputIds: rows, folder: false });
    expectNear(values[0]?.data, await wholeLogits(models.bert), 1e-5);
  });

  it('exist for examples of one token', async () => {
    for (const model of Object.values(models)) {
      const trained = selectParameters(model, 'pooler+classifier');
      const { logits } = await partLogits({ model, trainable: trained, inputIds: [[7], [8]], folder: false });
      expectNear(logits, await wholeLogits(model, [[7], [8]]), 1e-5);
    }
  });

  it('exist for examples of very different lengths', async () => {
    const texts = [[2, 7, 3], Array.from({ length: 35 }, (_, i) => i + 5), [2, 9, 9, 3], [2, ...Array(19).fill(6), 3]];
    for (const [name, selector] of [
      ['bert', 'pooler+classifier'],
      ['bert', 'encoder.layer.1.*'],
      ['gpt2', 'pooler+classifier'],
      ['gpt2', 'h.1.mlp.*'],
    ] as const) {
      const trained = selectParameters(models[name], selector);
      const { logits } = await partLogits({
        model: models[name],
        trainable: trained,
        inputIds: texts,
        batch: 2,
        folder: false,
      });
      expectNear(logits, await wholeLogits(models[name], texts), 1e-5);
    }
  });

  it('depend only on the example, not on its batch or on the longest example', async () => {
    const model = models.gpt2;
    const trained = selectParameters(model, 'pooler+classifier');
    const alone = await computeFeatures({
      model,
      trainable: trained,
      inputIds: [rows[0] as number[]],
      batch: 1,
      folder: false,
    });
    const all = await computeFeatures({ model, trainable: trained, inputIds: rows, batch: 5, folder: false });
    const long = Array.from({ length: 40 }, (_, i) => i + 2);
    const other = await computeFeatures({
      model,
      trainable: trained,
      inputIds: [long, ...rows],
      batch: 2,
      folder: false,
    });
    expectNear(all.values[0]?.data.subarray(0, 32), [...(alone.values[0]?.data ?? [])], 1e-5);
    expectNear(other.values[0]?.data.subarray(32, 64), [...(alone.values[0]?.data ?? [])], 1e-5);
  });
});

describe('cached features', () => {
  const listed = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
  const compute = async (folder: string, options: Partial<FeatureOptions> = {}) => {
    const model = options.model ?? models.bert;
    const calls: [number, number][] = [];
    const features = await computeFeatures({
      model,
      trainable: selectParameters(model, 'pooler+classifier'),
      inputIds: rows,
      batch: 2,
      folder,
      onProgress: (done, all) => calls.push([done, all]),
      ...options,
    });
    return { numbers: features.values.map(({ data }) => [...data]), calls };
  };

  it('are read the second time, from the same file', async () => {
    const folder = fresh();
    const first = await compute(folder);
    const [file, ...others] = listed(folder);
    expect(others).toEqual([]);
    const { ino, mtimeMs } = statSync(join(folder, file as string));
    const second = await compute(folder);
    expect(second.numbers).toEqual(first.numbers);
    expect(statSync(join(folder, file as string))).toMatchObject({ ino, mtimeMs });
    expect(first.calls.length).toBeGreaterThan(2);
    expect(second.calls).toEqual([[5, 5]]);
  });

  it('are in the cache by default, in the given folder, or nowhere if caching is off', async () => {
    const model = models.bert;
    const trained = selectParameters(model, 'pooler+classifier');
    const own = join(root, 'cache', 'features');
    await computeFeatures({ model, trainable: trained, inputIds: rows, folder: false });
    expect(listed(own)).toEqual([]);
    await computeFeatures({ model, trainable: trained, inputIds: rows });
    expect(listed(own).length).toBe(1);
  });

  it('are computed again if weights, tokens or trainable parameters change, and only then', async () => {
    const folder = fresh();
    const changed = await load('bert', {
      change: (tensors) => {
        const data = tensors['embeddings.LayerNorm.bias']?.data as Float32Array;
        data[1] = (data[1] as number) + 0.5;
      },
    });
    const moved = rows.map((row, i) => (i === 4 ? [2, 50, 50, 51, 3] : row));
    const first = await compute(folder);
    const variants: Partial<FeatureOptions>[] = [
      { model: changed },
      { trainable: ['classifier.bias'] },
      { inputIds: moved },
      { inputIds: rows.slice(0, 4) },
      { inputIds: rows.toReversed() },
      // The same tokens in another division, and two parts of the same shape.
      { inputIds: [[2, 17, 5, 44, 17, 3, 2], [9, 3], ...rows.slice(2)] },
      { trainable: ['encoder.layer.1.attention.output.LayerNorm.bias'] },
      { trainable: ['encoder.layer.1.output.LayerNorm.bias'] },
    ];
    for (const [i, variant] of variants.entries()) {
      await compute(folder, variant);
      expect(listed(folder).length, `variant ${i}`).toBe(i + 2);
    }
    expect((await compute(folder)).numbers).toEqual(first.numbers);
    expect((await compute(folder, { batch: 5 })).numbers).toEqual(first.numbers);
    // The same weights from another folder are the same model.
    expect((await compute(folder, { model: await load('bert') })).numbers).toEqual(first.numbers);
    expect(listed(folder).length).toBe(variants.length + 1);
  });

  it('of models with differently initialized weights are different', async () => {
    const folder = fresh();
    const path = await writeTiny(fresh(), 'bert', { without: /^(pooler|classifier)\./ });
    const head = { trainable: ['classifier.weight'] };
    const one = await compute(folder, { model: await loadModel(path, { seed: 1 }), ...head });
    const two = await compute(folder, { model: await loadModel(path, { seed: '1' }), ...head });
    expect(listed(folder).length).toBe(2);
    expect(two.numbers).not.toEqual(one.numbers);
  });

  it('of a fine-tuned model are those of the model it started from, in memory and saved', async () => {
    const folder = fresh();
    const base = await load('bert', { without: /^classifier/, dtype: 'F16' });
    const first = await compute(folder, { model: base });
    const names = selectParameters(base, 'pooler+classifier');
    const numbers = Object.fromEntries(
      names.map((name) => [name, new Float32Array(sizeOf(base.parameters.get(name)?.shape ?? [])).fill(0.25)]),
    );
    const trained = replaceParameters(base, numbers);
    const saved = fresh();
    await saveModel(saved, trained, { classes: ['bad', 'good'] });
    for (const model of [trained, await loadModel(saved)]) {
      expect((await compute(folder, { model })).calls).toEqual([[5, 5]]);
      expect(listed(folder).length).toBe(1);
    }
    // A frozen layer that did change has features of its own.
    const bias = { 'encoder.layer.0.output.dense.bias': new Float32Array(32).fill(0.5) };
    expect((await compute(folder, { model: replaceParameters(trained, bias) })).numbers).not.toEqual(first.numbers);
    expect(listed(folder).length).toBe(2);
  });

  it('are computed again if the file is damaged', async () => {
    const folder = fresh();
    const first = await compute(folder);
    const path = join(folder, listed(folder)[0] as string);
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 30] = (flipped[whole.length - 30] as number) ^ 1;
    for (const damage of [
      () => truncateSync(path, whole.length - 1),
      () => truncateSync(path, 0),
      () => writeFileSync(path, flipped),
      () => writeFileSync(path, 'not features'),
    ]) {
      damage();
      expect((await compute(folder)).numbers).toEqual(first.numbers);
      expect(readFileSync(path).equals(whole)).toBe(true);
    }
    expect(listed(folder).length).toBe(1);
  });

  it('that look intact but hold other numbers are refused', async () => {
    const folder = fresh();
    await compute(folder);
    const path = join(folder, listed(folder)[0] as string);
    const file = await openSafetensors(path);
    const data = await readTensor(file, '0');
    data[40] = (data[40] as number) + 0.25;
    const digest = createHash('sha256').update(new Uint8Array(data.buffer)).digest('hex');
    await writeSafetensors(path, { 0: { shape: [data.length], data } }, { key: file.metadata.key as string, digest });
    const computing = compute(folder);
    await expect(computing).rejects.toThrow(/cached features differ from computed ones .*: delete the file/);
    await expect(computing).rejects.toThrow(path);
    await expect(computing).rejects.toBeInstanceOf(FileError);
  });

  it('report progress to the end', async () => {
    const { calls } = await compute(fresh());
    expect(calls.every(([done, all], i) => all === 5 && done >= (calls[i - 1]?.[0] ?? 1))).toBe(true);
    expect(calls.at(-1)).toEqual([5, 5]);
    expect(calls[0]?.[0]).toBeLessThan(5);
  });

  it('stop on a signal, before the next batch, and leave no partial file', async () => {
    const folder = fresh();
    const before = new AbortController();
    before.abort();
    await expect(compute(folder, { signal: before.signal })).rejects.toThrow(
      'stopped before all features were computed',
    );
    const during = new AbortController();
    const seen: number[] = [];
    const stopped = compute(folder, {
      signal: during.signal,
      onProgress: (done) => {
        seen.push(done);
        during.abort();
      },
    });
    await expect(stopped).rejects.toThrow('stopped before all features were computed');
    expect(seen.length).toBe(1);
    expect(listed(folder)).toEqual([]);
  });

  it('in several files resume where they were stopped', async () => {
    const folder = fresh();
    const many = Array.from({ length: 4100 }, (_, i) => [2, i % 57]);
    const stop = new AbortController();
    const onProgress = (done: number) => {
      if (done >= 4096) stop.abort();
    };
    const settings = { inputIds: many, batch: 1024 };
    await expect(compute(folder, { ...settings, signal: stop.signal, onProgress })).rejects.toThrow('stopped');
    const [file] = listed(folder);
    const { ino } = statSync(join(folder, file as string));
    const { numbers, calls } = await compute(folder, settings);
    expect(statSync(join(folder, file as string)).ino).toBe(ino);
    expect(listed(folder).length).toBe(2);
    expect(calls[0]).toEqual([4096, 4100]);
    expect(calls.at(-1)).toEqual([4100, 4100]);
    const few = await compute(fresh(), { inputIds: many.slice(4090) });
    expectNear(Float32Array.from(numbers[0]?.slice(-10 * 32) ?? []), few.numbers[0] ?? [], 1e-5);
  });

  it('are not computed for examples that are empty or too long', async () => {
    const folder = fresh();
    const failing = (bad: readonly (readonly number[])[]) => expect(compute(folder, { inputIds: bad })).rejects;
    await failing([[1, 2], []]).toThrow('example 1: expected at least one token, got none');
    await failing([...Array.from({ length: 4098 }, () => [3]), []]).toThrow('example 4098');
    await failing([Array(41).fill(1)]).toThrow("expected at most the model's 40 positions, got 41");
    expect(listed(folder)).toEqual([]);
    expect((await compute(folder, { inputIds: [] })).numbers).toEqual([[]]);
  });

  it('may cover very many examples', async () => {
    const stop = new AbortController();
    stop.abort();
    const many = Array.from({ length: 300_000 }, () => [3]);
    const options = { inputIds: many, trainable: ['classifier.bias'], signal: stop.signal };
    await expect(compute(fresh(), options)).rejects.toThrow('stopped before');
  });
});

it('reads tokens in the trainable part if the frozen part has no features', () => {
  const part = buildTrainablePart(models.bert, selectParameters(models.bert, 'all'), 2, 3);
  const kinds = Object.values(part.features).map(({ dtype, shape }) => `${dtype} ${sizeOf(shape)}`);
  expect(kinds).toContain('i64 6');
});

it('features depend on the seed of a newly initialized head only if it is frozen', async () => {
  const source = await writeTiny(fresh(), 'bert', { without: /^(pooler|classifier)/ });
  const folder = fresh();
  const count = async (seed: number, trained: string) => {
    const model = await loadModel(source, { numLabels: 2, seed });
    await computeFeatures({ model, trainable: selectParameters(model, trained), inputIds: rows, folder });
    return readdirSync(folder).length;
  };
  expect([await count(1, 'pooler+classifier'), await count(2, 'pooler+classifier')]).toEqual([1, 1]);
  // The pooler is newly initialized and frozen here.
  expect([await count(1, 'head'), await count(2, 'head')]).toEqual([2, 3]);
});
