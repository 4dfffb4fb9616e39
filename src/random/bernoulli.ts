// A yes or no with exactly the probability given.

import { check } from '../checks/index.js';
import type { WordSource } from './source.js';

/**
 * Compares a uniform real with the probability, 32 binary digits at a time, until they differ: the chance of `true` is the
 * double itself, not a rounded one. One word nearly always.
 */
export function bernoulli(source: WordSource, probability: number): boolean {
  if (!(probability >= 0 && probability <= 1)) check({ probability }, 'between 0 and 1', () => false);
  if (probability === 1) return true;
  for (let rest = probability; ; ) {
    // Exact: a product with a power of two, and taking off the whole part.
    rest *= 2 ** 32;
    const digits = Math.floor(rest);
    const word = source.next();
    if (word !== digits) return word < digits;
    rest -= digits;
    if (rest === 0) return false;
  }
}
