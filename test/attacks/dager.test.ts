// DAGER: planted spans and sentences, exact recovery on the bundled models without noise, and what it refuses.

import { beforeAll, describe, expect, it } from 'vitest';
import { openClient } from '../../src/attacks/client.js';
import { dager } from '../../src/attacks/dager/attack.js';
import { findCandidates } from '../../src/attacks/dager/candidates.js';
import { findQuerySpans, queryMaps } from '../../src/attacks/dager/query-spans.js';
import { type SentenceSearch, searchFromLeft, searchWhole } from '../../src/attacks/dager/sentences.js';
import { type AttackedModel, type GradientView, openAttackedModel, openFirstInputs } from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';
import { seededSource } from '../../src/random/index.js';

const texts = ['The letter that Ann wrote was lost.', 'Nobody had seen the old dog before Sunday.', 'Go home now.'];
const options = (given: Record<string, unknown> = {}) => readOptions(dager.options, given);

describe.each(['bert-mini', 'gpt2-mini'])('DAGER on %s', (name) => {
  let [model, inputIds]: [AttackedModel, (readonly number[])[]] = [undefined as never, []];
  beforeAll(async () => {
    model = await openAttackedModel(`bundled:${name}`, { numLabels: 2, seed: 1 });
    inputIds = texts.map((text) => model.tokenizer.encode(text));
  });
  const views = async (noiseMultiplier = 0): Promise<GradientView[]> => {
    const shared = queryMaps(model).map(({ weight }) => weight);
    const client = await openClient({ model, data: { inputIds, labels: [0, 1, 0] }, shared });
    const protection =
      noiseMultiplier === 0
        ? ({ mechanism: 'none' } as const)
        : ({ mechanism: 'gaussian', scope: 'joint', clipping: 'clip', clipNorm: 1, noiseMultiplier } as const);
    try {
      const all: GradientView[] = [];
      for (const i of inputIds.keys()) all.push((await client.share([i], protection, seededSource(i))).view);
      return all;
    } finally {
      await client.close();
    }
  };
  const open = (given: Record<string, unknown> = {}) =>
    dager.open({
      model,
      options: options(given),
      batchSize: 1,
      longest: 16,
      loss: 'class',
      random: seededSource('server'),
    });

  it('recovers sentences exactly without noise, of known and unknown lengths', async () => {
    for (const unknownLengths of [false, true]) {
      const attack = await open({ unknownLengths });
      for (const [i, { lengths, ...view }] of (await views()).entries()) {
        const { sentences, confidence, figures } = await attack.run(
          unknownLengths ? view : { ...view, lengths: lengths as number[] },
        );
        expect(sentences).toEqual([inputIds[i]]);
        expect(figures).toMatchObject({ rank: inputIds[i]?.length, passed: 1 });
        expect(figures?.secondDistance).toBeLessThan(1e-4);
        expect(Math.min(...(confidence[0] as number[]))).toBeGreaterThan(1 - 1e-5);
      }
      await attack.close();
    }
  });

  it('finds a full rank and no token in the span under little noise', async () => {
    const attack = await open();
    const [view] = (await views(1e-4)) as [GradientView];
    expect((await attack.run(view)).figures).toMatchObject({ rank: model.config.hidden - 20, passed: 0 });
    await attack.close();
  });

  it('finds tokens at their positions in a planted span, and nothing elsewhere', async () => {
    const inputs = await openFirstInputs({ model, parameters: {} }, 4);
    const planted = [100, 2000, 300, 100];
    const basis = orthonormal(planted.map((token, position) => unitOf(inputs, token, position)));
    const found = await findCandidates(inputs, basis, 4, 1e-5);
    expect(found.map(({ passing }) => passing.map(({ token }) => token))).toEqual(planted.map((token) => [token]));
    const fewer = await findCandidates(inputs, basis.subarray(0, 2 * inputs.hidden), 4, 1e-5);
    expect(fewer.map(({ passing }) => passing.length)).toEqual([1, 1, 0, 0]);
    expect(fewer.map(({ tokens }) => tokens.length)).toEqual([1, 1, 1, 1]);
    // With a wide threshold, every token passes.
    const [all] = await findCandidates(inputs, basis, 1, 2);
    expect(all?.passing).toHaveLength(inputs.vocabulary);
    await inputs.close();
  });

  it('takes the rank from the block where it is largest, up to the cutoff and by the tolerance', async () => {
    const [view] = (await views()) as [GradientView];
    const [tokens, { hidden }] = [inputIds[0]?.length as number, model.config];
    const second = queryMaps(model)[1]?.weight as string;
    const flat = {
      ...view,
      gradients: { ...view.gradients, [second]: rankOne(view.gradients[second] as Float32Array) },
    };
    const spans = await findQuerySpans(flat, { rankCutoff: 20 });
    expect(spans.rank).toBe(tokens);
    expect(spans.bases.map(({ length }) => length)).toEqual([tokens * hidden, tokens * hidden]);
    expect((await findQuerySpans(view, { rankCutoff: hidden - 3 })).rank).toBe(3);
    expect((await findQuerySpans(view, { rankCutoff: 20, rankTolerance: 0.99 })).rank).toBe(1);
  });

  it('refuses in one sentence what it cannot attack', async () => {
    const [first, second] = queryMaps(model).map(({ weight }) => weight) as [string, string];
    const checked =
      (shared: readonly string[] | undefined, batchSize = 1, one: AttackedModel = model) =>
      () =>
        dager.check({ model: one, options: options(), batchSize }, shared);
    expect(checked(undefined)).not.toThrow();
    expect(checked([first, second])).not.toThrow();
    expect(checked([first])).toThrow(`DAGER reads ${second}, which is not among the shared parameters`);
    expect(checked(undefined, 2)).toThrow('one sentence at a time, got a batch of 2');
    const { layout } = model;
    const single = { ...model, layout: { ...layout, blocks: layout.blocks.slice(0, 1) } };
    expect(checked(undefined, 1, single)).toThrow('by the second block: expected a model with two, got one');
    const attack = await open();
    const [view] = (await views()) as [GradientView];
    await expect(attack.run({ ...view, lengths: [17] })).rejects.toThrow(
      'expected a whole number from 1 to 16, got 17',
    );
    const { [second]: _, ...others } = view.gradients;
    await expect(attack.run({ ...view, gradients: others })).rejects.toThrow(`reads the gradient of ${second}`);
    await attack.close();
  });
});

/** The distance of a token is 0 where it follows the planted one, or stands where the planted sentence has it. */
const planted = [3, 1, 4, 1, 5];
const search = (changes: Partial<SentenceSearch> = {}): SentenceSearch => ({
  candidates: planted.map((token) => [7, token, 8]),
  measure: async (sentences) =>
    sentences.map((one) => Float32Array.from(one, (token, place) => (token === planted[place] ? 0 : 0.5))),
  threshold: 1e-3,
  combinations: 1000,
  random: seededSource('combinations'),
  ...changes,
});

describe.each([
  ['all combinations', searchWhole],
  ['combinations from left to right', searchFromLeft],
])('a search of %s', (_, find) => {
  it('finds the planted sentence', async () => {
    expect(await find(search())).toEqual({ tokens: planted, distance: 0, passes: true });
  });

  it('takes the closest where none passes', async () => {
    const candidates = planted.map((token, place) => (place === 2 ? [7, 8] : [token, 8]));
    const found = await find(search({ candidates }));
    expect(found.tokens).toEqual([3, 1, 7, 1, 5]);
    expect(found).toMatchObject({ passes: false, distance: expect.closeTo(0.1) });
  });
});

it('a search of all combinations draws some of them if they are too many', async () => {
  let count = 0;
  const { measure } = search();
  const counted = search({
    combinations: 40,
    measure: (sentences) => {
      count += sentences.length;
      return measure(sentences);
    },
  });
  expect((await searchWhole(counted)).tokens).toHaveLength(planted.length);
  expect(count).toBe(40);
});

function unitOf(inputs: Awaited<ReturnType<typeof openFirstInputs>>, token: number, position: number): Float64Array {
  const unit = new Float64Array(inputs.hidden);
  inputs.unit(token, position, unit, 0);
  return unit;
}

/** Gram and Schmidt; the vectors one after another. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array {
  const found: Float64Array[] = [];
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
  for (const vector of vectors) {
    let rest = vector;
    for (const other of [...found, ...found]) {
      const along = dot(rest, other);
      rest = rest.map((x, i) => x - along * (other[i] as number));
    }
    const length = Math.sqrt(dot(rest, rest));
    found.push(rest.map((x) => x / length));
  }
  return Float64Array.from(found.flatMap((vector) => [...vector]));
}

/** A matrix of equal numbers, as long as this one. */
const rankOne = (matrix: Float32Array): Float32Array => matrix.map(() => 1);
