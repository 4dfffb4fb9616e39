import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { beta, chi, chiSquared, dirichlet, gamma, seededSource } from '../../src/random/index.js';
import { scripted } from './scripted.js';
import { CRITICAL_NORMAL, chiSquareRatio, normalDistribution } from './statistics.js';

type Quantiles = { readonly first: number; readonly quantiles: readonly number[] };
type Golden = {
  readonly cases: readonly (Quantiles & { readonly sampler: string; readonly arguments: readonly [number, number] })[];
  readonly decisions: readonly { shape: number; place: number; refused: string; value: number }[];
};
const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'golden', 'distributions.json'), 'utf8'),
) as Golden;

const samplers: Readonly<Record<string, typeof beta>> = { gamma, chiSquared, chi, beta };

/** Chi-square of draws in the bins between quantiles of 64ths, of which the outermost may be missing. */
function quantileRatio(draws: Float64Array, { first, quantiles }: Quantiles): number {
  const sorted = draws.sort();
  const counts: number[] = [];
  let at = 0;
  for (const edge of [...quantiles, Number.POSITIVE_INFINITY]) {
    const start = at;
    while (at < sorted.length && (sorted[at] as number) < edge) at += 1;
    counts.push(at - start);
  }
  const inner = Array<number>(quantiles.length - 1).fill(1 / 64);
  return chiSquareRatio(counts, [first / 64, ...inner, (65 - first - quantiles.length) / 64]);
}

const draw = (count: number, one: () => number) => Float64Array.from({ length: count }, one);
const mean = (list: Float64Array) => list.reduce((sum, value) => sum + value, 0) / list.length;

/** The quantiles on record for Beta(first, second). */
const betaQuantiles = (first: number, second: number) =>
  golden.cases.find((one) => one.sampler === 'beta' && `${one.arguments}` === `${[first, second]}`) as Quantiles;

describe('gamma, chiSquared, chi, beta', () => {
  it.each(golden.cases)('$sampler has the distribution of parameters $arguments', (one) => {
    const source = seededSource('gamma').stream(one.sampler).stream(one.arguments.join());
    const sample = samplers[one.sampler] as typeof beta;
    const [first, second] = one.arguments;
    expect(
      quantileRatio(
        draw(150_000, () => sample(source, first, second)),
        one,
      ),
    ).toBeLessThan(1);
  });
});

describe('gamma', () => {
  it.each(golden.decisions)('accepts or rejects a proposal of shape $shape at place $place correctly', (decision) => {
    const { shape, place, refused, value } = decision;
    const bound = Number(refused);
    // Layer 1 of the ziggurat with `place` as the upper bits, then the uniform number (bound + offset) / 2^53.
    const attempt = (offset: number) => {
      const u = bound + offset;
      return gamma(scripted((place << 10) | 1, 0, Math.floor(u / 2 ** 32) * 2 ** 11, u % 2 ** 32), shape);
    };
    // Rounding moves the decision by a few units in the last place of its logarithm.
    const slack = 2 + Math.ceil(bound * (shape < 1e6 ? 1e-11 : 1e-15));
    expect(attempt(-slack) / value).toBeCloseTo(1, 14);
    if (bound + slack < 2 ** 53) expect(() => attempt(slack)).toThrow('drew more words than expected');
  });

  it.each([0.01, 0.5, 1, 2.5, 1e4, 1e6])('has the mean and the variance of shape %d, and scales', (shape) => {
    const [source, count] = [seededSource(81), 200_000];
    const draws = draw(count, () => gamma(source, shape, 2) / 2);
    expect(Math.abs(mean(draws) - shape) * Math.sqrt(count / shape)).toBeLessThan(CRITICAL_NORMAL);
    // The fourth central moment is 3 shape² + 6 shape.
    const square = mean(draws.map((value) => (value - shape) ** 2));
    const spread = Math.sqrt((2 * shape ** 2 + 6 * shape) / count);
    expect(Math.abs(square - shape) / spread).toBeLessThan(CRITICAL_NORMAL);
  });

  it('nears the normal distribution for huge shapes', () => {
    const source = seededSource(82);
    for (const shape of [1e12, 1e15]) {
      const draws = draw(50_000, () => (gamma(source, shape) - shape) / Math.sqrt(shape));
      const square = mean(draws.map((value) => value ** 2));
      expect(Math.abs(mean(draws)) * Math.sqrt(draws.length)).toBeLessThan(CRITICAL_NORMAL);
      expect(Math.abs(square - 1) * Math.sqrt(draws.length / 2)).toBeLessThan(CRITICAL_NORMAL);
      const outside = draws.filter((value) => Math.abs(value) > 1.5).length / draws.length;
      const chance = 2 * normalDistribution(-1.5);
      const spread = Math.sqrt((chance * (1 - chance)) / draws.length);
      expect(Math.abs(outside - chance) / spread).toBeLessThan(CRITICAL_NORMAL);
    }
  });

  it('stays finite at both ends of what it accepts, and 0 only for small shapes', () => {
    const source = seededSource(83);
    for (const shape of [1e-300, 1e-20, 0.06, 1, 1e20, 1e300]) {
      for (let trial = 0; trial < 1000; trial += 1) {
        const value = gamma(source, shape);
        expect(Number.isFinite(value) && value >= 0 && (value > 0 || shape < 0.05)).toBe(true);
      }
    }
  });

  it('gives the same numbers on every platform', () => {
    const source = seededSource(7);
    const values = [gamma(source, 0.3), gamma(source, 4.5), chi(source, 9), beta(source, 3, 3), beta(source, 0.5, 8)];
    expect(values).toEqual([
      0.0001440003053381889, 2.2940334960852016, 3.4885646645156903, 0.22549018080553604, 0.026299104292311023,
    ]);
    expect(dirichlet(source, [0.5, 2]).join()).toBe('0.4628283369122421,0.5371716630877579');
  });
});

describe('beta', () => {
  it('is 0 or 1, by the ratio of the shapes, when both are tiny', () => {
    const [source, count] = [seededSource(84), 40_000];
    for (const scale of [1e-300, 1e-12]) {
      const draws = draw(count, () => beta(source, scale, 3 * scale));
      expect(draws.every((value) => value === 0 || value === 1)).toBe(true);
      expect(Math.abs(mean(draws) - 0.25) / Math.sqrt(0.1875 / count)).toBeLessThan(CRITICAL_NORMAL);
    }
  });

  it.each([2.5, 383.5, 3e5])('has the variance of two equal shapes of %d', (shape) => {
    const [source, count] = [seededSource(85), 200_000];
    const draws = draw(count, () => beta(source, shape, shape));
    const variance = 1 / (4 * (2 * shape + 1));
    expect(Math.abs(mean(draws) - 0.5) / Math.sqrt(variance / count)).toBeLessThan(CRITICAL_NORMAL);
    // The excess kurtosis is -6 / (2 shape + 3).
    const square = mean(draws.map((value) => (value - 0.5) ** 2));
    const spread = variance * Math.sqrt((2 - 6 / (2 * shape + 3)) / count);
    expect(Math.abs(square - variance) / spread).toBeLessThan(CRITICAL_NORMAL);
  });
});

describe('dirichlet', () => {
  it.each<[number[], number, number]>([
    [[2, 1, 4], 2, 5],
    [[1, 2, 0.5, 1.5, 2], 2, 5],
    [[0.3, 1.5, 2.5], 0.3, 4],
    [[0.5, 0.5], 0.5, 0.5],
  ])('%j has shares with beta distributions', (concentrations, first, second) => {
    const source = seededSource(86);
    const at = concentrations.indexOf(first);
    const shares = draw(100_000, () => dirichlet(source, concentrations)[at] as number);
    expect(quantileRatio(shares, betaQuantiles(first, second))).toBeLessThan(1);
  });

  it('has the covariances of its concentrations', () => {
    const [source, count, concentrations] = [seededSource(87), 100_000, [1, 2, 3]];
    const draws = Array.from({ length: count }, () => dirichlet(source, concentrations));
    for (const [i, j] of [
      [0, 1],
      [1, 2],
      [0, 2],
    ] as const) {
      const [a, b] = [concentrations[i] as number, concentrations[j] as number];
      const products = Float64Array.from(
        draws,
        (shares) => ((shares[i] as number) - a / 6) * ((shares[j] as number) - b / 6),
      );
      const expected = (-a * b) / (36 * 7);
      const spread = Math.sqrt(mean(products.map((value) => (value - expected) ** 2)) / count);
      expect(Math.abs(mean(products) - expected) / spread).toBeLessThan(CRITICAL_NORMAL);
    }
  });

  it('sums to 1 at all sizes, and gives everything to one when all are tiny', () => {
    const source = seededSource(88);
    for (const concentrations of [
      [1],
      [1e-300, 1e300],
      Array<number>(1000).fill(1e-3),
      new Float32Array(5).fill(1e6),
    ]) {
      for (let trial = 0; trial < 20; trial += 1) {
        const shares = dirichlet(source, concentrations);
        expect(shares.length).toBe(concentrations.length);
        expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
        expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1, 13);
      }
    }
    const wins = new Uint32Array(3);
    for (let trial = 0; trial < 30_000; trial += 1) {
      const winner = dirichlet(source, [1e-300, 2e-300, 3e-300]).indexOf(1);
      wins[winner] = (wins[winner] as number) + 1;
    }
    expect(chiSquareRatio(wins, [1 / 6, 2 / 6, 3 / 6])).toBeLessThan(1);
  });
});

describe('bad arguments', () => {
  const source = seededSource(1);
  const bad = [0, -1, -Number.MIN_VALUE, Number.MIN_VALUE, 1e301, Number.NaN, Number.POSITIVE_INFINITY];
  it.each(bad)('of %d are named', (value) => {
    const calls: Record<string, () => unknown> = {
      shape: () => gamma(source, value),
      degrees: () => chiSquared(source, value),
      'degrees ': () => chi(source, value),
      firstShape: () => beta(source, value, 1),
      secondShape: () => beta(source, 1, value),
      'concentrations[1]': () => dirichlet(source, [1, value]),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect(call).toThrow(ArgumentError);
      expect(call).toThrow(`invalid ${name.trim()}: expected between 1e-300 and 1e+300, got ${value}`);
    }
  });

  it('of the scale and of an empty list are named too', () => {
    for (const scale of [0, -2, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => gamma(source, 1, scale)).toThrow(`invalid scale: expected > 0, got ${scale}`);
    expect(() => dirichlet(source, [])).toThrow('invalid concentrations: expected at least one number');
  });
});
