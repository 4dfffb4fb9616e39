// Uniform numbers, and whole numbers without bias.

import { positiveInteger } from '../checks/index.js';
import type { RandomSource, WordSource } from './source.js';

const CHUNK_WORDS = 2048;

/** Draws a uniform number in [0, 1): a multiple of 2^-53, all equally likely. Takes two words. */
export const uniform = (source: WordSource): number => ((source.next() >>> 11) * 2 ** 32 + source.next()) * 2 ** -53;

/**
 * Fills the array with uniform numbers in [0, 1) and returns it. A Float64Array gets the numbers of repeated `uniform`; a
 * Float32Array gets multiples of 2^-24, from one word each, because rounding 53 bits to 24 could give 1.
 */
export function fillUniform<T extends Float32Array | Float64Array>(source: RandomSource, array: T): T {
  const perValue = array.BYTES_PER_ELEMENT / 4;
  const words = new Uint32Array(Math.min(CHUNK_WORDS, perValue * array.length));
  for (let filled = 0; filled < array.length; ) {
    const chunk = words.subarray(0, perValue * (array.length - filled));
    source.fill(chunk);
    if (perValue === 1) {
      for (let at = 0; at < chunk.length; at += 1) array[filled++] = ((chunk[at] as number) >>> 8) * 2 ** -24;
    } else {
      for (let at = 0; at < chunk.length; at += 2) {
        array[filled++] = (((chunk[at] as number) >>> 11) * 2 ** 32 + (chunk[at + 1] as number)) * 2 ** -53;
      }
    }
  }
  words.fill(0); // wiped, as a cryptographic source wipes its own memory
  return array;
}

/**
 * Draws a uniform whole number in [0, bound), for bounds from 1 to 2^53 - 1. A number of the generator is accepted only if
 * its whole run of `bound` numbers lies inside the generator's range, so there is no bias.
 */
export function integerBelow(source: WordSource, bound: number): number {
  // The named check costs more than a draw, so it runs only to throw.
  if (!Number.isSafeInteger(bound) || bound < 1) positiveInteger({ bound });
  if (bound < 2 ** 32) {
    for (;;) {
      const word = source.next() >>> 0;
      const remainder = word % (bound >>> 0); // both marked as 32 bits: a machine division
      if (word - remainder + bound <= 2 ** 32) return remainder;
    }
  }
  for (;;) {
    const number = (source.next() >>> 11) * 2 ** 32 + source.next();
    const remainder = number % bound;
    if (number - remainder <= 2 ** 53 - bound) return remainder;
  }
}
