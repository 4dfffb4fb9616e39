// Batches of a fixed shape: examples are padded to the bucket's length, and a batch that is not full is filled up with
// rows of weight 0, so that a program compiled once serves every batch.

import { ArgumentError, positiveInteger } from '../checks/index.js';

/** Input ids of several examples as arrays that a compiled graph reads. */
export interface TokenBatch {
  /** Tokens per row, padding included. */
  readonly tokens: number;
  /** Index of the example in each row; the rows after the last index are filler. */
  readonly indices: readonly number[];
  /** [batch, tokens] */
  readonly ids: BigInt64Array;
  /** Shape [batch, tokens], with 1 for tokens, 0 for padding. */
  readonly mask: Float32Array;
  /** Shape [batch], with 1 for examples, 0 for filler rows. */
  readonly weights: Float32Array;
}

/** The shape of a batch's `ids` and `mask`. */
export interface BatchShape {
  /** Rows of the batch. */
  readonly batch: number;
  /** Tokens per row. */
  readonly tokens: number;
}

/**
 * Puts the examples at `indices` into one batch, padded with the token id `padding`. Filler rows hold one visible padding token,
 * so that attention and means have something to read.
 */
export function fillBatch(
  inputIds: readonly (readonly number[])[],
  indices: readonly number[],
  { batch, tokens }: BatchShape,
  padding: number,
): TokenBatch {
  positiveInteger({ batch, tokens });
  if (indices.length > batch) throw new ArgumentError(`expected at most ${batch} examples, got ${indices.length}`);
  const ids = new BigInt64Array(batch * tokens).fill(BigInt(padding));
  const mask = new Float32Array(batch * tokens);
  const weights = new Float32Array(batch);
  for (let row = 0; row < batch; row++) {
    const index = indices[row];
    const example = index === undefined ? [padding] : inputIds[index];
    if (example === undefined)
      throw new ArgumentError(`expected an example index below ${inputIds.length}, got ${index}`);
    if (example.length > tokens || example.length === 0) {
      throw new ArgumentError(`example ${index}: expected 1 to ${tokens} tokens, got ${example.length}`);
    }
    for (const [place, id] of example.entries()) ids[row * tokens + place] = BigInt(id);
    mask.fill(1, row * tokens, row * tokens + example.length);
    if (index !== undefined) weights[row] = 1;
  }
  return { tokens, indices: [...indices], ids, mask, weights };
}

const usualLengths = [16, 32, 64, 128, 256, 512, 1024];

/** Bucket lengths for texts of up to `longest` tokens: 16, 32, 64, … 1024 as far as they are shorter, then `longest`. */
export function lengthBuckets(longest: number): number[] {
  positiveInteger({ longest });
  return [...usualLengths.filter((length) => length < longest), longest];
}

/** The smallest bucket that holds this many tokens. */
export function bucketOf(length: number, buckets: readonly number[]): number {
  if (buckets.length === 0) throw new ArgumentError('expected at least one bucket, got none');
  const longest = Math.max(...buckets);
  if (length > longest) throw new ArgumentError(`expected at most ${longest} tokens, got ${length}`);
  return Math.min(...buckets.filter((tokens) => tokens >= length));
}

/** How `bucketBatches` forms batches. */
export interface BatchOptions {
  /** Rows per batch, or a function that gives it for a bucket's length. */
  readonly batch: number | ((tokens: number) => number);
  /** Lengths in tokens that batches may have; the longest example must fit into one (see `lengthBuckets`). */
  readonly buckets: readonly number[];
  /** Id of the padding token (`tokenizer.special.padding`). */
  readonly padding: number;
}

/**
 * Yields the chosen examples (default: all) as batches. Examples of similar length share a batch, so the order is that of the
 * buckets, not of the examples: use `indices` to put results back.
 */
export function* bucketBatches(
  inputIds: readonly (readonly number[])[],
  { batch, buckets, padding }: BatchOptions,
  chosen: readonly number[] = inputIds.map((_, index) => index),
): Generator<TokenBatch> {
  const groups = new Map<number, number[]>(buckets.map((tokens) => [tokens, []]));
  for (const index of chosen) groups.get(bucketOf(inputIds[index]?.length ?? 0, buckets))?.push(index);
  for (const [tokens, members] of groups) {
    const size = typeof batch === 'number' ? batch : batch(tokens);
    positiveInteger({ batch: size });
    for (let start = 0; start < members.length; start += size) {
      yield fillBatch(inputIds, members.slice(start, start + size), { batch: size, tokens }, padding);
    }
  }
}
