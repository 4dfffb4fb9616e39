// Yes or no with exactly the given probability.

import { check } from '../checks/index.js';
import type { WordSource } from './source.js';

/**
 * Returns true with the given probability, from 0 to 1. It compares a uniform real with the probability, 32 binary digits at
 * a time, until they differ, so the chance is the double itself and not a rounded one. One word is nearly always enough.
 */
export function bernoulli(source: WordSource, probability: number): boolean {
  if (!(probability >= 0 && probability <= 1)) check({ probability }, 'between 0 and 1', () => false);
  if (probability === 1) return true;
  for (let rest = probability; ; ) {
    // Exact: multiplying by a power of two and subtracting the whole part.
    rest *= 2 ** 32;
    const digits = Math.floor(rest);
    const word = source.next();
    if (word !== digits) return word < digits;
    rest -= digits;
    if (rest === 0) return false;
  }
}
