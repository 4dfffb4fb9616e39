// The search on planted tables with few tokens, against all sentences there are.

import { describe, expect, it } from 'vitest';
import { candidatesFor } from '../../src/attacks/likelihood/candidates.js';
import { matchedTokens } from '../../src/attacks/likelihood/matches.js';
import {
  change,
  gainsAt,
  natsOf,
  outerNats,
  type Pieces,
  placesOf,
  read,
  total,
} from '../../src/attacks/likelihood/objective.js';
import { changeOf } from '../../src/attacks/likelihood/pair-moves.js';
import { ascend, blank, fill } from '../../src/attacks/likelihood/search.js';
import { tableEvidence } from '../../src/attacks/likelihood/tables.js';
import { type Planting, plant, productsOf } from './planted-tables.js';

const planting = (lengths: readonly number[], deviation = 0.3): Planting => ({
  hidden: 24,
  vocabulary: 5,
  lengths,
  deviations: { words: deviation, places: deviation },
});
const prior = Float64Array.from([0.4, 0.3, 0.15, 0.1, 0.05], Math.log);

function piecesFor(tokens: readonly number[], options: Planting, seed: string): Pieces {
  return { tables: tableEvidence(productsOf(plant(tokens, options, seed), options)), prior, known: new Map() };
}

/** Every sentence of this length. */
function* sentences(length: number): Generator<number[]> {
  for (let code = 0; code < 5 ** length; code++)
    yield Array.from({ length }, (_, place) => Math.floor(code / 5 ** place) % 5);
}

/** The log-likelihood by its definition. */
function naive({ tables }: Pieces, tokens: readonly number[]): number {
  let sum = tokens.reduce((all, token) => all + (prior[token] as number), 0);
  for (let token = 0; token < 5; token++)
    sum +=
      tables?.nats(
        token,
        [...tokens.keys()].filter((place) => tokens[place] === token),
      ) ?? 0;
  return sum;
}

describe('the search', () => {
  it.each([
    ['different tokens', [4, 2, 0, 3]],
    ['a token twice', [1, 3, 1, 2]],
    ['one token everywhere', [4, 4, 4, 4]],
    ['two tokens', [3, 1]],
  ])('finds the best of all sentences: %s', (name, truth) => {
    for (const deviation of [0.05, 0.4, 1]) {
      const options = planting(
        truth.map((_, place) => 2 + place / 2),
        deviation,
      );
      const pieces = piecesFor(truth, options, `${name} ${deviation}`);
      const candidates = candidatesFor(pieces, undefined, truth.length);
      const found = ascend(pieces, candidates, fill(pieces, candidates, blank(pieces, truth.length)));
      const best = [...sentences(truth.length)].reduce((a, b) => (naive(pieces, b) > naive(pieces, a) ? b : a));
      expect(found.tokens).toEqual(best);
      if (deviation === 0.05) expect(best).toEqual(truth);
    }
  });

  it('finds a repeated token whose places cancel each other, which no single move reaches', () => {
    const options = planting([2, 2, 2], 0.1);
    const { words, places } = plant([0, 1, 2], options, 'cancel');
    // Token 4 stands at places 1 and 2 with nearly opposite vectors.
    const second = (places[1] as Float64Array).map((x, i) => 0.4 * (places[0]?.[i] as number) - x);
    const noise = words[3] as Float64Array;
    const sum = second.map((x, i) => x + (places[1]?.[i] as number) + (noise[i] as number));
    const clean = plant([-1, -1, -1], options, 'cancel').words;
    const planted = {
      words: clean.map((row, token) => (token === 0 ? (words[0] as Float64Array) : token === 4 ? sum : row)),
      places: [places[0] as Float64Array, places[1] as Float64Array, second],
    };
    const tables = tableEvidence(productsOf(planted, options));
    expect(Math.max(tables.nats(4, [1]), tables.nats(4, [2]))).toBeLessThan(0);
    const pieces: Pieces = { tables, prior, known: new Map() };
    const candidates = candidatesFor(pieces, undefined, 3);
    expect(ascend(pieces, candidates, [0, 1, 2]).tokens).toEqual([0, 4, 4]);
  });

  it('starts from words that match one place or two, where long rows would take places that are not theirs', () => {
    const truth = [0, 1, 2, 3, 4, 0, 1];
    const options = { ...planting([3, 1, 2, 4, 1, 3, 2], 1e-4), hidden: 3 };
    const pieces = piecesFor(truth, options, 'matches');
    const candidates = candidatesFor(pieces, undefined, truth.length);
    expect(fill(pieces, candidates, blank(pieces, truth.length))).not.toEqual(truth);
    expect(matchedTokens(pieces, truth.length)).toEqual(truth);
    const known = new Map([[0, 0]]);
    // A word that is known elsewhere is not matched, so its second place stays empty; so does everything under noise.
    expect(matchedTokens({ ...pieces, known }, truth.length)).toEqual([0, 1, 2, 3, 4, -1, 1]);
    const noisy = piecesFor(truth, { ...options, deviations: { words: 20, places: 20 } }, 'matches');
    expect(matchedTokens(noisy, truth.length)).toEqual(truth.map(() => -1));
    expect(matchedTokens({ prior, known: new Map() }, 3)).toEqual([-1, -1, -1]);
  });

  it('keeps known tokens, and starts from any sentence', () => {
    const options = planting([2, 2, 2, 2]);
    const pieces = { ...piecesFor([1, 3, 0, 2], options, 'known'), known: new Map([[0, 4]]) };
    const candidates = candidatesFor(pieces, undefined, 4);
    for (const start of [fill(pieces, candidates, blank(pieces, 4)), [4, 0, 0, 0], [4, 2, 3, 0]])
      expect(ascend(pieces, candidates, start).tokens).toEqual([4, 3, 0, 2]);
  });
});

describe('the likelihood of a sentence', () => {
  const tokens = [1, 3, 1, 2];
  const pieces = piecesFor(tokens, planting([2, 1, 3, 2]), 'sum');

  it('is the sum of its pieces, and gains are its differences', () => {
    expect(outerNats(pieces, tokens)).toBeCloseTo(naive(pieces, tokens), 9);
    expect(total(natsOf(pieces, read(pieces, tokens)))).toBeCloseTo(naive(pieces, tokens), 9);
    const { nats } = gainsAt(pieces, read(pieces, tokens), 2, [0, 1, 2, 3, 4]);
    for (let token = 0; token < 5; token++) {
      const [own, other] = [tokens, [1, 3, token, 2]].map((one) => naive(pieces, one)) as [number, number];
      expect((nats[token] as number) - (nats[1] as number)).toBeCloseTo(other - own, 9);
    }
  });

  it('changes by what a move of two places changes', () => {
    for (const move of [
      new Map([
        [0, 3],
        [1, 1],
      ]),
      new Map([
        [1, 4],
        [3, 4],
      ]),
      new Map([
        [2, 0],
        [0, 1],
      ]),
    ]) {
      const moved = tokens.map((token, place) => move.get(place) ?? token);
      const expected = naive(pieces, moved) - naive(pieces, tokens);
      expect(changeOf(pieces, tokens, placesOf(tokens), move)).toBeCloseTo(expected, 9);
      expect(change(pieces, read(pieces, tokens), move).tokens).toEqual(moved);
    }
  });
});
