// Random orders.

import { check } from '../checks/index.js';
import type { WordSource } from './source.js';
import { integerBelow } from './uniform.js';

const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0 && count < 2 ** 32;

/** Draws a permutation of the numbers 0 … count - 1, every order equally likely: Durstenfeld (CACM 7(7), 1964). */
export function permutation(source: WordSource, count: number): Uint32Array {
  check({ count }, 'a whole number from 0 to 2^32 - 1', isCount);
  const order = new Uint32Array(count).map((_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const chosen = integerBelow(source, last + 1);
    const moved = order[chosen] as number;
    order[chosen] = order[last] as number;
    order[last] = moved;
  }
  return order;
}

/** Returns a copy of the list in random order. */
export const shuffled = <T>(source: WordSource, list: readonly T[]): T[] =>
  Array.from(permutation(source, list.length), (index) => list[index] as T);
