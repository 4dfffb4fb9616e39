// What the word and position tables say in nats, against normal densities written out.

import { describe, expect, it } from 'vitest';
import { signalAt, tableEvidence } from '../../src/attacks/likelihood/tables.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { type Planting, plant, product, productsOf } from './planted-tables.js';

const planting = (lengths: readonly number[], words = 0.3, places = 0.2): Planting => ({
  hidden: 12,
  vocabulary: 7,
  lengths,
  deviations: { words, places },
});

/** log N(x; mean, variance I), number by number. */
const logDensity = (x: ArrayLike<number>, mean: ArrayLike<number>, variance: number): number =>
  Array.from(x).reduce(
    (sum, one, i) => sum - (one - (mean[i] as number)) ** 2 / (2 * variance) - Math.log(2 * Math.PI * variance) / 2,
    0,
  );

/** The definition: the expected row and its uncertainty from every place, then two densities. */
function naive(
  tokens: readonly number[],
  options: Planting,
  seed: string,
  token: number,
  at: readonly number[],
): number {
  const { words, places } = plant(tokens, options, seed);
  const [wordNoise, placeNoise] = [options.deviations.words ** 2, options.deviations.places ** 2];
  const mean = new Array<number>(options.hidden).fill(0);
  let variance = wordNoise;
  for (const p of at) {
    const row = places[p] as Float64Array;
    const signal = signalAt(product(row, row), placeNoise, options.hidden).variance;
    const share = signal / (signal + placeNoise);
    for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] as number) + share * (row[i] as number);
    variance += share * placeNoise;
  }
  const word = words[token] as Float64Array;
  return logDensity(word, mean, variance) - logDensity(word, new Float64Array(options.hidden), wordNoise);
}

describe('the tables', () => {
  it.each([
    ['every token once', [1, 4, 2]],
    ['a repeated token', [3, 5, 3, 1]],
    ['one token at every place', [6, 6, 6, 6, 6]],
    ['two tokens', [0, 2]],
  ])('give the ratio of two normal densities for any set of places: %s', (name, tokens) => {
    const options = planting(tokens.map((_, place) => 0.5 + place));
    const evidence = tableEvidence(productsOf(plant(tokens, options, name), options));
    const sets = [[0], [1], [1, 0], tokens.map((_, place) => place)];
    for (let token = 0; token < options.vocabulary; token++) {
      for (const at of sets) expect(evidence.nats(token, at)).toBeCloseTo(naive(tokens, options, name, token, at), 8);
      expect(evidence.nats(token, [])).toBe(0);
      const word = plant(tokens, options, name).words[token] as Float64Array;
      const anywhere = signalAt(product(word, word), options.deviations.words ** 2, options.hidden).nats;
      expect(evidence.fit(token, [1])).toBeCloseTo(naive(tokens, options, name, token, [1]) - anywhere, 8);
    }
    for (const place of tokens.keys()) {
      const single = evidence.single(place);
      for (const [token, nats] of single.entries()) expect(nats).toBeCloseTo(evidence.nats(token, [place]), 10);
    }
  });

  it('name the true places of a repeated token above all other sets', () => {
    const tokens = [3, 5, 3, 1];
    const options = planting([3, 3, 3, 3]);
    const evidence = tableEvidence(productsOf(plant(tokens, options, 'sets'), options));
    const sets = Array.from({ length: 16 }, (_, bits) => [0, 1, 2, 3].filter((place) => (bits >> place) & 1));
    for (const token of [0, 1, 3, 5]) {
      const best = sets.reduce((a, b) => (evidence.nats(token, b) > evidence.nats(token, a) ? b : a));
      expect(best, `token ${token}`).toEqual([...tokens.keys()].filter((place) => tokens[place] === token));
    }
  });

  it('stay exact where noise is only rounding', () => {
    const tokens = [3, 5, 3, 1];
    const options = planting([1, 1e-3, 1e-2, 1], 1e-7, 1e-7);
    const evidence = tableEvidence(productsOf(plant(tokens, options, 'rounding'), options));
    for (const [token, at] of [
      [3, [0, 2]],
      [3, [0]],
      [5, [1]],
    ] as const) {
      const expected = naive(tokens, options, 'rounding', token, at);
      expect(evidence.nats(token, at) / expected).toBeCloseTo(1, 8);
    }
    // The weaker of two places is a millionth of the row's square, and still far above rounding.
    expect(evidence.nats(3, [0, 2])).toBeGreaterThan(evidence.nats(3, [0]) + 1e6);
  });

  it('are not fooled: e to the nats of pure noise has mean 1', () => {
    // By Markov's inequality, nats above ln 20 come up in at most 5 % of rows of pure noise. 4,000 rows exceed 7.4 % (seven standard
    // deviations) with a probability below 1e-11.
    const options = { ...planting([1.2, 0.8], 0.3, 0.3), vocabulary: 4000 };
    const evidence = tableEvidence(productsOf(plant([-1, -1], options, 'noise'), options));
    for (const at of [[0], [1], [0, 1]]) {
      const high = Array.from({ length: 4000 }, (_, token) => evidence.nats(token, at)).filter((n) => n > Math.log(20));
      expect(high.length / 4000).toBeLessThan(0.074);
    }
  });
});

describe('the signal of a place', () => {
  it('has the posterior mean of a fine grid as its variance', () => {
    const [square, noise, hidden] = [9, 0.5, 10];
    let [weights, sum] = [0, 0];
    for (let log = Math.log(1e-3 * noise); log < Math.log((4 * square) / hidden); log += 1e-3) {
      const variance = Math.exp(log);
      const weight = Math.exp(-square / (2 * (variance + noise)) - (hidden / 2) * Math.log(variance + noise));
      weights += weight;
      sum += weight * variance;
    }
    expect(signalAt(square, noise, hidden).variance / (sum / weights)).toBeCloseTo(1, 1);
  });

  it('is the square per number where noise is small, and next to none in noise', () => {
    expect(signalAt(64, 1e-10, 64).variance).toBeCloseTo(1, 1);
    expect(signalAt(64, 1e-10, 64).nats).toBeGreaterThan(100);
    const draws = Array.from({ length: 50 }, (_, k) => {
      const row = fillNormal(seededSource(`row ${k}`), new Float64Array(256));
      return signalAt(product(row, row), 1, 256);
    });
    // Nats of pure noise exceed ln 1000 once in a thousand times at most: five of 50 in 2e-9 of all runs.
    expect(draws.filter(({ nats }) => nats > Math.log(1000)).length).toBeLessThan(5);
    expect(draws.reduce((total, { variance }) => total + variance / 50, 0)).toBeLessThan(0.1);
  });
});
