// Normal numbers with the ziggurat, from 64 bits each: 8 choose the layer and 54 others the value (Doornik, "An
// improved ziggurat method to generate normal random samples", 2005, on why they must not be shared).

import { finite, nonNegative } from '../checks/index.js';
import { exp, ln } from '../math/index.js';
import type { RandomSource, WordSource } from './source.js';
import { uniform } from './uniform.js';
import { buildZiggurat, TAIL_START } from './ziggurat.js';

const CHUNK_WORDS = 2048;
const ziggurat = buildZiggurat();

export type NormalOptions = { readonly mean?: number; readonly standardDeviation?: number };

/** A value beyond TAIL_START: Marsaglia, "Generating a variable from the tail of the normal distribution" (1964). */
function tail(source: WordSource): number {
  for (;;) {
    const beyond = -ln(1 - uniform(source)) / TAIL_START;
    const height = -ln(1 - uniform(source));
    if (2 * height > beyond * beyond) return TAIL_START + beyond;
  }
}

/** Decides the one case in 67 that lies outside the sure part of its layer; undefined means: draw again. */
function settle(source: WordSource, layer: number, value: number): number | undefined {
  if (layer === 0) return value < 0 ? -tail(source) : tail(source);
  const { heights } = ziggurat;
  const bottom = heights[layer] as number;
  const height = bottom + uniform(source) * ((heights[layer + 1] as number) - bottom);
  return height < exp(-0.5 * value * value) ? value : undefined;
}

/** A standard normal number; the density has the resolution of 2^-53 of a layer's width. */
export function normal(source: WordSource): number {
  const { edges, scales } = ziggurat;
  for (;;) {
    const upper = source.next();
    const layer = upper & 255;
    const value = ((upper >> 10) * 2 ** 32 + source.next()) * (scales[layer] as number);
    if (Math.abs(value) < (edges[layer + 1] as number)) return value;
    const settled = settle(source, layer, value);
    if (settled !== undefined) return settled;
  }
}

/** The words of a chunk, then those of the source behind it. */
function chunkFirst(chunk: Uint32Array, source: WordSource) {
  const queue = {
    at: 0,
    next: () => (queue.at < chunk.length ? (chunk[queue.at++] as number) : source.next()),
  };
  return queue;
}

/**
 * Fills with normal numbers and returns the array: the same values, and the same position of the source afterwards,
 * as one `normal` per element (rounded in a Float32Array).
 */
export function fillNormal<T extends Float32Array | Float64Array>(
  source: RandomSource,
  array: T,
  { mean = 0, standardDeviation = 1 }: NormalOptions = {},
): T {
  finite({ mean });
  nonNegative({ standardDeviation });
  const { edges, scales } = ziggurat;
  const words = new Uint32Array(Math.min(CHUNK_WORDS, 2 * array.length));
  for (let filled = 0; filled < array.length; ) {
    // Every missing value needs two words or more, so a chunk never asks for too many.
    const chunk = words.subarray(0, 2 * (array.length - filled));
    source.fill(chunk);
    const queue = chunkFirst(chunk, source);
    for (let at = 0; at < chunk.length; ) {
      const upper = chunk[at] as number;
      const layer = upper & 255;
      let value = ((upper >> 10) * 2 ** 32 + (chunk[at + 1] as number)) * (scales[layer] as number);
      at += 2;
      if (Math.abs(value) >= (edges[layer + 1] as number)) {
        queue.at = at;
        const settled = settle(queue, layer, value);
        at = queue.at;
        if (settled === undefined) continue;
        value = settled;
      }
      array[filled++] = mean + standardDeviation * value;
    }
  }
  words.fill(0); // as a cryptographic source wipes its own memory
  return array;
}
