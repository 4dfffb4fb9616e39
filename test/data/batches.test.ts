// Batches of a fixed shape: every chosen example is in one row, and filler cannot be mistaken for an example.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { bucketBatches, bucketOf, fillBatch, lengthBuckets } from '../../src/data/index.js';

const row = (list: ArrayLike<number | bigint>, at: number, length: number) =>
  Array.from(list)
    .slice(at * length, (at + 1) * length)
    .map(Number);

describe('fillBatch', () => {
  const rows = [[5, 6, 7], [8], [9, 10]];

  it('pads examples, masks padding, and fills up with rows of weight 0 that hold one visible token', () => {
    const batch = fillBatch(rows, [2, 0], { batch: 4, tokens: 4 }, 99);
    expect(batch.tokens).toBe(4);
    expect(batch.indices).toEqual([2, 0]);
    expect(batch.ids).toEqual(BigInt64Array.from([9, 10, 99, 99, 5, 6, 7, 99, ...Array(8).fill(99)], BigInt));
    expect(batch.mask).toEqual(Float32Array.of(1, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0));
    expect(batch.weights).toEqual(Float32Array.of(1, 1, 0, 0));
  });

  it('accepts examples of full length and an empty batch', () => {
    expect(fillBatch(rows, [0], { batch: 1, tokens: 3 }, 0).mask).toEqual(Float32Array.of(1, 1, 1));
    const empty = fillBatch(rows, [], { batch: 2, tokens: 2 }, 0);
    expect(empty).toMatchObject({ indices: [], mask: Float32Array.of(1, 0, 1, 0), weights: new Float32Array(2) });
  });

  it('copies the list of indices', () => {
    const indices = [0, 1];
    const batch = fillBatch(rows, indices, { batch: 2, tokens: 3 }, 0);
    indices.reverse();
    expect(batch.indices).toEqual([0, 1]);
  });

  it.each([
    ['a row that is too long', [0], { batch: 1, tokens: 2 }, 'example 0: expected 1 to 2 tokens, got 3'],
    ['an empty row', [3], { batch: 1, tokens: 2 }, 'example 3: expected 1 to 2 tokens, got 0'],
    ['too many examples', [0, 1], { batch: 1, tokens: 4 }, 'expected at most 1 examples, got 2'],
    ['an example that is not there', [4], { batch: 1, tokens: 4 }, 'expected an example index below 4, got 4'],
    ['a negative number', [-1], { batch: 1, tokens: 4 }, 'expected an example index below 4, got -1'],
    ['no rows', [], { batch: 0, tokens: 4 }, 'invalid batch: expected a whole number >= 1, got 0'],
    ['part of a row', [], { batch: 1.5, tokens: 4 }, 'invalid batch: expected a whole number >= 1, got 1.5'],
    ['no tokens', [], { batch: 1, tokens: 0 }, 'invalid tokens: expected a whole number >= 1, got 0'],
  ])('refuses %s', (_, indices, shape, message) => {
    const act = () => fillBatch([...rows, []], indices, shape, 0);
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(message);
  });
});

describe('buckets', () => {
  it('are the usual lengths, then the longest', () => {
    expect(lengthBuckets(1)).toEqual([1]);
    expect(lengthBuckets(16)).toEqual([16]);
    expect(lengthBuckets(100)).toEqual([16, 32, 64, 100]);
    expect(lengthBuckets(2000)).toEqual([16, 32, 64, 128, 256, 512, 1024, 2000]);
    expect(() => lengthBuckets(0)).toThrow('invalid longest');
  });

  it('gives the smallest that holds an example, in whatever order they are listed', () => {
    const lists = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 });
    const property = fc.property(lists, fc.integer({ min: 0, max: 70 }), (buckets, length) => {
      const longest = Math.max(...buckets);
      if (length > longest) {
        expect(() => bucketOf(length, buckets)).toThrow(`expected at most ${longest} tokens, got ${length}`);
        return;
      }
      const chosen = bucketOf(length, buckets);
      expect(buckets).toContain(chosen);
      expect(chosen).toBeGreaterThanOrEqual(length);
      expect(buckets.filter((tokens) => tokens >= length && tokens < chosen)).toEqual([]);
    });
    fc.assert(property, { seed: 1 });
  });
});

describe('bucketBatches', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 70 }), { maxLength: 60 });
  const example = fc.record({
    lengths,
    batch: fc.integer({ min: 1, max: 9 }),
    longest: fc.integer({ min: 70, max: 80 }),
    keep: fc.nat(2 ** 31 - 1),
    perBucket: fc.boolean(),
  });

  it('holds every chosen example once, unchanged, in the smallest bucket that fits', () => {
    const property = fc.property(example, ({ lengths, batch, longest, keep, perBucket }) => {
      const rows = lengths.map((length, index) => Array.from({ length }, (_, place) => 1000 * index + place + 1));
      const chosen = rows.map((_, index) => index).filter((index) => (keep >> (index % 31)) & 1);
      const buckets = lengthBuckets(longest);
      const sizeOf = (tokens: number) => (perBucket ? batch + (tokens % 3) : batch);
      const options = { batch: perBucket ? sizeOf : batch, buckets, padding: 0 };
      const batches = [...bucketBatches(rows, options, chosen)];
      const seen = batches.flatMap(({ indices }) => indices);
      expect(seen.toSorted((a, b) => a - b)).toEqual(chosen);
      const order = batches.map(({ tokens }) => buckets.indexOf(tokens));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      for (const { tokens, indices, ids, mask, weights } of batches) {
        const size = sizeOf(tokens);
        expect([ids.length, mask.length, weights.length]).toEqual([size * tokens, size * tokens, size]);
        expect(Array.from(weights)).toEqual(Array.from({ length: size }, (_, at) => (at < indices.length ? 1 : 0)));
        for (let at = 0; at < size; at += 1) {
          const own = at < indices.length ? (rows[indices[at] as number] as number[]) : [0];
          const rest = Array<number>(tokens - own.length).fill(0);
          expect(row(ids, at, tokens)).toEqual([...own, ...rest]);
          expect(row(mask, at, tokens)).toEqual([...own.map(() => 1), ...rest]);
          if (at < indices.length) expect(buckets.filter((wide) => wide >= own.length && wide < tokens)).toEqual([]);
        }
      }
      // Only the last batch of a bucket may have room left.
      for (const [place, { tokens, indices }] of batches.entries()) {
        if (batches[place + 1]?.tokens === tokens) expect(indices.length).toBe(sizeOf(tokens));
        expect(indices.length).toBeGreaterThan(0);
      }
    });
    fc.assert(property, { seed: 1, numRuns: 60 });
  });

  it('takes all examples by default', () => {
    const options = { batch: 2, buckets: [2, 4], padding: 0 };
    const batches = [...bucketBatches([[1, 2, 3], [1], [1, 2], [4]], options)];
    expect(batches.map(({ tokens, indices }) => ({ tokens, indices }))).toEqual([
      { tokens: 2, indices: [1, 2] },
      { tokens: 2, indices: [3] },
      { tokens: 4, indices: [0] },
    ]);
    expect([...bucketBatches([], options)]).toEqual([]);
    expect([...bucketBatches([[1]], options, [])]).toEqual([]);
  });

  it.each([
    ['a row longer than the last bucket', [[1, 2, 3]], [0], {}, 'expected at most 2 tokens, got 3'],
    ['an empty row', [[]], [0], {}, 'example 0: expected 1 to 2 tokens, got 0'],
    ['an example that is not there', [[1]], [7], {}, 'expected an example index below 1, got 7'],
    ['batches of nothing', [[1]], [0], { batch: 0 }, 'invalid batch: expected a whole number >= 1, got 0'],
    ['batches of nothing by bucket', [[1]], [0], { batch: () => 0 }, 'invalid batch'],
    ['no buckets', [[1]], [0], { buckets: [] }, 'expected at least one bucket'],
  ])('refuses %s', (_, rows, chosen, options, message) => {
    const act = () => [...bucketBatches(rows, { batch: 2, buckets: [2], padding: 0, ...options }, chosen)];
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(message);
  });
});
