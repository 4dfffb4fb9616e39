// The genie: always right where the likelihood knows the truth, at chance where the gradient is pure noise.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Judge } from '../../src/attacks/attack.js';
import {
  drawGames,
  expectGenie,
  type GenieTally,
  genieResult,
  othersIn,
  tallyGames,
} from '../../src/attacks/evaluation/genie.js';
import { judgeFor } from '../../src/attacks/evaluation/limit.js';
import { findAttack, type GradientAttack, openAttackedModel } from '../../src/attacks/index.js';
import { likelihood } from '../../src/attacks/likelihood/attack.js';
import { readOptions } from '../../src/checks/index.js';
import { clopperPearson } from '../../src/math/index.js';
import { selectParameters } from '../../src/models/index.js';
import { fillNormal, integerBelow, normal, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const around = { before: [2], after: [3] };
const words = 100;
const uniformLogs = new Float64Array(words).fill(-Math.log(words));
const truth = [2, 10, 20, 30, 40, 50, 3];
const gamesFor = (places: number, seed: number | string = 1, unigram = uniformLogs) =>
  drawGames(unigram, truth, around, places, seededSource(seed));

describe('games', () => {
  it('are at different places inside the text, with 15 different tokens other than the true one', () => {
    const games = gamesFor(4);
    expect(new Set(games.map(({ place }) => place)).size).toBe(4);
    for (const { place, others } of games) {
      expect(place).toBeGreaterThan(0);
      expect(place).toBeLessThan(6);
      expect(new Set(others).size).toBe(15);
      expect(others).not.toContain(truth[place]);
    }
    expect(gamesFor(4)).toEqual(games);
    expect(gamesFor(4, 2)).not.toEqual(games);
    expect(gamesFor(99)).toHaveLength(5);
    expect(gamesFor(0)).toEqual([]);
  });

  it('take tokens by how common they are, and none that no text contains', () => {
    const logs = new Float64Array(words).fill(Number.NEGATIVE_INFINITY);
    for (let token = 60; token < 90; token++) logs[token] = Math.log(token === 60 ? 0.71 : 0.01);
    const drawn = Array.from({ length: 40 }, (_, seed) => gamesFor(1, seed, logs)[0]?.others ?? []);
    expect(drawn.flat().every((token) => token >= 60 && token < 90)).toBe(true);
    // The common token is missing from 15 draws without replacement with a probability below 1e-7.
    for (const others of drawn) expect(others).toContain(60);
    // Fewer possible tokens leave fewer to choose from.
    expect(
      gamesFor(
        1,
        1,
        logs.map((log, token) => (token < 63 ? log : Number.NEGATIVE_INFINITY)),
      )[0]?.others.toSorted(),
    ).toEqual([60, 61, 62]);
  });

  it('change one token of the truth each', () => {
    const games = [
      { place: 1, others: [7, 8] },
      { place: 3, others: [9] },
    ];
    expect(othersIn([2, 10, 20, 30, 3], games)).toEqual([
      [2, 7, 20, 30, 3],
      [2, 8, 20, 30, 3],
      [2, 10, 20, 9, 3],
    ]);
  });

  it('are won by the highest likelihood, and ties count as fractions', () => {
    const game = { place: 1, others: [7, 8, 9] };
    const right = (...likelihoods: number[]) => tallyGames(5, [game], likelihoods).right;
    expect([right(1, 2, 3), right(1, 2, 6), right(5, 2, 1), right(5, 5, 5)]).toEqual([1, 0, 1 / 2, 1 / 4]);
    const two = tallyGames(5, [game, { place: 2, others: [1] }], [1, 1, 1, 9]);
    expect(two).toEqual({ places: 2, right: 1, byChance: 1 / 4 + 1 / 2 });
  });
});

describe('all texts together', () => {
  const tally = (right: number, places = 4): GenieTally => ({ places, right, byChance: places / 16 });

  it('have an accuracy over places, with chance beside it', () => {
    const found = genieResult(seededSource(1), [tally(4), tally(2), tally(0, 1)]);
    expect(found).toMatchObject({ right: 6, of: 9, accuracy: 6 / 9, chance: 1 / 16, texts: 3 });
    expect(genieResult(seededSource(1), [])).toBeUndefined();
    expect(genieResult(seededSource(1), [tally(0, 0)])).toBeUndefined();
  });

  it('have an interval that is never narrower than that of independent places', () => {
    // No text differs from another, so a bootstrap alone would be sure.
    const none = genieResult(
      seededSource(1),
      Array.from({ length: 12 }, () => tally(0)),
    );
    expect(none).toMatchObject(clopperPearson(0, 48, 0.95));
    // Half of the texts give everything away: places are far from independent.
    const halves = Array.from({ length: 12 }, (_, k) => tally(k % 2 === 0 ? 4 : 0));
    const { lower, upper } = genieResult(seededSource(1), halves) as { lower: number; upper: number };
    const independent = clopperPearson(24, 48, 0.95);
    expect(lower).toBeLessThan(independent.lower);
    expect(upper).toBeGreaterThan(independent.upper);
  });
});

describe('the genie', () => {
  const view = {} as never;
  const tokenizerOf = async () => (await openAttackedModel(path, { numLabels: 2, seed: 1 })).tokenizer;
  const root = makeRoot();
  let path = '';

  it('is right with a probability that is known, if each likelihood is normal and the truth stands out', async () => {
    path = await writeTiny(join(root, 'planted'), 'bert');
    const tokenizer = await tokenizerOf();
    const random = seededSource('planted');
    const play = async (lead: number) => {
      const unigram = new Float64Array(57).fill(-Math.log(57));
      const nats = async (_: unknown, sentences: readonly (readonly number[])[]) =>
        sentences.map((_, k) => ({ likelihood: normal(random) + (k === 0 ? lead : 0), prior: 0 }));
      const judge = judgeFor({ judge: { nats, unigram } }, { tokenizer, truths: [[2, 10, 11, 3]], genie: 1, seed: 1 });
      let right = 0;
      for (let text = 0; text < 2000; text++) right += (await judge?.(0, view, [2, 9, 9, 3]))?.genie?.right ?? 0;
      return clopperPearson(right, 2000, 0.999);
    };
    // Each fails for one seed in a thousand.
    for (const [lead, accuracy] of [
      [0, 1 / 16],
      [2, leadAccuracy(2)],
      [9, 1],
    ] as const) {
      const { lower, upper } = await play(lead);
      expect(lower).toBeLessThanOrEqual(accuracy);
      expect(upper).toBeGreaterThanOrEqual(accuracy);
    }
  });

  it('is at chance on pure noise, with the attack’s own likelihood', async () => {
    const model = await openAttackedModel(await writeTiny(join(root, 'noise'), 'bert'), { numLabels: 2, seed: 1 });
    const shared = selectParameters(model as never, 'all', 'classification');
    const options = readOptions(likelihood.options, { prior: 'uniform' });
    const open = await likelihood.open({
      model,
      options,
      batchSize: 1,
      longest: 8,
      loss: 'class',
      shared,
      random: seededSource(1),
    });
    const random = seededSource('pure noise');
    const { unigram } = open.judge as Judge;
    const possible = [...unigram.keys()].filter((token) => Number.isFinite(unigram[token]));
    const texts = 120;
    // Tokens of the text are as the prior has them, so that the true one is one of 16 alike.
    const truths = Array.from({ length: texts }, () => [
      2,
      ...Array.from({ length: 5 }, () => possible[integerBelow(random, possible.length)] as number),
      3,
    ]);
    const judge = judgeFor(open, { tokenizer: model.tokenizer, truths, genie: 1, seed: 1 });
    const tallies: GenieTally[] = [];
    for (let text = 0; text < texts; text++) {
      const gradients = Object.fromEntries(
        open.reads.map((name) => {
          const size = (model.parameters.get(name)?.shape ?? []).reduce((product, one) => product * one, 1);
          return [name, fillNormal(random, new Float32Array(size), { standardDeviation: 0.5 })];
        }),
      );
      const noise = Object.fromEntries(open.reads.map((name) => [name, 0.5]));
      const pure = { model, parameters: {}, gradients, noise, batchSize: 1, lengths: [7] };
      const judged = await judge?.(text, pure, truths[text] as number[]);
      tallies.push(judged?.genie as GenieTally);
      expect(judged?.limit.searchFailed).toBe(false);
    }
    await open.close();
    const { right, of, chance } = genieResult(seededSource(1), tallies) as NonNullable<ReturnType<typeof genieResult>>;
    expect([of, chance]).toEqual([120, 1 / 16]);
    // One place per text, each with noise of its own: a false alarm for one seed in a thousand.
    const { lower, upper } = clopperPearson(Math.round(right), of, 0.999);
    expect(lower).toBeLessThan(chance);
    expect(upper).toBeGreaterThan(chance);
  });
});

/** ∫ φ(x − lead) Φ(x)^15 dx: the probability that the truth has the highest of 16 normal likelihoods. */
function leadAccuracy(lead: number): number {
  const [step, from] = [1e-3, -8];
  let [below, sum] = [0, 0];
  for (let k = 0; k < 20_000; k++) {
    const x = from + k * step;
    below += (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * step;
    sum += (Math.exp(-((x - lead) ** 2) / 2) / Math.sqrt(2 * Math.PI)) * below ** 15 * step;
  }
  return sum;
}

it('refuses a genie where there is no likelihood, or more than one sentence', () => {
  const [span, own] = ['span', 'likelihood'].map((name) => findAttack(name) as GradientAttack) as [
    GradientAttack,
    GradientAttack,
  ];
  expect(() => expectGenie(span, 1, 4)).toThrow('genie 4: expected an attack that has a likelihood, got span');
  expect(() => expectGenie(own, 2, 4)).toThrow('genie 4: expected one sentence at a time, got a batch of 2');
  expect(() => expectGenie(own, 1, 1.5)).toThrow('genie');
  expect(() => expectGenie(span, 8, 0)).not.toThrow();
  expect(() => expectGenie(own, 1, 4)).not.toThrow();
});
