// Choosing tokens by a span: cases small enough to do by hand, and planted texts among random vectors.

import { describe, expect, it } from 'vitest';
import type { FirstInputs } from '../../src/attacks/index.js';
import { type PursuitOptions, pursue } from '../../src/attacks/span/pursuit.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

type Vector = readonly number[];
const normalised = (vector: Vector): Vector => vector.map((x) => x / Math.hypot(...vector));

/** Inputs from a function, instead of a model's tables. */
const inputsFrom = (hidden: number, vector: (token: number, position: number) => Vector): FirstInputs => ({
  hidden,
  vocabulary: 100,
  positions: 10,
  scoreTokens: () => Promise.reject(new Error('not asked for')),
  unit: (token, position, into, start) => into.set(normalised(vector(token, position)), start),
  close: async () => {},
});
const spanOf = (...vectors: readonly Vector[]) => ({
  basis: Float64Array.from(vectors.flat()),
  weights: new Float64Array(vectors.length).fill(1),
});
const tokensOf = (chosen: ReturnType<typeof pursue>) => chosen.map((here) => here.map(({ token }) => token));

describe('the pursuit by hand', () => {
  const [e1, e2] = [
    [1, 0, 0],
    [0, 1, 0],
  ];
  const run = (vectors: readonly (readonly Vector[])[], options: Partial<PursuitOptions> = {}) =>
    pursue(
      inputsFrom(3, (token, position) => vectors[position]?.[token] as Vector),
      vectors.map((here) => [...here.keys()]),
      spanOf(e1, e2),
      { wanted: vectors.map(() => 1), total: vectors.length, ...options },
    );

  it('chooses what lies in the span, and says by how much it was ahead', () => {
    const chosen = run([
      [
        [0.6, 0, 0.8],
        [1, 0, 0],
      ],
      [
        [0, 1, 0],
        [0, 0.8, 0.6],
      ],
    ]);
    expect(tokensOf(chosen)).toEqual([[1], [0]]);
    // Shares in the span: 1 before .36, and 1 before .64.
    expect(chosen[0]?.[0]?.confidence).toBeCloseTo(0.64, 12);
    expect(chosen[1]?.[0]?.confidence).toBeCloseTo(0.36, 12);
    expect(chosen[0]?.[0]?.candidates.map(({ score }) => score)).toEqual([expect.closeTo(0.36), expect.closeTo(1)]);
  });

  it('does not find again what a surer position explains', () => {
    const chosen = run([
      [
        [0.5, 0, Math.sqrt(0.75)],
        [1, 0, 0],
      ],
      // All in the span, but it is what the first position has taken; .36 of the other is left.
      [
        [1, 0, 0],
        [0, 0.6, 0.8],
      ],
    ]);
    expect(tokensOf(chosen)).toEqual([[1], [1]]);
    expect(chosen[1]?.[0]?.confidence).toBeCloseTo(0.36, 12);
  });

  it('scores the rest of a candidate, not the whole', () => {
    // Without e1 the first is (0, .6, 0)/.6: wholly in the span, though less of its whole was than of the second's.
    const second = [
      [0.8, 0.6, 0],
      [0, 0.95, Math.sqrt(1 - 0.95 ** 2)],
    ];
    const chosen = run([[e1 as Vector, [0, 0, 1]], second]);
    expect(tokensOf(chosen)).toEqual([[0], [0]]);
  });

  it('removes known tokens before it searches', () => {
    const positions = [
      [
        [1, 0, 0],
        [0, 0.6, 0.8],
      ],
    ];
    expect(tokensOf(run(positions))).toEqual([[0]]);
    expect(tokensOf(run(positions, { known: [{ token: 0, position: 0 }] }))).toEqual([[1]]);
    expect(tokensOf(run(positions, { wanted: [0], total: 0 }))).toEqual([[]]);
  });
});

describe('the pursuit of planted texts', () => {
  const hidden = 24;
  const vector = (token: number, position: number): Vector => [
    ...fillNormal(seededSource('planted').stream(`${token} ${position}`), new Float64Array(hidden)),
  ];
  const inputs = inputsFrom(hidden, vector);
  const all = Array.from({ length: 60 }, (_, token) => token);
  /** Gram and Schmidt. */
  const spanned = (vectors: readonly Vector[]) => {
    const basis: Vector[] = [];
    for (const one of vectors) {
      let left = [...one];
      for (const u of basis) {
        const along = left.reduce((sum, x, i) => sum + x * (u[i] as number), 0);
        left = left.map((x, i) => x - along * (u[i] as number));
      }
      basis.push(normalised(left));
    }
    return spanOf(...basis);
  };
  const sorted = (tokens: readonly (readonly number[])[]) => tokens.map((here) => [...here].sort((a, b) => a - b));

  it('finds one sentence, repeated words and all', () => {
    const text = [7, 7, 30, 2, 30, 59];
    const span = spanned(text.map(vector));
    const chosen = pursue(
      inputs,
      text.map(() => all),
      span,
      { wanted: text.map(() => 1), total: text.length },
    );
    expect(tokensOf(chosen)).toEqual(text.map((token) => [token]));
  });

  it('finds as many tokens as there are where sentences of a batch share some', () => {
    const planted = [[3], [11, 40], [8, 9, 25], [1]]; // three sentences
    const span = spanned(planted.flatMap((tokens, position) => tokens.map((token) => vector(token, position))));
    const options = { wanted: [3, 3, 3, 1], total: 7, exact: true };
    const chosen = pursue(
      inputs,
      planted.map(() => all),
      span,
      options,
    );
    expect(sorted(tokensOf(chosen))).toEqual(planted);
  });

  it('gives one token to every position that wants any, however few there are in total', () => {
    // All that lies in the span stands at the first position, but three tokens are wanted at three positions.
    const span = spanned([4, 5, 6].map((token) => vector(token, 0)));
    const count = (total: number) =>
      pursue(inputs, [all, all, all], span, { wanted: [3, 3, 3], total, exact: true }).map(({ length }) => length);
    expect(count(3)).toEqual([1, 1, 1]);
    expect(count(5)).toEqual([3, 1, 1]);
  });
});
