import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import {
  bernoulliExp,
  discreteGaussian,
  discreteLaplace,
  exactRational,
  type Rational,
  seededSource,
  type WordSource,
} from '../../src/random/index.js';
import { ONES, scripted } from './scripted.js';
import { CRITICAL_NORMAL, chiSquareRatio, kolmogorovRatio, normalDistribution } from './statistics.js';

const over = (numerator: bigint, denominator: bigint): Rational => ({ numerator, denominator });
const toNumber = ({ numerator, denominator }: Rational) => Number(numerator) / Number(denominator);

/**
 * The exact probability of every answer within `depth` words, when each word is one of the listed ones with equal
 * probability, and the probability that it is still open after that. Words stand for all others if every comparison or remainder treats them alike.
 */
function enumerate<T>(words: readonly number[], depth: number, run: (source: WordSource) => T) {
  const counts = new Map<T, number>();
  let open = 0;
  const visit = (start: readonly number[]): void => {
    // Counted in whole numbers of sequences of full length.
    const sequences = words.length ** (depth - start.length);
    let answer: T;
    try {
      answer = run(scripted(...start));
    } catch {
      if (start.length === depth) open += sequences;
      else for (const word of words) visit([...start, word]);
      return;
    }
    counts.set(answer, (counts.get(answer) ?? 0) + sequences);
  };
  visit([]);
  const all = words.length ** depth;
  return { chances: new Map([...counts].map(([answer, count]) => [answer, count / all])), open: open / all };
}

/** The middles of equal parts of the range of words: right for comparisons with multiples of 1/parts. */
const middles = (parts: number) =>
  Array.from({ length: parts }, (_, part) => Math.floor(((part + 0.5) / parts) * 2 ** 32));
/** Right for remainders by divisors of the count. */
const firstWords = (count: number) => Array.from({ length: count }, (_, word) => word);

describe('exactRational', () => {
  it('converts doubles exactly, in lowest terms', () => {
    expect(exactRational(0)).toEqual(over(0n, 1n));
    expect(exactRational(-2.75)).toEqual(over(-11n, 4n));
    expect(exactRational(0.1)).toEqual(over(3602879701896397n, 2n ** 55n));
    expect(exactRational(Number.MIN_VALUE)).toEqual(over(1n, 2n ** 1074n));
    expect(exactRational(Number.MAX_VALUE)).toEqual(over(2n ** 1024n - 2n ** 971n, 1n));
  });

  it('is undone by division', () => {
    const property = fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const { numerator, denominator } = exactRational(value);
      expect(denominator === 1n || numerator % 2n !== 0n).toBe(true);
      // In two steps, because a power of two beyond 2^1023 is no double.
      const places = denominator.toString(2).length - 1;
      const half = Math.floor(places / 2);
      expect(Number(numerator) / 2 ** half / 2 ** (places - half)).toBe(value + 0);
    });
    fc.assert(property, { seed: 1, numRuns: 1000 });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('refuses %d', (value) => {
    expect(() => exactRational(value)).toThrow(`invalid value: expected a finite number, got ${value}`);
  });
});

describe('bernoulliExp', () => {
  // The first k at which a draw with probability γ/k fails is odd: 1 - γ + (γ²/2)(1 - γ/3) + … within four draws.
  it.each([
    [over(1n, 2n), 24],
    [over(2n, 3n), 18],
    [over(1n, 4n), 48],
  ] as const)('follows its series for %o, exactly', (exponent, parts) => {
    const gamma = toNumber(exponent);
    const { chances, open } = enumerate(middles(parts), 4, (source) => bernoulliExp(source, exponent));
    expect(chances.get(true)).toBeCloseTo(1 - gamma + (gamma ** 2 / 2) * (1 - gamma / 3), 14);
    expect(chances.get(false)).toBeCloseTo(gamma * (1 - gamma / 2) + (gamma ** 3 / 6) * (1 - gamma / 4), 14);
    expect(open).toBeCloseTo(gamma ** 4 / 24, 14);
  });

  it('handles exponents of one and two by remainders', () => {
    for (const whole of [1n, 2n]) {
      const { chances, open } = enumerate(firstWords(12), 4, (source) => bernoulliExp(source, over(whole, 1n)));
      const [yes, chance] = [chances.get(true) as number, Math.exp(-Number(whole))];
      expect(yes).toBeLessThanOrEqual(chance);
      expect(yes + open).toBeGreaterThanOrEqual(chance);
      expect(open).toBeLessThan(0.1);
    }
  });

  it('compares further digits when the first are equal', () => {
    // 1/3 is 55555555… to the base 2^32.
    const third = 0x55555555;
    const [low, high] = [third - 1, third + 1];
    expect(bernoulliExp(scripted(high), over(1n, 3n))).toBe(true);
    expect(bernoulliExp(scripted(third, third, high), over(1n, 3n))).toBe(true);
    expect(bernoulliExp(scripted(third, third, low, ONES), over(1n, 3n))).toBe(false);
    // 2^-33: the digits end with the second word, and what equals them is not below.
    expect(bernoulliExp(scripted(0, 2 ** 31), over(1n, 2n ** 33n))).toBe(true);
    expect(bernoulliExp(scripted(0, 2 ** 31 - 1, ONES), over(1n, 2n ** 33n))).toBe(false);
  });

  it('is certain for 0, draws nothing then, and ends early for huge exponents', () => {
    expect(bernoulliExp(scripted(), over(0n, 7n))).toBe(true);
    const source = seededSource(91);
    for (let trial = 0; trial < 100; trial += 1) expect(bernoulliExp(source, over(10n ** 300n, 3n))).toBe(false);
    expect(source.state().position).toBeLessThan(600);
  });

  it.each([over(1n, 1000n), over(1n, 2n), over(999n, 1000n), over(7n, 3n), exactRational(0.1), exactRational(Math.PI)])(
    'is true as often as it should be for %o',
    (exponent) => {
      const [source, draws] = [seededSource(92), 60_000];
      let hits = 0;
      for (let draw = 0; draw < draws; draw += 1) hits += bernoulliExp(source, exponent) ? 1 : 0;
      const chance = Math.exp(-toNumber(exponent));
      expect(Math.abs(hits - draws * chance) / Math.sqrt(draws * chance * (1 - chance))).toBeLessThan(CRITICAL_NORMAL);
    },
  );
});

/** Chi-square against probabilities proportional to `weight`, with tails together once fewer than 20 are expected. */
function weightRatio(draws: readonly bigint[], weight: (value: number) => number): number {
  let reach = 1;
  while (weight(reach) > 0) reach += 1;
  const sum = Array.from({ length: 2 * reach + 1 }, (_, at) => weight(at - reach)).reduce((a, b) => a + b);
  let edge = 0;
  let tail = (1 - weight(0) / sum) / 2;
  while ((tail - weight(edge + 1) / sum) * draws.length > 20) tail -= weight(++edge) / sum;
  // Values -edge … edge, and a bin for each tail.
  const counts = new Uint32Array(2 * edge + 3);
  for (const draw of draws) {
    const bin = Math.max(-edge - 1, Math.min(edge + 1, Number(draw))) + edge + 1;
    counts[bin] = (counts[bin] as number) + 1;
  }
  const inner = Array.from({ length: 2 * edge + 1 }, (_, at) => weight(at - edge) / sum);
  return chiSquareRatio(counts, [tail, ...inner, tail]);
}

const sample = (count: number, draw: () => bigint) => Array.from({ length: count }, draw);

describe('discreteLaplace', () => {
  it('has exactly the probabilities of scale 1, as far as four words decide', () => {
    const { chances, open } = enumerate(firstWords(12), 4, (source) => discreteLaplace(source, over(1n, 1n)));
    // 0: a failure at k = 2 and a plus; the same after a minus; or a failure at k = 4 and a plus. ±1: a failure at k = 3,
    // then at k = 2, and the sign.
    expect(chances).toEqual(
      new Map([
        [0n, 1 / 4 + 1 / 16 + 1 / 16],
        [1n, 1 / 12],
        [-1n, 1 / 12],
      ]),
    );
    expect(open).toBeCloseTo(11 / 24, 14);
  });

  it.each([
    over(1n, 1n),
    over(1n, 2n),
    over(5n, 2n),
    over(2n, 7n),
    over(100n, 3n),
    exactRational(0.2),
    exactRational(1.7),
  ])('has its probabilities for scale %o', (scale) => {
    const source = seededSource(93);
    const draws = sample(40_000, () => discreteLaplace(source, scale));
    expect(weightRatio(draws, (value) => Math.exp(-Math.abs(value) / toNumber(scale)))).toBeLessThan(1);
  });

  it('is 0 for tiny scales and near the continuous one for huge scales', () => {
    const source = seededSource(94);
    for (const scale of [over(1n, 100n), exactRational(1e-300)])
      expect(new Set(sample(500, () => discreteLaplace(source, scale)))).toEqual(new Set([0n]));
    for (const scale of [over(2n ** 40n, 1n), over(3n * 2n ** 62n, 1n), over(10n ** 60n, 7n)]) {
      const draws = sample(20_000, () => discreteLaplace(source, scale)).map((draw) => Number(draw) / toNumber(scale));
      const below = (x: number) => (x < 0 ? 0.5 * Math.exp(x) : 1 - 0.5 * Math.exp(-x));
      expect(kolmogorovRatio(draws, below)).toBeLessThan(1);
    }
  });
});

describe('discreteGaussian', () => {
  it.each([
    ...[over(1n, 4n), over(1n, 2n), over(1n, 1n), over(3n, 2n), over(10n, 3n), over(50n, 1n)],
    ...[exactRational(0.3), exactRational(0.999), exactRational(2.7)],
  ])('has its probabilities for sigma %o', (sigma) => {
    const source = seededSource(95);
    const draws = sample(40_000, () => discreteGaussian(source, sigma));
    const variance = toNumber(sigma) ** 2;
    expect(weightRatio(draws, (value) => Math.exp((-value * value) / (2 * variance)))).toBeLessThan(1);
  });

  it('is 0 for tiny sigmas and near the continuous one for huge sigmas', () => {
    const source = seededSource(96);
    for (const sigma of [over(1n, 20n), exactRational(1e-300)])
      expect(new Set(sample(500, () => discreteGaussian(source, sigma)))).toEqual(new Set([0n]));
    for (const sigma of [exactRational(2 ** 40 * 1.1), over(10n ** 40n, 7n)]) {
      const draws = sample(20_000, () => discreteGaussian(source, sigma)).map((draw) => Number(draw) / toNumber(sigma));
      expect(kolmogorovRatio(draws, normalDistribution)).toBeLessThan(1);
    }
  });

  it('has the variance of the continuous one, unless sigma is small', () => {
    const [source, count] = [seededSource(97), 40_000];
    const draws = sample(count, () => discreteGaussian(source, over(4n, 1n)));
    // At sigma = 4 the two variances agree to 1e-60.
    const square = draws.reduce((sum, draw) => sum + Number(draw * draw), 0) / count;
    expect(Math.abs(square - 16) / (16 * Math.sqrt(2 / count))).toBeLessThan(CRITICAL_NORMAL);
  });

  it('gives the same numbers on every platform', () => {
    const source = seededSource(7);
    const draws = sample(8, () => discreteGaussian(source, exactRational(12.3)));
    expect(draws.join()).toBe('17,2,10,3,-20,-5,-6,13');
    expect(sample(8, () => discreteLaplace(source, over(9n, 2n))).join()).toBe('3,0,-1,-3,-6,-1,-2,-1');
  });
});

describe('bad fractions', () => {
  const bad: readonly [unknown, string][] = [
    [over(-1n, 2n), '-1/2'],
    [over(1n, -2n), '1/-2'],
    [over(1n, 0n), '1/0'],
    [{ numerator: 1.5, denominator: 2n }, '1.5/2'],
    [{ numerator: 1n }, '[object Object]'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [3n, '3'],
    [null, 'null'],
    [undefined, 'undefined'],
  ];
  it.each(bad)('are named: %s', (value, written) => {
    const source = seededSource(1);
    const calls = {
      scale: () => discreteLaplace(source, value as Rational),
      sigma: () => discreteGaussian(source, value as Rational),
    };
    for (const [name, call] of Object.entries(calls)) {
      expect(call).toThrow(ArgumentError);
      expect(call).toThrow(`invalid ${name}: expected a fraction of bigints > 0, got ${written}`);
    }
    const exponent = () => bernoulliExp(source, value as Rational);
    expect(exponent).toThrow(`invalid exponent: expected a fraction of bigints >= 0, got ${written}`);
  });

  it('may be 0 only as an exponent', () => {
    expect(() => discreteLaplace(seededSource(1), over(0n, 1n))).toThrow('invalid scale');
    expect(() => discreteGaussian(seededSource(1), over(0n, 1n))).toThrow('invalid sigma');
  });
});
