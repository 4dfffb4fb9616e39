// Which tokens belong together, and the search with a prior: planted sentences, and all possibilities where they can be enumerated.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ArrangeOptions, arrange } from '../../src/attacks/span/arrange.js';
import { searchWithPrior } from '../../src/attacks/span/beam.js';
import type { Prior } from '../../src/attacks/span/prior.js';
import { fillUniform, seededSource, shuffled } from '../../src/random/index.js';

type Rows = readonly (readonly number[])[];

/** A token fits by the share of its sentence's tokens beside which it stands in some planted one: in all of it, or before it. */
const fitsIn =
  (planted: Rows, reads: 'all' | 'before'): ArrangeOptions['measure'] =>
  async (sentences) =>
    sentences.map((sentence) =>
      Float32Array.from(sentence, (token, position) => {
        const beside = [...sentence.keys()].filter((p) => (reads === 'all' ? true : p <= position));
        const shares = planted
          .filter((one) => one[position] === token)
          .map((one) => beside.filter((p) => one[p] === sentence[p]).length / beside.length);
        return Math.max(0, ...shares);
      }),
    );
/** The different tokens of each position, in an order that says nothing. */
const mixed = (planted: Rows, seed: number): number[][] =>
  Array.from({ length: Math.max(...planted.map(({ length }) => length)) }, (_, position) => {
    const here = [...new Set(planted.flatMap((one) => one[position] ?? []))];
    return [...shuffled(seededSource(seed).stream(position), here)];
  });
const sorted = (rows: Rows) => rows.map((row) => row.join(' ')).sort();
const nothing = () => undefined;

describe('tokens of a batch', () => {
  const planted = [
    [1, 10, 20, 30],
    [2, 11, 21, 31],
    [3, 12, 22, 32],
    [4, 13, 23, 33],
  ];
  const run = (truth: Rows, more: Partial<ArrangeOptions> = {}, seed = 1) =>
    arrange({
      tokens: mixed(truth, seed),
      lengths: truth.map(({ length }) => length),
      known: nothing,
      measure: fitsIn(truth, 'before'),
      ...more,
    });

  it.each(['before', 'all'] as const)('form the planted sentences where a token sees %s', async (reads) => {
    for (let seed = 0; seed < 6; seed++) {
      expect(sorted(await run(planted, { measure: fitsIn(planted, reads) }, seed))).toEqual(sorted(planted));
    }
  });

  it('are shared by sentences where there are fewer tokens than sentences, and all are used', async () => {
    const common = [
      [1, 10, 20],
      [1, 11, 20],
      [2, 12, 21],
    ];
    for (let seed = 0; seed < 6; seed++) expect(sorted(await run(common, {}, seed))).toEqual(sorted(common));
  });

  it('are all used, however badly one fits', async () => {
    const measure: ArrangeOptions['measure'] = async (sentences) =>
      sentences.map((one) => Float32Array.from(one, (token) => 1 / token));
    const found = await arrange({ tokens: [[1, 2, 3]], lengths: [1, 1, 1, 1], known: nothing, measure });
    expect(found.flat().sort()).toEqual([1, 1, 2, 3]);
  });

  it('exchange beginnings where no single position helps', async () => {
    // The third token says nothing until the fourth is there, which must suit it; only then does the second see the third.
    const truth = [
      [1, 10, 20, 30],
      [2, 11, 21, 31],
    ];
    const suits = (one: readonly number[], a: number, b: number) =>
      Number(truth.some((row) => row[a] === one[a] && row[b] === one[b]));
    const measure: ArrangeOptions['measure'] = async (sentences) =>
      sentences.map((one) => {
        if (one.length < 4) return Float32Array.from(one, (_, p) => (p === 1 ? suits(one, 0, 1) : 0));
        return Float32Array.of(0, suits(one, 0, 1), suits(one, 1, 2) / 2, suits(one, 2, 3));
      });
    for (const third of [
      [20, 21],
      [21, 20],
    ]) {
      const tokens = [[1, 2], [10, 11], third, [30, 31]];
      expect(sorted(await arrange({ tokens, lengths: [4, 4], known: nothing, measure }))).toEqual(sorted(truth));
    }
  });

  it('go to sentences that are long enough, and known tokens to their places', async () => {
    const uneven = [
      [9, 10, 20, 8],
      [9, 11, 8],
      [9, 12, 22, 32, 8],
    ];
    const lengths = uneven.map(({ length }) => length);
    const tokens = mixed(uneven, 3).map((here) => here.filter((token) => token !== 9 && token !== 8));
    const known = (sentence: number, position: number) =>
      position === 0 ? 9 : position === (lengths[sentence] as number) - 1 ? 8 : undefined;
    const found = await run(uneven, { tokens, known });
    expect(found.map(({ length }) => length)).toEqual(lengths);
    expect(found).toEqual(uneven);
  });

  it('are replaced where one does not fit and another does', async () => {
    const tokens = mixed(planted, 1).map((here, position) =>
      position === 2 ? here.map((t) => (t === 22 ? 99 : t)) : here,
    );
    const others = [[], [], [20, 21, 22, 23, 77], []];
    const measure = fitsIn(planted, 'all');
    expect(sorted(await run(planted, { tokens, measure }))).not.toEqual(sorted(planted));
    expect(sorted(await run(planted, { tokens, others, measure }))).toEqual(sorted(planted));
  });
});

describe('the search with a prior', () => {
  /** Log-probabilities that depend on all of the beginning, drawn at random. */
  const priorOf = (seed: number): Prior => ({
    next: async (beginnings) =>
      beginnings.map((tokens) =>
        fillUniform(seededSource(seed).stream(tokens.join(' ')), new Float32Array(30)).map((x) => Math.log(x + 1e-3)),
      ),
    close: async () => {},
  });

  it('finds the best of all texts if the beam holds every beginning', async () => {
    const numbers = fc.record({ seed: fc.nat(1e6), weight: fc.double({ min: 0, max: 1, noNaN: true }) });
    await fc.assert(
      fc.asyncProperty(numbers, async ({ seed, weight }) => {
        const prior = priorOf(seed);
        const scores = fillUniform(seededSource(seed), new Float64Array(8));
        // Two candidates at four positions: at most eight beginnings before the last.
        const positions = [0, 1, 2, 3].map((p) =>
          [0, 1].map((c) => ({ token: 10 * c + p, score: scores[2 * p + c] as number })),
        );
        let best = { tokens: [] as number[], value: Number.NEGATIVE_INFINITY };
        for (let code = 0; code < 16; code++) {
          const picked = positions.map((here, p) => here[(code >> p) & 1] as { token: number; score: number });
          const tokens = picked.map(({ token }) => token);
          let value = picked.reduce((sum, { score }) => sum + score, 0);
          for (let p = 1; p < 4; p++) {
            const [next] = await prior.next([tokens.slice(0, p)]);
            value += weight * (next?.[tokens[p] as number] as number);
          }
          if (value > best.value) best = { tokens, value };
        }
        expect(await searchWithPrior(positions, prior, weight)).toEqual(best.tokens);
      }),
      { seed: 1, numRuns: 25 },
    );
  });

  it('considers only the twelve candidates with the best scores in the span', async () => {
    const sure = [{ token: 0, score: 1 }];
    const many = Array.from({ length: 13 }, (_, i) => ({ token: i, score: 1 - i / 100 }));
    const loves = (token: number): Prior => ({
      next: async (beginnings) => beginnings.map(() => new Float32Array(30).fill(-9).fill(0, token, token + 1)),
      close: async () => {},
    });
    expect(await searchWithPrior([sure, many], loves(11), 1)).toEqual([0, 11]);
    expect(await searchWithPrior([sure, many], loves(12), 1)).toEqual([0, 0]);
  });
});
