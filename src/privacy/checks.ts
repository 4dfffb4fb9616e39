// Argument checks that several files of this room share.

import { check } from '../checks/index.js';

type Named<T> = Readonly<Record<string, T>>;

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** δ of a guarantee. */
export const belowOne = (named: Named<number>) =>
  check(named, 'at least 0 and below 1', (value) => isNumber(value) && value >= 0 && value < 1);

/** A probability that may also be certain. */
export const probability = (named: Named<number>) =>
  check(named, 'at least 0 and at most 1', (value) => isNumber(value) && value >= 0 && value <= 1);

/** ε, which may be infinite. */
export const atLeastZero = (named: Named<number>) =>
  check(named, 'a number >= 0', (value) => isNumber(value) && value >= 0);
