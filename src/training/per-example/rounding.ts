// A proved bound on what float32 rounding does to the norm of a gradient (analysis: docs/training.md, "What rounding can do").

import { ArgumentError } from '../../checks/index.js';

/** Unit roundoff u of float32: one operation errs by at most this share of its result. */
const unitRoundoff = 2 ** -24;

/** Up to this many terms, 2·n·u covers γ_n and the rounding of the bound's own calculation. */
const mostTerms = 2 ** 20;

/**
 * How far a chain of `terms` float32 operations (a sum of that many terms, in any order, with or without fused multiply-add) is
 * from its exact value, as a share of the sum of the terms' absolute values: γ_n = n·u/(1 − n·u), doubled for n·u ≤ 1/16 so that
 * it may itself be computed in float32, from token norms that were rounded as well.
 */
export function roundingShare(terms: number): number {
  if (terms > mostTerms) {
    throw new ArgumentError(
      `a gradient is a sum of ${terms} terms, more than the ${mostTerms} for which its rounding is bounded: use fewer tokens`,
    );
  }
  return 2 * terms * unitRoundoff;
}

/**
 * Added to the square of a token's norm before it bounds an error: a product below float32's range loses up to 2⁻¹⁵⁰, which 2¹⁶
 * terms make 2⁻¹³⁴. The bound then counts that as far less than one rounding.
 */
export const tokenFloor = 2 ** -100;

/** Added to the square of a norm: what is lost below float32's range while squares are added up. */
export const squareFloor = 2 ** -120;

/** Operations between the sum of squares and a factor (root, room, division, product with the weight), each rounded, and one to spare. */
export const lastOperations = 8;
