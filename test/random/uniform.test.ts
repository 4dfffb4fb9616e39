import { describe, expect, it } from 'vitest';
import { fillUniform, integerBelow, seededSource, uniform } from '../../src/random/index.js';
import { ONES, scripted } from './scripted.js';
import { CRITICAL_NORMAL, chiSquareRatio, kolmogorovRatio } from './statistics.js';

describe('uniform', () => {
  it('gives the same numbers on every platform', () => {
    const source = seededSource(7);
    const golden = [0.40609929339909145, 0.13012874309753275, 0.046007456985055595, 0.7528981287799746];
    expect(golden.map(() => uniform(source))).toEqual(golden);
  });

  it('spans [0, 1) in steps of 2^-53', () => {
    expect(uniform(scripted(0, 0))).toBe(0);
    expect(uniform(scripted(0, 1))).toBe(2 ** -53);
    expect(uniform(scripted(ONES, ONES))).toBe(1 - 2 ** -53);
  });

  it('is uniform, and successive draws are not correlated', () => {
    const draws = fillUniform(seededSource(21), new Float64Array(200_000));
    expect(kolmogorovRatio(draws, (value) => value)).toBeLessThan(1);
    const cells = new Uint32Array(400);
    for (let index = 0; index < draws.length; index += 2) {
      const cell = Math.floor((draws[index] as number) * 20) * 20 + Math.floor((draws[index + 1] as number) * 20);
      cells[cell] = (cells[cell] as number) + 1;
    }
    expect(chiSquareRatio(cells, Array(400).fill(1 / 400))).toBeLessThan(1);
  });
});

describe('fillUniform', () => {
  it.each([0, 1, 7, 1023, 1024, 1025, 5000])('gives a Float64Array of %i what uniform gives', (length) => {
    const [bulk, single] = [seededSource(2), seededSource(2)];
    const expected = Array.from({ length }, () => uniform(single));
    expect(Array.from(fillUniform(bulk, new Float64Array(length)))).toEqual(expected);
    expect(bulk.state()).toEqual(single.state());
  });

  it('gives a Float32Array 24 bits of one word each, never 1', () => {
    const [bulk, single] = [seededSource(2), seededSource(2)];
    const expected = Array.from({ length: 5000 }, () => (single.next() >>> 8) / 2 ** 24);
    expect(Array.from(fillUniform(bulk, new Float32Array(5000)))).toEqual(expected);
    const ones = { next: () => ONES, fill: (words: Uint32Array) => void words.fill(ONES) };
    expect(fillUniform(ones, new Float32Array(1))[0]).toBe(1 - 2 ** -24);
  });
});

describe('integerBelow', () => {
  it('gives the same numbers on every platform', () => {
    const source = seededSource(7);
    const bounds = [10, 1000, 2 ** 32, 2 ** 32 - 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER];
    const golden = [6, 444, 3237737375, 197599830, 2243572891284021, 1078807327175837];
    expect(bounds.map((bound) => integerBelow(source, bound))).toEqual(golden);
  });

  it('rejects the numbers of the last, incomplete run', () => {
    // 2^32 = 3 · 1431655765 + 1, so only the last word is one too many.
    expect(integerBelow(scripted(ONES, 5), 3)).toBe(2);
    expect(integerBelow(scripted(ONES - 1), 3)).toBe(2);
    expect(integerBelow(scripted(ONES), 2)).toBe(1);
    const bound = 2 ** 31 + 1;
    expect(integerBelow(scripted(bound, ONES, bound - 1), bound)).toBe(bound - 1);
    // The same with 53 bits: 2^53 - 1 is the last draw, and of bound 2^53 - 1 it begins the second run.
    expect(integerBelow(scripted(ONES, ONES, 0, 9), 2 ** 53 - 1)).toBe(9);
    expect(integerBelow(scripted(ONES, ONES - 1), 2 ** 53 - 1)).toBe(2 ** 53 - 2);
    expect(integerBelow(scripted(ONES, ONES), 2 ** 52)).toBe(2 ** 52 - 1);
  });

  it.each([1, 2, 3, 10, 97])('is uniform below %i', (bound) => {
    const source = seededSource(bound);
    const counts = new Uint32Array(bound);
    for (let draw = 0; draw < 50_000; draw += 1) {
      const value = integerBelow(source, bound);
      counts[value] = (counts[value] as number) + 1;
    }
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50_000);
    if (bound > 1) expect(chiSquareRatio(counts, Array(bound).fill(1 / bound))).toBeLessThan(1);
  });

  it.each([3 * 2 ** 30, 3 * 2 ** 51])(
    'has no bias below %i, where a plain remainder would favour small ones',
    (bound) => {
      const source = seededSource(8);
      let lowerThird = 0;
      for (let draw = 0; draw < 20_000; draw += 1) lowerThird += integerBelow(source, bound) < bound / 3 ? 1 : 0;
      expect(Math.abs(lowerThird - 20_000 / 3) / Math.sqrt((20_000 * 2) / 9)).toBeLessThan(CRITICAL_NORMAL);
    },
  );

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses the bound %d', (bound) => {
    const message = `invalid bound: expected a whole number >= 1, got ${bound}`;
    expect(() => integerBelow(seededSource(1), bound)).toThrow(message);
  });
});
