// Which examples a step uses. Seeds are fixed; the false-alarm rate of a test is 1e-4 unless stated otherwise.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { poissonBatch, shuffledBatches } from '../../src/data/index.js';
import { seededSource } from '../../src/random/index.js';
import { CRITICAL_NORMAL, chiSquareRatio, correlation } from '../random/statistics.js';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** How far a count of successes lies from its mean, in standard deviations. */
const deviation = (count: number, trials: number, probability: number) =>
  Math.abs(count - trials * probability) / Math.sqrt(trials * probability * (1 - probability));

describe('Poisson batches', () => {
  const [examples, rate, batches] = [30, 0.2, 20_000];
  const source = seededSource(71);
  /** [batch][example]: 1 for a member. */
  const members = Array.from({ length: batches }, () => {
    const row = new Uint8Array(examples);
    for (const index of poissonBatch(examples, rate, source)) row[index] = 1;
    return row;
  });
  const column = (index: number) => members.map((row) => row[index] as number);
  // A false-alarm rate of 1e-6 each: 3e-5 for 30 comparisons, 4.4e-4 for the 435 pairs.
  const criticalOfMany = CRITICAL_NORMAL + 1;

  it('hold each example at the sample rate', () => {
    for (const index of upTo(examples)) {
      const count = column(index).reduce((sum, value) => sum + value, 0);
      expect(deviation(count, batches, rate)).toBeLessThan(criticalOfMany);
    }
  });

  it('have binomially distributed sizes, not one size', () => {
    // Bins: at most 1, 2, 3, …, 12, at least 13.
    const logChoose = (k: number) => upTo(k).reduce((sum, i) => sum + Math.log((examples - i) / (i + 1)), 0);
    const chance = (k: number) => Math.exp(logChoose(k) + k * Math.log(rate) + (examples - k) * Math.log(1 - rate));
    const bin = (size: number) => Math.max(0, Math.min(12, size - 1));
    const [counts, chances] = [Array<number>(13).fill(0), Array<number>(13).fill(0)];
    for (const row of members) {
      const size = row.reduce((sum, value) => sum + value, 0);
      counts[bin(size)] = (counts[bin(size)] as number) + 1;
    }
    for (const size of upTo(examples + 1)) chances[bin(size)] = (chances[bin(size)] as number) + chance(size);
    expect(chiSquareRatio(counts, chances)).toBeLessThan(1);
  });

  it('hold two examples together at the squared rate', () => {
    for (const one of upTo(examples)) {
      for (const other of upTo(one)) {
        const both = members.reduce((sum, row) => sum + (row[one] as number) * (row[other] as number), 0);
        expect(deviation(both, batches, rate ** 2)).toBeLessThan(criticalOfMany);
      }
    }
  });

  it('do not depend on the previous batch', () => {
    for (const index of upTo(examples)) {
      const list = column(index);
      expect(Math.abs(correlation(list.slice(1), list.slice(0, -1))) * Math.sqrt(batches)).toBeLessThan(criticalOfMany);
    }
  });

  it('list rising indices, the same for the same seed', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 1e-6, max: 1, noNaN: true }),
      fc.nat(),
      (n, q, seed) => {
        const batch = poissonBatch(n, q, seededSource(seed));
        expect(batch).toEqual(upTo(n).filter((index) => batch.includes(index)));
        expect(poissonBatch(n, q, seededSource(seed))).toEqual(batch);
      },
    );
    fc.assert(property, { seed: 1 });
  });

  it('hold all examples at rate 1 and hardly ever one at a tiny rate', () => {
    expect(poissonBatch(1000, 1, seededSource(1))).toEqual(upTo(1000));
    expect(poissonBatch(100_000, 1e-12, seededSource(1))).toEqual([]);
    expect(poissonBatch(1000, Number.MIN_VALUE, seededSource(1))).toEqual([]);
    // A word at the edge: only the second one lies below 2^-40.
    const words = [1, 0, 5, 0, 2 ** 24];
    const scripted = { next: () => words.shift() as number, fill: () => {} };
    expect(poissonBatch(3, 2 ** -40, scripted)).toEqual([1]);
    expect(words).toEqual([]);
  });

  it.each([
    [0, 0.5, 'invalid examples: expected a whole number >= 1, got 0'],
    [1.5, 0.5, 'invalid examples: expected a whole number >= 1, got 1.5'],
    [3, 0, 'invalid sampleRate: expected above 0 and at most 1, got 0'],
    [3, -0.1, 'invalid sampleRate'],
    [3, 1.001, 'invalid sampleRate'],
    [3, Number.NaN, 'invalid sampleRate'],
  ])('refuse %d examples at rate %d', (n, q, message) => {
    const act = () => poissonBatch(n, q, seededSource(1));
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(message);
  });
});

describe('shuffled batches', () => {
  const sizes = fc.record({
    n: fc.integer({ min: 1, max: 300 }),
    size: fc.integer({ min: 1, max: 320 }),
    seed: fc.nat(),
  });

  it('hold every example once, in batches of one size except for the last', () => {
    const property = fc.property(sizes, ({ n, size, seed }) => {
      const batches = shuffledBatches(n, size, seededSource(seed));
      expect(batches.flat().toSorted((a, b) => a - b)).toEqual(upTo(n));
      expect(batches.slice(0, -1).every((batch) => batch.length === size)).toBe(true);
      expect(batches.at(-1)?.length).toBe(n % size === 0 ? size : n % size);
      expect(shuffledBatches(n, size, seededSource(seed))).toEqual(batches);
    });
    fc.assert(property, { seed: 2 });
  });

  it('differ from seed to seed and from epoch to epoch', () => {
    const source = seededSource(1);
    const [first, second] = [shuffledBatches(100, 10, source), shuffledBatches(100, 10, source)];
    expect(second).not.toEqual(first);
    expect(shuffledBatches(100, 10, seededSource(2))).not.toEqual(first);
  });

  it('put each example into each batch equally often', () => {
    const [source, epochs] = [seededSource(72), 6000];
    const counts = Array<number>(6 * 3).fill(0);
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      for (const [place, batch] of shuffledBatches(6, 2, source).entries()) {
        for (const index of batch) counts[index * 3 + place] = (counts[index * 3 + place] as number) + 1;
      }
    }
    for (const count of counts) expect(deviation(count, epochs, 1 / 3)).toBeLessThan(CRITICAL_NORMAL + 1);
  });

  it.each([
    [0, 1, 'invalid examples'],
    [1, 0, 'invalid batchSize: expected a whole number >= 1, got 0'],
    [10, 2.5, 'invalid batchSize'],
  ])('refuse %d examples in batches of %d', (n, size, message) => {
    const act = () => shuffledBatches(n, size, seededSource(1));
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(message);
  });
});
