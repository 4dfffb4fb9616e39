// Fractions of whole numbers of any size, for samplers whose chances must be exact.

import { check, finite } from '../checks/index.js';

export type Rational = { readonly numerator: bigint; readonly denominator: bigint };

/** The exact value of a double, in lowest terms: every finite double is a whole number over a power of two. */
export function exactRational(value: number): Rational {
  finite({ value });
  let scaled = value;
  let places = 0n;
  // Doubling is exact, and after at most 1074 times every double is whole.
  for (; !Number.isInteger(scaled); places += 1n) scaled *= 2;
  return { numerator: BigInt(scaled), denominator: 1n << places };
}

const written = (value: unknown): string => {
  const { numerator, denominator } = Object(value);
  return numerator === undefined || denominator === undefined ? String(value) : `${numerator}/${denominator}`;
};

/** The argument's own name goes into the error: `checkRational({ sigma }, 1n)`. */
export function checkRational(named: Readonly<Record<string, Rational>>, least: 0n | 1n): void {
  for (const [name, value] of Object.entries(named)) {
    const { numerator, denominator } = Object(value);
    const isWhole = typeof numerator === 'bigint' && typeof denominator === 'bigint';
    if (isWhole && numerator >= least && denominator > 0n) continue;
    check({ [name]: written(value) }, `a fraction of bigints ${least === 0n ? '>=' : '>'} 0`, () => false);
  }
}
