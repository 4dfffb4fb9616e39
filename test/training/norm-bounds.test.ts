// The bound on the norm of a gradient, which clipping divides by: never below the true norm, whatever float32 rounded, and above it
// by no more than the proved share of the gradient's mass. The reference is float64.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile, input, type TypedArray, type Value } from '../../src/engine/index.js';
import { roundingMargin } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { GradientTerm } from '../../src/training/per-example/gradient-terms.js';
import { clippedSum, type ParameterTerms, squaredNorms } from '../../src/training/per-example/index.js';
import { roundingShare } from '../../src/training/per-example/rounding.js';

type Kind = GradientTerm['kind'];

interface Sizes {
  readonly kind: Kind;
  readonly tokens: number;
  readonly width: number;
  /** Rows of the parameter. */
  readonly rows: number;
}

interface Numbers {
  readonly left: Float32Array;
  readonly right: Float32Array;
  readonly indices: BigInt64Array;
}

function termsOf({ kind, tokens, width, rows }: Sizes): ParameterTerms {
  const right = input('right', [1, tokens, width]);
  const terms: Record<Kind, () => GradientTerm> = {
    outer: () => ({ kind: 'outer', left: input('left', [1, tokens, rows]), right }),
    rows: () => ({ kind: 'rows', indices: input('indices', [1, tokens], 'i64'), right }),
    sum: () => ({ kind: 'sum', right }),
    each: () => ({ kind: 'each', right, first: 0 }),
  };
  const shape = kind === 'sum' ? [width] : [kind === 'each' ? tokens : rows, width];
  return { name: 'weight', parameter: input('weight', shape), terms: [terms[kind]()] };
}

async function run(values: Record<string, Value>, numbers: Numbers): Promise<Record<string, number>> {
  const program = await compile<string>(values);
  const { left, right, indices } = numbers;
  const all: Record<string, TypedArray> = { left, right, indices, weights: Float32Array.of(1) };
  const feeds = Object.fromEntries(Object.entries(all).filter(([name]) => name in program.inputs));
  const results = await program.run(feeds);
  await program.close();
  return Object.fromEntries(Object.entries(results).map(([name, array]) => [name, Number(array?.[0])]));
}

/** The gradient's norm, and its mass, in float64. */
function truth({ kind, tokens, width, rows }: Sizes, { left, right, indices }: Numbers) {
  const norm = (x: Float32Array, token: number, size: number) =>
    Math.sqrt(x.subarray(token * size, (token + 1) * size).reduce((sum, number) => sum + number * number, 0));
  const count = kind === 'sum' ? 1 : kind === 'each' ? tokens : rows;
  const gradient = new Float64Array(count * width);
  let mass = 0;
  for (let s = 0; s < tokens; s++) {
    mass += norm(right, s, width) * (kind === 'outer' ? norm(left, s, rows) : 1);
    for (let row = 0; row < count; row++) {
      const here = { sum: true, each: row === s, rows: row === Number(indices[s]), outer: true }[kind];
      const factor = kind === 'outer' ? (left[s * rows + row] as number) : Number(here);
      if (factor === 0) continue;
      for (let j = 0; j < width; j++) {
        const place = row * width + j;
        gradient[place] = (gradient[place] as number) + factor * (right[s * width + j] as number);
      }
    }
  }
  return { norm: Math.sqrt(gradient.reduce((sum, number) => sum + number * number, 0)), mass };
}

/** All roundings behind one number of the square, and of the bound itself. */
const operations = ({ tokens, width, rows }: Sizes) => rows + width + 2 * tokens + 32;

async function expectBounded(sizes: Sizes, numbers: Numbers, known?: { norm: number; mass: number }): Promise<void> {
  const { norm, mass } = known ?? truth(sizes, numbers);
  const { squares, bounds } = squaredNorms([termsOf(sizes)]);
  const found = await run({ squares, bounds }, numbers);
  const what = JSON.stringify({ ...sizes, norm });
  expect(found.bounds, what).toBeGreaterThanOrEqual(norm * norm);
  // What float32 found, plus the proved room, and no more than that.
  expect(found.bounds, what).toBeLessThanOrEqual(norm * norm + 3 * roundingShare(operations(sizes)) * mass * mass);
  const clipNorm = norm / 3 || 1e-6;
  const { factors } = clippedSum([termsOf(sizes)], input('weights', [1]), { kind: 'clip', norm: clipNorm });
  const { factors: factor } = await run({ factors }, numbers);
  expect((factor as number) * norm, what).toBeLessThanOrEqual(clipNorm);
  expect(factor, what).toBeGreaterThan(0);
}

/** The sum itself is rounded as well; that has the room in the noise, and is measured. */
async function expectSumInRoom(sizes: Sizes, { left, right, indices }: Numbers): Promise<void> {
  const { sums } = clippedSum([termsOf(sizes)], input('weights', [1]), { kind: 'clip', norm: 0.5 });
  const program = await compile<string>(sums);
  const all: Record<string, TypedArray> = { left, right, indices, weights: Float32Array.of(1) };
  const { weight } = await program.run(
    Object.fromEntries(
      Object.keys(program.inputs).map((name) => [name, all[name] ?? new Float32Array(sizes.rows * sizes.width)]),
    ),
  );
  await program.close();
  const length = Math.sqrt((weight as Float32Array).reduce((sum, x) => sum + x * x, 0));
  expect(length, JSON.stringify(sizes)).toBeLessThanOrEqual(0.5 * (1 + roundingMargin));
}

/** Every token has the same numbers, so that the rounding of one sum always goes the same way. */
function repeated({ tokens, width, rows }: Sizes, seed: string): Numbers {
  const source = seededSource(seed);
  const repeat = (name: string, size: number) => {
    const one = fillNormal(source.stream(name), new Float32Array(size));
    return Float32Array.from({ length: tokens * size }, (_, i) => one[i % size] as number);
  };
  return { left: repeat('left', rows), right: repeat('right', width), indices: new BigInt64Array(tokens).fill(1n) };
}

describe('a text of equal tokens', () => {
  const lengths = [768, 1024, 2048];
  it.each(lengths)(
    '%d of them: no norm is below the truth, no clipped gradient above the clip norm',
    async (tokens) => {
      const cases: Sizes[] = [
        { kind: 'outer', tokens, width: 96, rows: 64 }, // materialised
        { kind: 'outer', tokens, width: 2 * tokens, rows: 2 * tokens }, // from pairs of tokens
        { kind: 'sum', tokens, width: 64, rows: 1 },
        { kind: 'each', tokens, width: 64, rows: tokens },
        { kind: 'rows', tokens, width: 64, rows: 5 },
      ];
      for (const sizes of cases) {
        // From pairs only for the shorter texts: the products take seconds.
        if (sizes.rows === 2 * tokens && tokens > 1024) continue;
        for (const seed of ['a', 'b']) {
          const numbers = repeated(sizes, seed);
          const one = { ...sizes, tokens: 1 };
          const alone = truth(one, numbers);
          // Equal tokens: the gradient is that of one token times their number, except where each has its own row.
          const times = sizes.kind === 'each' ? Math.sqrt(tokens) : tokens;
          await expectBounded(sizes, numbers, { norm: times * alone.norm, mass: tokens * alone.mass });
          if (sizes.rows < 2 * tokens) await expectSumInRoom(sizes, numbers);
        }
      }
    },
  );
});

describe('random gradients', () => {
  const anySizes = fc.record({
    kind: fc.constantFrom<Kind>('outer', 'rows', 'sum', 'each'),
    tokens: fc.integer({ min: 1, max: 40 }),
    width: fc.integer({ min: 1, max: 40 }),
    rows: fc.integer({ min: 2, max: 40 }),
  });

  it('have bounds between the truth and the truth with its room', async () => {
    await fc.assert(
      fc.asyncProperty(anySizes, fc.integer(), fc.integer({ min: -3, max: 5 }), async (drawn, seed, power) => {
        const sizes = drawn.kind === 'each' ? { ...drawn, rows: drawn.tokens } : drawn;
        const { tokens, width, rows } = sizes;
        const source = seededSource(`${seed}`);
        const left = fillNormal(source.stream('left'), new Float32Array(tokens * rows));
        const right = fillNormal(source.stream('right'), new Float32Array(tokens * width));
        // What all tokens share cancels: the tokens' gradients add up to nearly nothing.
        for (let i = 0; i < left.length; i++) left[i] = (left[i] as number) + 10 ** power;
        if (power > 0 && tokens > 1) for (let j = 0; j < width; j++) balance(right, tokens, width, j);
        const indices = BigInt64Array.from({ length: tokens }, (_, s) => BigInt((s * s) % rows));
        await expectBounded(sizes, { left, right, indices });
      }),
      { numRuns: 60, seed: 3 },
    );
  });

  /** Takes the mean of one column away. */
  function balance(right: Float32Array, tokens: number, width: number, column: number): void {
    let mean = 0;
    for (let s = 0; s < tokens; s++) mean += (right[s * width + column] as number) / tokens;
    for (let s = 0; s < tokens; s++) right[s * width + column] = (right[s * width + column] as number) - mean;
  }

  it('of numbers whose squares leave the range of float32 are not taken for short ones', async () => {
    for (const [tokens, left, right] of [
      [1, 2 ** -70, 2 ** 50],
      [6, 2 ** -72, 2 ** 48],
      [6, 2 ** 48, 2 ** -72],
      [40, 2 ** -72, 2 ** 48],
    ] as const) {
      const sizes: Sizes = { kind: 'outer', tokens, width: 24, rows: 24 };
      const numbers = {
        left: new Float32Array(tokens * 24).fill(left * 1.37),
        right: new Float32Array(tokens * 24).fill(right * 1.37),
        indices: new BigInt64Array(tokens),
      };
      const { norm } = truth(sizes, numbers);
      const { bounds } = squaredNorms([termsOf(sizes)]);
      expect((await run({ bounds }, numbers)).bounds).toBeGreaterThanOrEqual(norm * norm);
    }
  });
});

describe('the share of a sum that rounding can take', () => {
  const float = Math.fround;
  /** Three orders of summation, each rounded after every addition. */
  const orders: ((x: Float32Array) => number)[] = [
    (x) => x.reduce((sum, number) => float(sum + number), 0),
    (x) => [...x].sort((a, b) => Math.abs(b) - Math.abs(a)).reduce((sum, number) => float(sum + number), 0),
    function halves(x): number {
      if (x.length <= 1) return x[0] ?? 0;
      const middle = x.length >> 1;
      return float(halves(x.subarray(0, middle)) + halves(x.subarray(middle)));
    },
  ];

  it('is not exceeded in any order', () => {
    for (const count of [2, 100, 4096, 60_000]) {
      const source = seededSource(`${count}`);
      for (const numbers of [new Float32Array(count).fill(1.1), fillNormal(source, new Float32Array(count))]) {
        const exact = numbers.reduce((sum, number) => sum + number, 0);
        const all = numbers.reduce((sum, number) => sum + Math.abs(number), 0);
        for (const order of orders) {
          expect(Math.abs(order(numbers) - exact)).toBeLessThanOrEqual(roundingShare(count) * all);
        }
      }
    }
  });

  it('is at least γ_n, grows with the number of terms, and is refused where it proves nothing', () => {
    for (const n of [1, 640, 4096, 2 ** 20]) {
      const gamma = (n * 2 ** -24) / (1 - n * 2 ** -24);
      // The token norms and the products of the bound are rounded as well, each by at most γ_n.
      expect(roundingShare(n)).toBeGreaterThan(gamma / (1 - gamma) ** 4);
      expect(roundingShare(n)).toBeLessThan(2.1 * gamma);
    }
    expect(() => roundingShare(2 ** 20 + 1)).toThrow(/a sum of 1048577 terms, more than the 1048576/);
  });
});
