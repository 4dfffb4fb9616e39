// Normal numbers by the ziggurat method, from 64 bits each: 8 bits choose the layer and 54 others the value (Doornik, "An
// improved ziggurat method to generate normal random samples", 2005, explains why no bit may do both).

import { finite, nonNegative } from '../checks/index.js';
import { exp, ln } from '../math/index.js';
import type { RandomSource, WordSource } from './source.js';
import { uniform } from './uniform.js';
import { buildZiggurat, TAIL_START } from './ziggurat.js';

const CHUNK_WORDS = 2048;
const { edges, scales, heights } = buildZiggurat();

/** Mean (default 0) and standard deviation (default 1, at least 0) of normal numbers. */
export type NormalOptions = { readonly mean?: number; readonly standardDeviation?: number };

/** A value beyond TAIL_START: Marsaglia, "Generating a variable from the tail of the normal distribution" (1964). */
function tail(source: WordSource): number {
  for (;;) {
    const beyond = -ln(1 - uniform(source)) / TAIL_START;
    const height = -ln(1 - uniform(source));
    if (2 * height > beyond * beyond) return TAIL_START + beyond;
  }
}

/** Decides the one case in 67 outside the part of a layer that is always accepted; undefined means: draw again. */
function settle(source: WordSource, layer: number, value: number): number | undefined {
  if (layer === 0) return value < 0 ? -tail(source) : tail(source);
  const bottom = heights[layer] as number;
  const height = bottom + uniform(source) * ((heights[layer + 1] as number) - bottom);
  return height < exp(-0.5 * value * value) ? value : undefined;
}

/** Draws a standard normal number, with a resolution of 2^-53 of a layer's width. */
export function normal(source: WordSource): number {
  for (;;) {
    const upper = source.next();
    const layer = upper & 255;
    const value = ((upper >> 10) * 2 ** 32 + source.next()) * (scales[layer] as number);
    if (Math.abs(value) < (edges[layer + 1] as number)) return value;
    const settled = settle(source, layer, value);
    if (settled !== undefined) return settled;
  }
}

/** A source of the words of a chunk, followed by those of the source it came from. */
function chunkFirst(chunk: Uint32Array, source: WordSource) {
  const queue = {
    at: 0,
    next: () => (queue.at < chunk.length ? (chunk[queue.at++] as number) : source.next()),
  };
  return queue;
}

/**
 * Turns the words of a chunk from `at` on into values from `count` on, up to the first that is not accepted at once; returns the
 * count then. This loop has no calls and one kind of array, which makes it twice as fast.
 */
function acceptRun(chunk: Uint32Array, at: number, values: Float64Array, count: number): number {
  let filled = count;
  for (let word = at; word < chunk.length; word += 2) {
    const upper = chunk[word] as number;
    const layer = upper & 255;
    const value = ((upper >> 10) * 2 ** 32 + (chunk[word + 1] as number)) * (scales[layer] as number);
    if (Math.abs(value) >= (edges[layer + 1] as number)) break;
    values[filled++] = value;
  }
  return filled;
}

/** Turns all words of a chunk into values, with more words of the source where one needs them; returns how many values. */
function drawFrom(chunk: Uint32Array, source: WordSource, values: Float64Array): number {
  const queue = chunkFirst(chunk, source);
  let count = 0;
  for (;;) {
    const accepted = acceptRun(chunk, queue.at, values, count);
    queue.at += 2 * (accepted - count);
    count = accepted;
    if (queue.at >= chunk.length) return count;
    const upper = queue.next();
    const layer = upper & 255;
    const value = ((upper >> 10) * 2 ** 32 + queue.next()) * (scales[layer] as number);
    const settled = settle(queue, layer, value);
    if (settled !== undefined) values[count++] = settled;
  }
}

/**
 * Fills the array with normal numbers and returns it. The values, and the position of the source afterwards, are those of
 * one `normal` per element (rounded in a Float32Array).
 */
export function fillNormal<T extends Float32Array | Float64Array>(
  source: RandomSource,
  array: T,
  { mean = 0, standardDeviation = 1 }: NormalOptions = {},
): T {
  finite({ mean });
  nonNegative({ standardDeviation });
  const isStandard = mean === 0 && standardDeviation === 1;
  const words = new Uint32Array(Math.min(CHUNK_WORDS, 2 * array.length));
  const values = new Float64Array(words.length / 2);
  for (let filled = 0; filled < array.length; ) {
    // Every value needs at least two words, so a chunk never takes more than will be used.
    const chunk = words.subarray(0, 2 * (array.length - filled));
    source.fill(chunk);
    const count = drawFrom(chunk, source, values);
    if (!isStandard) for (let i = 0; i < count; i++) values[i] = mean + standardDeviation * (values[i] as number);
    array.set(values.subarray(0, count), filled);
    filled += count;
  }
  // Wiped, as a cryptographic source wipes its own memory.
  words.fill(0);
  values.fill(0);
  return array;
}
