// The client: gradients of its own sentences, summed, protected and shared as a view without truth.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, openClient, sharedCosine } from '../../src/attacks/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const none = { mechanism: 'none' } as const;
const random = () => seededSource('client');
const shared = ['encoder.layer.0.attention.self.query.weight', 'classifier.bias'];
let [model, client, rows]: [Model, Client, number[][]] = [undefined as never, undefined as never, []];
beforeAll(async () => {
  model = await loadModel(await writeTiny(join(root, 'bert'), 'bert'), { numLabels: 2, newHead: true });
  rows = ['a b c', 'the cat', 'z y x w v'].map((text) => model.tokenizer.encode(text));
  client = await openClient({ model, data: { inputIds: rows, labels: [0, 1, 1] }, shared });
  return () => client.close();
});

/** Rounded to float32 after every term. */
const sum = (parts: readonly Float32Array[]) =>
  parts.reduce((total, part) => total.map((x, i) => x + (part[i] as number)));
/** Distance over length. */
function apart(a: Float32Array, b: Float32Array): number {
  return Math.hypot(...a.map((x, i) => x - (b[i] as number))) / Math.hypot(...a);
}

describe('a client', () => {
  it('shares the sum of the gradients of its sentences, exactly where nothing protects them', async () => {
    const one: Arrays[] = [];
    for (const index of rows.keys()) one.push((await client.share([index], none, random())).view.gradients);
    const { view, cosine } = await client.share([0, 1, 2], none, random());
    for (const name of shared)
      expect(view.gradients[name]).toEqual(sum(one.map((gradients) => gradients[name] as Float32Array)));
    expect(cosine.all).toBeCloseTo(1, 6);
    expect(view.noise).toEqual(Object.fromEntries(shared.map((name) => [name, 0])));
  });

  it('shares the slope of the loss: by the bias of the classifier, probability − [label]', async () => {
    // Over both classes that is 0, and each is within (−1, 1).
    const { view } = await client.share([1], none, random());
    const [first, second] = view.gradients['classifier.bias'] as Float32Array as unknown as [number, number];
    expect(first + second).toBeCloseTo(0, 6);
    expect(first).toBeGreaterThan(0); // label 1: the probability of class 0
    expect(first).toBeLessThan(1);
  });

  it('gives a view without ground truth, and without lengths if they are secret', async () => {
    const { view } = await client.share([2, 0], none, random());
    const keys = ['model', 'parameters', 'gradients', 'noise', 'laws', 'batchSize'];
    expect(Object.keys(view).sort()).toEqual([...keys, 'lengths'].sort());
    expect([view.batchSize, view.lengths]).toEqual([2, [7, 5]]);
    expect(Object.keys(view.gradients)).toEqual(shared);
    expect(view.parameters).toEqual({});
    const hidden = await client.share([2, 0], none, random(), { hideLengths: true });
    expect(Object.keys(hidden.view).sort()).toEqual([...keys].sort());
  });

  it('protects what it shares, and states the size of the noise', async () => {
    const noisy = { mechanism: 'gaussian', scope: 'joint', clipping: 'clip', clipNorm: 1, noiseMultiplier: 2 } as const;
    const [first, again] = [await client.share([0], noisy, random()), await client.share([0], noisy, random())];
    expect(first.view.gradients).toEqual(again.view.gradients);
    const clean = await client.share([0], none, random());
    const [name = ''] = shared;
    expect(
      apart(clean.view.gradients[name] as Float32Array, first.view.gradients[name] as Float32Array),
    ).toBeGreaterThan(1);
    expect(first.view.noise[name]).toBeCloseTo(2, 6);
    expect(Math.abs(first.cosine.all)).toBeLessThan(0.5);
  });

  it('uses the parameters that a server sent, if any', async () => {
    const data = { inputIds: rows, labels: [0, 1, 1] };
    const own = Object.fromEntries(
      await Promise.all([...model.parameters].map(async ([name, parameter]) => [name, await parameter.read()])),
    ) as Arrays;
    const open = (parameters: Arrays) => openClient({ model, data, shared, parameters });
    const gradient = async (parameters: Arrays) => {
      const { view } = await (await open(parameters)).share([0], none, random());
      expect(view.parameters).toBe(parameters);
      return view.gradients[shared[0] as string] as Float32Array;
    };
    const plain = (await client.share([0], none, random())).view.gradients[shared[0] as string] as Float32Array;
    // The model's own parameters sent back to it change nothing but rounding; a classifier twice as large does.
    expect(apart(plain, await gradient(own))).toBeLessThan(1e-4);
    const doubled = (own['classifier.weight'] as Float32Array).map((x) => 2 * x);
    expect(apart(plain, await gradient({ 'classifier.weight': doubled }))).toBeGreaterThan(0.1);
  });

  it('keeps overlapping calls apart', async () => {
    const alone: Arrays[] = [];
    for (const index of rows.keys()) alone.push((await client.share([index], none, random())).view.gradients);
    const together = await Promise.all([...rows.keys()].map((index) => client.share([index], none, random())));
    expect(together.map(({ view }) => view.gradients)).toEqual(alone);
  });

  it('keeps true gradients while there is room, and shares the same with and without', async () => {
    const data = { inputIds: rows, labels: [0, 1, 1] };
    const asked: number[] = [];
    let room = 0;
    const keep = (bytes: number) => {
      asked.push(bytes);
      room -= bytes;
      return room >= 0;
    };
    const numbers = shared.reduce(
      (sum, name) => sum + (model.parameters.get(name)?.shape.reduce((a, b) => a * b, 1) ?? 0),
      0,
    );
    for (const parameters of [undefined, {}]) {
      const noisy = { mechanism: 'directional', scope: 'joint', concentration: 100 } as const;
      const without = await openClient({ model, data, shared, ...(parameters && { parameters }) });
      const keeping = await openClient({ model, data, shared, keep, ...(parameters && { parameters }) });
      asked.length = 0;
      room = 2 * 4 * numbers;
      for (const indices of [[0, 2], [1, 0], [2, 2, 1], [1]]) {
        const [expected, found] = [
          await without.share(indices, noisy, random()),
          await keeping.share(indices, noisy, random()),
        ];
        expect(found.view.gradients).toEqual(expected.view.gradients);
        expect(found.cosine).toEqual(expected.cosine);
      }
      // There is room for the first two sentences; only the third is computed again.
      expect(asked).toEqual(Array(5).fill(4 * numbers));
      await without.close();
      await keeping.close();
    }
  });

  it('refuses to share nothing', async () => {
    await expect(client.share([], none, random())).rejects.toThrow('expected at least one sentence to share, got none');
  });
});

describe('the cosine of what was shared', () => {
  const draw = (name: string, size: number) => fillNormal(seededSource('cosine').stream(name), new Float32Array(size));
  const examples: Arrays[] = [0, 1, 2].map((i) => ({ a: draw(`a${i}`, 40), b: draw(`b${i}`, 7) }));
  const released = { a: draw('released a', 40), b: draw('released b', 7) };
  const naive = (names: readonly ('a' | 'b')[]) => {
    const truth = names.flatMap((name) => [...sum(examples.map((one) => one[name] as Float32Array))]);
    const seen = names.flatMap((name) => [...released[name]]);
    const along = truth.reduce((total, x, i) => total + x * (seen[i] as number), 0);
    return along / (Math.hypot(...truth) * Math.hypot(...seen));
  };

  it('is that of the tensors laid end to end, all of them or those that are read', () => {
    expect(sharedCosine(examples, released, ['b']).all).toBeCloseTo(naive(['a', 'b']), 6);
    expect(sharedCosine(examples, released, ['b']).read).toBeCloseTo(naive(['b']), 6);
    const { all, read } = sharedCosine(examples, released);
    expect(read).toBe(all);
  });

  it('is 1, −1 and 0 for the truth, its opposite and nothing', () => {
    const truth = { a: sum(examples.map(({ a }) => a as Float32Array)) };
    expect(sharedCosine(examples, truth).all).toBeCloseTo(1, 6);
    expect(sharedCosine(examples, { a: truth.a.map((x) => -3 * x) }).all).toBeCloseTo(-1, 6);
    expect(sharedCosine(examples, { a: new Float32Array(40) })).toEqual({ all: 0, read: 0 });
  });
});
