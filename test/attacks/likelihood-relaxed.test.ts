// Sentences whose tokens are not decided: the same likelihood where they are, slopes against differences, and the search along them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientLoss } from '../../src/attacks/client-loss.js';
import { sentenceGradients } from '../../src/attacks/decepticons/client.js';
import { type Flips, openFlips } from '../../src/attacks/likelihood/flips.js';
import { compileRelaxed, relaxedFeeds } from '../../src/attacks/likelihood/relaxed.js';
import type { KnownLoss } from '../../src/attacks/likelihood/sentence-products.js';
import { openSoftSearch, type SoftSearch, type SoftStart } from '../../src/attacks/likelihood/soft-search.js';
import { openWhole } from '../../src/attacks/likelihood/whole.js';
import type { GradientView } from '../../src/attacks/view.js';
import type { Program } from '../../src/engine/index.js';
import type { Model } from '../../src/models/index.js';
import { integerBelow, seededSource, uniform } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { openTiny, randomTensors, settings } from './likelihood-models.js';

const root = makeRoot();
/** One of each model. */
const both = settings.filter((_, k) => k === 0 || k === 3);
const [rows, length, tokens] = [2, 8, 6];
const labels = [1, 2];
const sentences = [
  [2, 10, 20, 30, 40, 3],
  [2, 31, 12, 43, 14, 3],
];
const repeated = [
  [2, 10, 10, 30, 10, 3],
  [2, 31, 31, 31, 31, 31],
];

/** The view of a client with the first sentence, under noise of this deviation on every number. */
async function viewOf(
  model: Model,
  shared: readonly string[],
  loss: KnownLoss,
  deviation: number,
): Promise<GradientView> {
  const asked: ClientLoss = loss === 'class' ? { loss, labels: [1] } : { loss };
  const inputIds = [sentences[0] as number[]];
  const [truth] = (await sentenceGradients(model, {}, { inputIds, shared, ...asked })) as [Arrays];
  const noise = randomTensors(model, shared, 'noise', deviation);
  const gradients = Object.fromEntries(
    shared.map((name) => [name, (truth[name] as Float32Array).map((x, i) => x + (noise[name]?.[i] as number))]),
  );
  return {
    model,
    parameters: {},
    gradients,
    noise: Object.fromEntries(shared.map((name) => [name, deviation])),
    batchSize: 1,
  };
}

describe.each(settings)('the relaxed likelihood: %s, loss %s', (name, loss) => {
  let [model, shared, view] = [] as unknown as [Model, string[], GradientView];
  const programs = new Map<string, Program<'nats' | 'slopes'>>();
  beforeAll(async () => {
    ({ model, shared } = await openTiny(root, name, loss));
    // Vectors are left out of the relaxed likelihood.
    shared = shared.filter((one) => (model.parameters.get(one)?.shape.length ?? 0) > 1);
    view = await viewOf(model, shared, loss, 0.05);
  });
  afterAll(async () => {
    for (const program of programs.values()) await program.close();
  });

  async function relaxed(names: readonly string[]) {
    const program = programs.get(names.join()) ?? (await compileRelaxed(model, names, loss, rows, length));
    programs.set(names.join(), program);
    const feeds = relaxedFeeds(model, names, view, { rows, length, tokens, labels });
    return async (shares: Float32Array) => {
      const { nats, slopes } = await program.run(feeds.with(program, { shares }));
      return { nats: nats as Float32Array, slopes: slopes as Float32Array };
    };
  }
  const oneHot = (some: readonly (readonly number[])[]) => {
    const { vocabulary } = model.config;
    const shares = new Float32Array(rows * length * vocabulary);
    for (let row = 0; row < rows; row++)
      for (let place = 0; place < length; place++)
        shares[(row * length + place) * vocabulary + (some[row]?.[place] ?? 0)] = 1;
    return shares;
  };
  /** The nats of a gradient of unknown length, which is what is relaxed. */
  async function profiled(names: readonly string[], some: readonly (readonly number[])[]) {
    const whole = openWhole(model, names, loss);
    const found = await Promise.all(some.map((one, k) => whole.judge(view, [one], labels[k] as number)));
    await whole.close();
    return found.map(([judged]) => judged?.nats as number);
  }

  it('is that of whole sentences where every token is decided', async () => {
    const words = model.layout.embeddings.words.weight;
    const others = shared.filter((one) => one !== words);
    const cases: [readonly string[], readonly (readonly number[])[]][] = [
      [others, sentences],
      [others, repeated],
    ];
    // The word table leaves out what repeated tokens, or the head that is tied to it, have in common.
    if (loss === 'class') cases.push([shared, sentences]);
    for (const [names, some] of cases) {
      const { nats } = await (await relaxed(names))(oneHot(some));
      const expected = await profiled(names, some);
      for (const [row, one] of expected.entries()) {
        if (row === 0) expect(one).toBeGreaterThan(1);
        // One that points the other way is worth nothing; relaxed, it is below 0.
        if (one > 0) expect(Math.abs((nats[row] as number) / one - 1)).toBeLessThan(1e-4);
        else expect(nats[row]).toBeLessThan(0);
      }
    }
  });

  it('has the slopes of its differences, at decided sentences and between them', async () => {
    const { vocabulary } = model.config;
    const run = await relaxed(shared);
    const random = seededSource('shares');
    const mixed = Float32Array.from({ length: rows * length * vocabulary }, () => uniform(random) ** 8);
    for (let start = 0; start < mixed.length; start += vocabulary) {
      const sum = mixed.subarray(start, start + vocabulary).reduce((all, one) => all + one, 0);
      for (let v = start; v < start + vocabulary; v++) mixed[v] = (mixed[v] as number) / sum;
    }
    for (const shares of [oneHot(sentences), mixed]) {
      const { nats, slopes } = await run(shares);
      // Float32 gives nats to about 1e-6 of their size, so that differences over ±0.005 are good to 2e-4 of it, and curvature adds its share.
      const step = 0.005;
      const size = Math.max(...slopes.map(Math.abs));
      for (let k = 0; k < 16; k++) {
        const [row, place] = [k % rows, integerBelow(random, tokens)];
        const at = (row * length + place) * vocabulary + integerBelow(random, vocabulary);
        const nearby = async (by: number) =>
          (await run(shares.with(at, (shares[at] as number) + by))).nats[row] as number;
        const expected = ((await nearby(step)) - (await nearby(-step))) / (2 * step);
        const tolerance = 0.01 * Math.abs(expected) + 1e-3 * size + 2e-4 * (nats[row] as number);
        expect(Math.abs((slopes[at] as number) - expected)).toBeLessThan(tolerance);
      }
      // Padding has none.
      const after = slopes.subarray(tokens * vocabulary, length * vocabulary);
      expect(Math.max(...after.map(Math.abs))).toBeLessThan(1e-5 * size);
    }
  });
});

describe.each(both)('flips: %s, loss %s', (name, loss) => {
  let [model, shared, view, flips] = [] as unknown as [Model, string[], GradientView, Flips];
  beforeAll(async () => {
    ({ model, shared } = await openTiny(root, name, loss));
    view = await viewOf(model, shared, loss, 0.05);
    flips = openFlips(model, shared, loss);
    return () => flips.close();
  });

  it('promise the difference of slopes, and nothing for the token that is there', async () => {
    const sentence = sentences[1] as number[];
    const { vocabulary } = model.config;
    const program = await compileRelaxed(model, shared, loss, 1, length);
    const shares = new Float32Array(length * vocabulary);
    for (let place = 0; place < length; place++) shares[place * vocabulary + (sentence[place] ?? 0)] = 1;
    const feeds = relaxedFeeds(model, shared, view, { rows: 1, length, tokens, labels: [2] });
    const { slopes } = await program.run(feeds.with(program, { shares }));
    const found = await flips.of(view, sentence, 2);
    expect(found).toHaveLength(tokens);
    for (const [place, row] of found.entries()) {
      expect(row).toHaveLength(vocabulary);
      expect(row[sentence[place] as number]).toBe(0);
      const own = (slopes as Float32Array)[place * vocabulary + (sentence[place] as number)] as number;
      for (let v = 0; v < vocabulary; v += 7)
        expect(row[v]).toBeCloseTo(((slopes as Float32Array)[place * vocabulary + v] as number) - own, 3);
    }
    await program.close();
  });

  it('promise much for the right token, where one is wrong', async () => {
    const truth = sentences[0] as number[];
    let rank = 0;
    for (const place of [1, 2, 3, 4]) {
      const promised = (await flips.of(view, truth.with(place, 50), 1))[place] as Float32Array;
      rank += promised.filter((one) => one > (promised[truth[place] as number] as number)).length / 4;
    }
    // First order only: on average the right token is among the first fifth, not the first.
    expect(rank).toBeLessThan(model.config.vocabulary / 5);
  });
});

describe.each(both)('undecided sentences: %s, loss %s', (name, loss) => {
  let [model, shared, view, soft] = [] as unknown as [Model, string[], GradientView, SoftSearch];
  const truth = sentences[0] as number[];
  const known = new Map([
    [0, 2],
    [5, 3],
  ]);
  beforeAll(async () => {
    ({ model, shared } = await openTiny(root, name, loss));
    view = await viewOf(model, shared, loss, 0);
    soft = openSoftSearch(model, shared, loss, { rows: 2, steps: 40 });
    return () => soft.close();
  });
  /** Tokens below 5 cannot occur in a text. */
  const prior = () => Float64Array.from({ length: 57 }, (_, v) => (v < 5 ? Number.NEGATIVE_INFINITY : -Math.log(52)));
  const start = (changes: Partial<SoftStart> = {}): SoftStart => ({
    logs: truth.map(prior),
    known,
    prior: prior(),
    labels: [1],
    ...changes,
  });
  const run = (changes: Partial<SoftStart> = {}, seed = 'soft') => soft.run(view, start(changes), seededSource(seed));

  it('climb without noise: what they decide on explains far more than where they start', async () => {
    const whole = openWhole(model, shared, loss);
    const { laws: _, ...unsaid } = view;
    const judge = async (some: readonly (readonly number[])[]) =>
      Math.max(...(await whole.judge(unsaid, some, 1)).map(({ nats }) => nats));
    const most = await judge([truth]);
    const [before, after] = [(await run({ steps: 0 })).sentences, (await run()).sentences];
    expect(after).toHaveLength(soft.rows);
    expect(await judge(after)).toBeGreaterThan(await judge(before));
    expect((await judge(after)) / most).toBeGreaterThan(0.6);
    await whole.close();
  });

  it('keep known tokens, and never choose impossible ones', async () => {
    const lying = prior();
    lying[3] = 0;
    // Whatever the start prefers, a token without a prior stays impossible.
    const { sentences: found, logs } = await run({ logs: truth.map(() => lying) });
    for (const one of found) {
      expect([one[0], one[5]]).toEqual([2, 3]);
      for (const token of one.slice(1, -1)) expect(token).toBeGreaterThanOrEqual(5);
    }
    for (const row of [0, 1]) {
      expect(logs(row, 2)).toHaveLength(57);
      expect(Math.max(...logs(row, 2).subarray(0, 5))).toBeLessThan(-1e6);
    }
  });

  it('are the same for equal seeds, and begin differently in further rows', async () => {
    const [first, again, other] = [await run({ steps: 3 }), await run({ steps: 3 }), await run({ steps: 3 }, 'other')];
    expect(again.sentences).toEqual(first.sentences);
    expect(again.logs(1, 2)).toEqual(first.logs(1, 2));
    expect(other.logs(0, 2)).toEqual(first.logs(0, 2));
    expect(other.logs(1, 2)).not.toEqual(first.logs(1, 2));
    expect(first.logs(1, 2)).not.toEqual(first.logs(0, 2));
  });
});
