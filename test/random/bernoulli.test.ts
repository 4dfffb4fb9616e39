import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { bernoulli, seededSource } from '../../src/random/index.js';
import { ONES } from './scripted.js';
import { CRITICAL_NORMAL } from './statistics.js';

/** The answer to the listed words, and how many of them were drawn. */
function answer(probability: number, ...words: number[]): [boolean, number] {
  let drawn = 0;
  const next = () => {
    const word = words[drawn++];
    if (word === undefined) throw new Error('drew more words than expected');
    return word;
  };
  return [bernoulli({ next }, probability), drawn];
}

/** The first digits to the base 2^32 of a double in [0, 1), from its bits. */
function digitsOf(probability: number, count: number): number[] {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, probability);
  const exponent = Number((bits.getBigUint64(0) >> 52n) & 0x7ffn);
  const fraction = bits.getBigUint64(0) & (2n ** 52n - 1n);
  const whole = exponent === 0 ? fraction : fraction + 2n ** 52n;
  // The double is whole · 2^-places.
  const places = BigInt(1075 - Math.max(exponent, 1));
  return Array.from({ length: count }, (_, place) =>
    Number(((whole << BigInt(32 * (place + 1))) >> places) & 0xffffffffn),
  );
}

describe('bernoulli', () => {
  it('is never true for 0 and always for 1', () => {
    for (const word of [0, 1, ONES]) expect(answer(0, word)).toEqual([false, 1]);
    expect(answer(1)).toEqual([true, 0]);
  });

  it('compares further digits only when the first are equal', () => {
    expect(answer(0.5, 2 ** 31 - 1)).toEqual([true, 1]);
    expect(answer(0.5, 2 ** 31)).toEqual([false, 1]);
    expect(answer(0.5, 2 ** 31 + 1)).toEqual([false, 1]);
    // 0.1 as a double is 3602879701896397 / 2^55.
    const first = Number(3602879701896397n >> 23n);
    const second = Number((3602879701896397n << 9n) & 0xffffffffn);
    expect(answer(0.1, first - 1)).toEqual([true, 1]);
    expect(answer(0.1, first + 1)).toEqual([false, 1]);
    expect(answer(0.1, first, second - 1)).toEqual([true, 2]);
    expect(answer(0.1, first, second)).toEqual([false, 2]);
    expect(answer(0.1, first, second + 1)).toEqual([false, 2]);
  });

  it('handles probabilities far below the resolution of one word', () => {
    expect(answer(2 ** -40, 1)).toEqual([false, 1]);
    expect(answer(2 ** -40, 0, 2 ** 24 - 1)).toEqual([true, 2]);
    expect(answer(2 ** -40, 0, 2 ** 24)).toEqual([false, 2]);
    // The smallest double is 2^-1074 = 2^14 / 2^(32 · 34).
    const zeros = Array<number>(33).fill(0);
    expect(answer(Number.MIN_VALUE, ...zeros, 2 ** 14 - 1)).toEqual([true, 34]);
    expect(answer(Number.MIN_VALUE, ...zeros, 2 ** 14)).toEqual([false, 34]);
    // The largest below 1 lacks 2^-53: the digits of ones end within the second word.
    expect(answer(1 - 2 ** -53, ONES, ONES - 2 ** 11)).toEqual([true, 2]);
    expect(answer(1 - 2 ** -53, ONES, ONES - 2 ** 11 + 1)).toEqual([false, 2]);
  });

  it('is true exactly when the number formed by the words is below the probability', () => {
    const probability = fc.oneof(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.tuple(fc.nat(2 ** 31 - 1), fc.nat(200)).map(([whole, places]) => whole / 2 ** (31 + places)),
    );
    const word = fc.integer({ min: 0, max: ONES });
    const property = fc.property(
      probability,
      fc.nat(39),
      fc.array(word, { minLength: 40, maxLength: 40 }),
      (p, same, rest) => {
        const digits = digitsOf(p, 40);
        const words = [...digits.slice(0, same), ...rest.slice(same)];
        const place = words.findIndex((value, index) => value !== digits[index]);
        const below = place >= 0 && (words[place] as number) < (digits[place] as number);
        expect(answer(p, ...words)[0]).toBe(below);
      },
    );
    fc.assert(property, { seed: 1, numRuns: 2000 });
  });

  it.each([0.5, 0.1, 0.9, 0.001])('is true with probability %d, with one word per draw', (probability) => {
    const [source, draws] = [seededSource(61), 200_000];
    let hits = 0;
    for (let draw = 0; draw < draws; draw += 1) hits += bernoulli(source, probability) ? 1 : 0;
    const spread = Math.sqrt(draws * probability * (1 - probability));
    expect(Math.abs(hits - draws * probability) / spread).toBeLessThan(CRITICAL_NORMAL);
    expect(source.state().position).toBe(draws);
  });

  it.each([-0.1, -Number.MIN_VALUE, 1 + 2 ** -52, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses %d',
    (probability) => {
      const act = () => bernoulli(seededSource(1), probability);
      expect(act).toThrow(ArgumentError);
      expect(act).toThrow(`invalid probability: expected between 0 and 1, got ${probability}`);
    },
  );
});
