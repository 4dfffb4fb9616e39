import { describe, expect, it } from 'vitest';
import { permutation, seededSource, shuffled } from '../../src/random/index.js';
import { chiSquareRatio } from './statistics.js';

describe('permutation', () => {
  it('gives the same order on every platform', () => {
    expect([...permutation(seededSource(7), 10)]).toEqual([8, 4, 3, 7, 2, 0, 5, 9, 1, 6]);
  });

  it.each([0, 1, 2, 1000])('holds each of %i numbers once', (count) => {
    const sorted = permutation(seededSource(1), count).sort();
    expect([...sorted]).toEqual(Array.from({ length: count }, (_, index) => index));
  });

  it('gives each of the 24 orders of four equally often', () => {
    const source = seededSource(41);
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 48_000; draw += 1) {
      const order = permutation(source, 4).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(chiSquareRatio([...counts.values()], Array(24).fill(1 / 24))).toBeLessThan(1);
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 32])('refuses %d numbers', (count) => {
    const message = `invalid count: expected a whole number from 0 to 2^32 - 1, got ${count}`;
    expect(() => permutation(seededSource(1), count)).toThrow(message);
  });
});

describe('shuffled', () => {
  it('orders a copy by the permutation', () => {
    const list = ['a', 'b', 'c', 'd', 'e'];
    const expected = [...permutation(seededSource(3), 5)].map((index) => list[index]);
    expect(shuffled(seededSource(3), list)).toEqual(expected);
    expect(list).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
