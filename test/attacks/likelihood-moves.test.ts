// Which changes of a sentence are judged, and in which order; and how sure the judged ones make of each token.

import { describe, expect, it } from 'vitest';
import { certainty, logOddsAt } from '../../src/attacks/likelihood/certainty.js';
import type { Tried } from '../../src/attacks/likelihood/heights.js';
import { type Move, type MoveSource, moved, rankMoves, topTokens } from '../../src/attacks/likelihood/moves.js';
import { seededSource, uniform } from '../../src/random/index.js';

/** Promises of nothing for all tokens, except −∞ for those that are not possible. */
const flat = (count: number, possible: readonly number[]) =>
  Float32Array.from({ length: count }, (_, token) => (possible.includes(token) ? 0 : Number.NEGATIVE_INFINITY));

const source = (changes: Partial<MoveSource> = {}): MoveSource => ({
  tokens: [9, 1, 2, 3, 9],
  free: [1, 2, 3],
  promised: Array.from({ length: 5 }, () => flat(10, [])),
  candidates: () => [],
  ...changes,
});
const written = (moves: readonly Move[]) => moves.map((move) => moved([9, 1, 2, 3, 9], move).join(' '));

describe('moves', () => {
  it('are single tokens of the sentence, exchanges and shifts, if nothing else is named', () => {
    const found = written(rankMoves(source()));
    expect(new Set(found)).toEqual(
      new Set([
        // Singles from the other places.
        ...['9 2 2 3 9', '9 3 2 3 9', '9 1 1 3 9', '9 1 3 3 9', '9 1 2 1 9', '9 1 2 2 9'],
        // Exchanges.
        ...['9 2 1 3 9', '9 3 2 1 9', '9 1 3 2 9'],
        // One token moves, the others close up.
        ...['9 2 3 1 9', '9 3 1 2 9'],
      ]),
    );
    expect(found).toHaveLength(11);
  });

  it('have candidates and the tokens that promise most, at their places only', () => {
    const promised = Array.from({ length: 5 }, (_, place) => flat(10, place === 2 ? [2, 7] : []));
    const found = written(rankMoves(source({ promised, candidates: (place) => (place === 3 ? [4, 3] : []) })));
    expect(found.filter((one) => /[47]/.test(one))).toEqual(['9 1 7 3 9', '9 1 2 4 9']);
    expect(found).toHaveLength(13);
  });

  it('leave repeated tokens where they are', () => {
    const moves = rankMoves(source({ tokens: [9, 1, 1, 1, 9] }));
    expect(moves).toEqual([]);
    const twice = rankMoves(source({ tokens: [9, 1, 1, 3, 9] }));
    for (const move of twice) for (const [place, token] of move) expect([9, 1, 1, 3, 9][place]).not.toBe(token);
    // Shifts of a repeated token change two places only.
    expect(Math.max(...twice.map(({ length }) => length))).toBe(2);
  });

  it('take turns by kind, each in the order of its promise, which counts less per place the more places change', () => {
    const promised = source().promised.map((row) => row.map(() => 0));
    const promise = (place: number, token: number, nats: number) => {
      (promised[place] as Float32Array)[token] = nats;
    };
    promise(1, 8, 2);
    promise(2, 1, 1.5);
    promise(1, 2, 1.5); // the exchange of 1 and 2 promises 3/√2 = 2.12
    promise(3, 7, 2.2);
    promise(3, 1, 0.9); // the shift of 1 to the end promises (1.5 + 0.9)/√3
    const [single, exchange, shift, next] = written(rankMoves(source({ promised })));
    expect([single, exchange, shift]).toEqual(['9 1 2 7 9', '9 2 1 3 9', '9 2 3 1 9']);
    expect(next).toBe('9 8 2 3 9');
  });

  it('take turns with the favourites of other evidence, each of them once', () => {
    const promised = source().promised.map((row) => row.map(() => 0));
    (promised[1] as Float32Array)[8] = 5;
    const favourites = ['9 1 2 1 9', '9 1 2 2 9'];
    const otherwise = (move: Move) => -favourites.length + 1 + favourites.indexOf(written([move])[0] as string);
    const plain = written(rankMoves(source({ promised })));
    const found = written(rankMoves(source({ promised, otherwise })));
    expect(found.slice(0, 3)).toEqual(plain.slice(0, 3));
    expect([found[3], found[7]]).toEqual(favourites.reverse());
    expect(new Set(found).size).toBe(found.length);
    expect(new Set(found)).toEqual(new Set(plain));
  });
});

describe('the top tokens', () => {
  it('are those of a sorted list, without impossible ones', () => {
    const random = seededSource('top');
    for (let round = 0; round < 50; round++) {
      const numbers = Float32Array.from({ length: 40 }, () => {
        const u = uniform(random);
        return u < 0.2 ? Number.NEGATIVE_INFINITY : Math.round(u * 20);
      });
      const sorted = [...numbers.keys()]
        .sort((a, b) => (numbers[b] as number) - (numbers[a] as number) || a - b)
        .filter((token) => numbers[token] !== Number.NEGATIVE_INFINITY);
      for (const count of [1, 5, 40, 60]) expect(topTokens(numbers, count)).toEqual(sorted.slice(0, count));
    }
  });
});

describe('log-odds', () => {
  const tried = (tokens: readonly number[], height: number): Tried => ({
    tokens,
    height,
    unexplained: 0,
    resolution: 1,
    nats: height,
    prior: 0,
    misfit: 0,
  });
  const answer = tried([2, 5, 6, 3], 10);

  it('weigh a token against all that were judged at its place alone', () => {
    const others = [
      answer,
      tried([2, 7, 6, 3], 8),
      tried([2, 8, 6, 3], 9),
      tried([2, 5, 9, 3], 13),
      tried([2, 7, 9, 3], 100), // two places differ
      tried([1, 5, 6, 3], 100), // a known place
    ];
    const odds = logOddsAt(answer, others, [1, 2]);
    expect([...odds.keys()]).toEqual([1, 2]);
    expect(odds.get(1)).toBeCloseTo(-Math.log(Math.exp(-2) + Math.exp(-1)), 10);
    expect(odds.get(2)).toBeCloseTo(-3, 10);
    // The probability among those judged.
    const share = 1 / (1 + Math.exp(-2) + Math.exp(-1));
    expect(1 / (1 + Math.exp(-(odds.get(1) as number)))).toBeCloseTo(share, 10);
  });

  it('end somewhere, whether nothing was judged at a place or the gap is huge', () => {
    const odds = logOddsAt(answer, [tried([2, 7, 6, 3], -1e15), tried([2, 5, 9, 3], 1e15)], [1, 2]);
    expect([...odds.values()]).toEqual([50, -50]);
    expect(logOddsAt(answer, [], [1]).get(1)).toBe(50);
  });
});

describe('certainty', () => {
  it('is a probability that rises with the log-odds and falls with what is unexplained', () => {
    const grid = [-50, -5, -1, 0, 1, 5, 50];
    const shares = [0, 0.01, 0.1, 0.5, 1];
    for (const unexplained of shares) {
      const found = grid.map((logOdds) => certainty({ logOdds, unexplained, resolution: 0.01 }));
      expect(found.every((one) => one >= 0 && one <= 1)).toBe(true);
      expect(found).toEqual([...found].sort((a, b) => a - b));
      expect(found.at(-1)).toBeGreaterThan(found[0] as number);
    }
    for (const logOdds of grid) {
      const found = shares.map((unexplained) => certainty({ logOdds, unexplained, resolution: 0.01 }));
      expect(found).toEqual([...found].sort((a, b) => b - a));
      expect(found.at(-1)).toBeLessThan(found[0] as number);
    }
  });

  it('is never high where noise could hide what is unexplained, or nobody knows it', () => {
    expect(certainty({ logOdds: 5, unexplained: -0.5, resolution: 1 })).toBeLessThan(0.05);
    expect(certainty({ logOdds: 50, unexplained: Number.NaN, resolution: Number.NaN })).toBeLessThan(0.9);
  });
});
