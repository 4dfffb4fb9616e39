// Improving sentences by the likelihood of the whole: planted objectives on few tokens, against all sentences there are.

import { describe, expect, it } from 'vitest';
import { type Heights, heightsOf, highest, type Tried } from '../../src/attacks/likelihood/heights.js';
import { isExplained, type RefineOptions, refine } from '../../src/attacks/likelihood/refine.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

type Sentence = readonly number[];
const [vocabulary, places] = [5, 5];
/** The first token is known. */
const free = [1, 2, 3, 4];
const all: Sentence[] = Array.from({ length: vocabulary ** free.length }, (_, code) => [
  2,
  ...free.map((_, k) => Math.floor(code / vocabulary ** k) % vocabulary),
]);

/** Heights of this function, which is nowhere explained unless `misfit` says so; and the sentences that were judged. */
function planted(nats: (tokens: Sentence) => number, budget = 1e6, misfit: (tokens: Sentence) => number = () => 9) {
  const judged: string[] = [];
  const heights = heightsOf(
    async (sentences) =>
      sentences.map((tokens) => {
        judged.push(tokens.join());
        return { nats: nats(tokens), misfit: misfit(tokens), unexplained: 0, resolution: 1e-3 };
      }),
    async (sentences) => sentences.map((tokens) => -tokens.length),
    budget,
  );
  return { heights, judged };
}

const options = (heights: Heights, changes: Partial<RefineOptions> = {}): RefineOptions => ({
  heights,
  free,
  promises: async (tokens) => tokens.map(() => new Float32Array(vocabulary)),
  candidates: () => [0, 1, 2, 3, 4],
  random: seededSource('refine'),
  ...changes,
});

/** Every token has a weight at its place, and so has every pair of neighbours: single changes end on slopes that lead nowhere. */
function rugged(seed: number) {
  const [own, pairs] = ['own', 'pairs'].map((name) =>
    fillNormal(seededSource(`rugged ${seed}`).stream(name), new Float64Array(places * vocabulary ** 2)),
  ) as [Float64Array, Float64Array];
  return (tokens: Sentence) =>
    tokens.reduce((sum, token, place) => {
      const next = tokens[(place + 1) % places] as number;
      return sum + (own[place * vocabulary + token] as number) + 2 * (pairs[(place * 5 + token) * 5 + next] as number);
    }, 0);
}

const truth = [2, 4, 1, 3, 0];
const inPlace = (tokens: Sentence) => 10 * tokens.filter((token, place) => token === truth[place]).length;

describe('heights', () => {
  it('add likelihood and prior, and judge each sentence once', async () => {
    const { heights, judged } = planted(inPlace);
    const first = await heights.of([truth, [2, 0, 0, 0, 0], truth]);
    expect(first.map(({ height }) => height)).toEqual([45, 15, 45]);
    expect(first[0]).toMatchObject({ tokens: truth, nats: 50, misfit: 9, prior: -5, height: 45 });
    const again = await heights.of([[2, 0, 0, 0, 0], [2, 1, 1, 1, 1], truth]);
    expect(again.map(({ nats }) => nats)).toEqual([20, 20, 50]);
    expect(judged).toEqual(['2,4,1,3,0', '2,0,0,0,0', '2,1,1,1,1']);
    expect(heights.has([2, 1, 1, 1, 1])).toBe(true);
    expect(heights.has([2, 1, 1, 1, 2])).toBe(false);
    expect(highest(heights.all()).tokens).toEqual(truth);
  });

  it('leave out what is beyond the budget, and still know what was judged', async () => {
    const { heights, judged } = planted(inPlace, 2);
    expect((await heights.of(all.slice(0, 4))).map(({ tokens }) => tokens)).toEqual(all.slice(0, 2));
    expect(heights.left()).toBe(0);
    expect(await heights.of(all.slice(2, 5))).toEqual([]);
    expect(await heights.of(all.slice(1, 3))).toHaveLength(1);
    expect(judged).toHaveLength(2);
    expect(heights.all()).toHaveLength(2);
  });
});

describe('refining', () => {
  it('finds the best of all sentences, and keeps known tokens', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const nats = rugged(seed);
      const { heights, judged } = planted(nats);
      const found = await refine([[2, 0, 0, 0, 0]], options(heights, { random: seededSource(seed) }));
      const best = all.reduce((a, b) => (nats(b) > nats(a) ? b : a));
      expect(found.tokens, `seed ${seed}`).toEqual(best);
      expect(judged.every((sentence) => sentence.startsWith('2,'))).toBe(true);
    }
  });

  it('never ends below the best start, whatever the budget', async () => {
    for (let seed = 0; seed < 10; seed++) {
      for (const budget of [3, 4, 20, 100]) {
        const nats = rugged(seed);
        const { heights, judged } = planted(nats, budget);
        const starts = [17, 400, 555].map((code) => all[code] as Sentence);
        const found = await refine(starts, options(heights));
        expect(found.nats).toBeGreaterThanOrEqual(Math.max(...starts.map(nats)));
        expect(judged.length).toBeLessThanOrEqual(budget);
        expect(found.nats).toBe(highest(heights.all()).nats);
      }
    }
  });

  it('reaches an exchange, and a token that moves, where no single token helps', async () => {
    for (const start of [
      [2, 4, 3, 1, 0],
      [2, 0, 4, 1, 3],
      [2, 1, 3, 0, 4],
    ]) {
      const { heights } = planted((tokens) => (tokens.join() === truth.join() ? 100 : 0), 170);
      expect((await refine([start], options(heights))).tokens).toEqual(truth);
    }
  });

  it('looks first where the promises point', async () => {
    const promises: RefineOptions['promises'] = async (tokens) =>
      tokens.map((_, place) => Float32Array.from({ length: vocabulary }, (_, token) => Number(token === truth[place])));
    const { heights, judged } = planted(inPlace, 40);
    const found = await refine([[2, 0, 0, 0, 0]], options(heights, { promises, candidates: () => [] }));
    expect(found.tokens).toEqual(truth);
    // The changes that were promised come first, and are then made together.
    expect(new Set(judged.slice(1, 4))).toEqual(new Set(['2,4,0,0,0', '2,0,1,0,0', '2,0,0,3,0']));
  });

  it('stops once the gradient is explained, and not before', async () => {
    const near = (tokens: Sentence) => (tokens.join() === truth.join() ? 1 : 30);
    const explained = planted(inPlace, 1e6, near);
    const found = await refine([[2, 0, 0, 0, 0]], options(explained.heights));
    expect(found.tokens).toEqual(truth);
    expect(explained.judged.length).toBeLessThan(all.length / 2);
    // From the truth, one batch of changes is judged to be safe, and further starts are not tried.
    const atOnce = planted(inPlace, 1e6, near);
    await refine([truth, [2, 0, 0, 0, 0]], options(atOnce.heights));
    expect(atOnce.judged.length).toBeLessThanOrEqual(2 + 32);
    const never = planted(inPlace, 500);
    await refine([[2, 0, 0, 0, 0]], options(never.heights));
    expect(never.judged.length).toBeGreaterThan(explained.judged.length);
  });

  it('does not take a gradient that is far too short for an explanation, nor one of unknown length', () => {
    const explained = (misfit: number, resolution = 1e-3) => isExplained({ misfit, resolution });
    for (const misfit of [-1.9, 0, 1.9]) expect(explained(misfit)).toBe(true);
    for (const misfit of [-1e4, -2.1, 2.1, Number.NaN]) expect(explained(misfit)).toBe(false);
    // Where noise could hide a token, nothing is explained.
    expect(explained(0, 0.01)).toBe(false);
  });

  it('ends on sentences of one free place, and of none', async () => {
    const one = planted((tokens) => tokens[1] as number);
    const found: Tried = await refine([[2, 0, 3]], options(one.heights, { free: [1] }));
    expect(found.tokens).toEqual([2, 4, 3]);
    expect(one.judged).toHaveLength(vocabulary);
    const none = planted(() => 0);
    expect((await refine([[2, 3]], options(none.heights, { free: [] }))).tokens).toEqual([2, 3]);
    expect(none.judged).toEqual(['2,3']);
  });

  it('gives the same again for equal seeds', async () => {
    const run = async () => {
      const { heights, judged } = planted(rugged(3), 300);
      await refine([[2, 0, 0, 0, 0]], options(heights));
      return judged;
    };
    expect(await run()).toEqual(await run());
  });
});
