// Gamma, chi and chi-squared numbers: Marsaglia and Tsang, "A simple method for generating gamma variables" (ACM
// TOMS 26(3), 2000). Float64 throughout.

import { check, positive } from '../checks/index.js';
import { exp, ln } from '../math/index.js';
import { exponential } from './exponential.js';
import { normal } from './normal.js';
import type { WordSource } from './source.js';
import { uniform } from './uniform.js';

const [SMALLEST_SHAPE, LARGEST_SHAPE] = [1e-300, 1e300];

/** Throws outside the bounds within which the logarithm of every draw is finite. */
export function checkShape(shape: number, name: string): void {
  // The named check costs more than a draw, so it runs only to throw.
  if (shape >= SMALLEST_SHAPE && shape <= LARGEST_SHAPE) return;
  check({ [name]: shape }, `between ${SMALLEST_SHAPE} and ${LARGEST_SHAPE}`, () => false);
}

/**
 * The logarithm of the probability of accepting d(1 + t)³, where t = x / √(9d) for a normal x:
 * x²/2 + d(1 - v + ln v) with v = (1 + t)³, which is 3d(ln(1 + t) - t + t²/2 - t³/3).
 * For small t the terms cancel, so the series of their difference is used.
 */
function acceptLogarithm(d: number, t: number): number {
  if (Math.abs(t) > 0.01) return 3 * d * (ln(1 + t) - t * (1 - t * (1 / 2 - t / 3)));
  let sum = 0;
  for (let power = 10; power >= 4; power -= 1) sum = (power % 2 === 0 ? -1 : 1) / power + t * sum;
  return 3 * d * (t * t) * (t * t) * sum;
}

/** For shapes of at least 1. */
function drawLarge(source: WordSource, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / (3 * Math.sqrt(d));
  for (;;) {
    const x = normal(source);
    const root = 1 + c * x;
    if (root <= 0) continue;
    const chance = uniform(source);
    // A lower bound of that probability, from the same paper, nearly always avoids the logarithms.
    const isSure = chance < 1 - 0.0331 * (x * x) * (x * x);
    if (isSure || ln(chance) < acceptLogarithm(d, c * x)) return d * root * root * root;
  }
}

/** `gamma` without checks. For a shape below 1: a draw of shape + 1, times U^(1/shape). */
export function drawGamma(source: WordSource, shape: number): number {
  if (shape >= 1) return drawLarge(source, shape);
  return drawLarge(source, shape + 1) * exp(-exponential(source) / shape);
}

/** The logarithm of such a draw, which stays finite where the draw itself is too small for a double. */
export function drawGammaLogarithm(source: WordSource, shape: number): number {
  if (shape >= 1) return ln(drawLarge(source, shape));
  return ln(drawLarge(source, shape + 1)) - exponential(source) / shape;
}

/**
 * Draws from the gamma distribution: density proportional to x^(shape - 1) exp(-x / scale) for x >= 0, with a shape from
 * 1e-300 to 1e300. The result is 0 where it is too small for a double, which happens for shapes below .05.
 */
export function gamma(source: WordSource, shape: number, scale = 1): number {
  checkShape(shape, 'shape');
  if (!(scale > 0 && scale < Number.POSITIVE_INFINITY)) positive({ scale });
  return scale * drawGamma(source, shape);
}

/** Draws from the chi-squared distribution: the sum of `degrees` squared normal numbers. The degrees need not be whole. */
export function chiSquared(source: WordSource, degrees: number): number {
  checkShape(degrees, 'degrees');
  return 2 * drawGamma(source, degrees / 2);
}

/** Draws from the chi distribution: the length of a vector of `degrees` normal numbers. */
export const chi = (source: WordSource, degrees: number): number => Math.sqrt(chiSquared(source, degrees));
