// Batches of a fixed shape: rows are padded to the bucket's length, and a batch that is not full is filled with rows of
// weight 0, so that a program compiled once serves every batch.

import { ArgumentError, positiveInteger } from '../checks/index.js';

export interface TokenBatch {
  readonly tokens: number;
  /** Which example stands in each row; rows beyond are filling. */
  readonly indices: readonly number[];
  /** [batch, tokens] */
  readonly ids: BigInt64Array;
  /** [batch, tokens]: 1 for tokens, 0 for padding. */
  readonly mask: Float32Array;
  /** [batch]: 1 for examples, 0 for filling. */
  readonly weights: Float32Array;
}

export interface BatchShape {
  readonly batch: number;
  readonly tokens: number;
}

/** Puts these rows of token ids into one batch. Filling rows hold one padding token, so that attention has something to see. */
export function fillBatch(
  rows: readonly (readonly number[])[],
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
    const example = index === undefined ? [padding] : rows[index];
    if (example === undefined) throw new ArgumentError(`expected an example below ${rows.length}, got ${index}`);
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

/** The usual lengths below `longest`, then `longest` itself. */
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

export interface BatchOptions {
  /** Rows of a batch; may depend on the bucket. */
  readonly batch: number | ((tokens: number) => number);
  readonly buckets: readonly number[];
  readonly padding: number;
}

/** The chosen examples (all, unless given) as batches, short ones together, in the order of the buckets. */
export function* bucketBatches(
  rows: readonly (readonly number[])[],
  { batch, buckets, padding }: BatchOptions,
  chosen: readonly number[] = rows.map((_, index) => index),
): Generator<TokenBatch> {
  const groups = new Map<number, number[]>(buckets.map((tokens) => [tokens, []]));
  for (const index of chosen) groups.get(bucketOf(rows[index]?.length ?? 0, buckets))?.push(index);
  for (const [tokens, members] of groups) {
    const size = typeof batch === 'number' ? batch : batch(tokens);
    positiveInteger({ batch: size });
    for (let start = 0; start < members.length; start += size) {
      yield fillBatch(rows, members.slice(start, start + size), { batch: size, tokens }, padding);
    }
  }
}
