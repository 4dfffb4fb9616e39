// Fractions of whole numbers of any size, for samplers whose probabilities must be exact.

import { check, finite } from '../checks/index.js';

/** A fraction of whole numbers of any size; the denominator is above 0. */
export type Rational = { readonly numerator: bigint; readonly denominator: bigint };

/** The exact value of a double as a fraction in lowest terms: every finite double is a whole number over a power of two. */
export function exactRational(value: number): Rational {
  finite({ value });
  let scaled = value;
  let places = 0n;
  // Doubling is exact, and at most 1074 doublings make every double whole.
  for (; !Number.isInteger(scaled); places += 1n) scaled *= 2;
  return { numerator: BigInt(scaled), denominator: 1n << places };
}

const written = (value: unknown): string => {
  const { numerator, denominator } = Object(value);
  return numerator === undefined || denominator === undefined ? String(value) : `${numerator}/${denominator}`;
};

/** Checks a fraction. The shorthand object gives the error its name: `checkRational({ sigma }, 1n)`. */
export function checkRational(named: Readonly<Record<string, Rational>>, least: 0n | 1n): void {
  for (const [name, value] of Object.entries(named)) {
    const { numerator, denominator } = Object(value);
    const isWhole = typeof numerator === 'bigint' && typeof denominator === 'bigint';
    if (isWhole && numerator >= least && denominator > 0n) continue;
    check({ [name]: written(value) }, `a fraction of bigints ${least === 0n ? '>=' : '>'} 0`, () => false);
  }
}
