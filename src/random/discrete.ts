// Whole-number noise with exactly the stated probabilities: Canonne, Kamath and Steinke, "The discrete Gaussian for
// differential privacy" (NeurIPS 2020). All arithmetic is on whole numbers, so nothing is rounded. The time of a draw
// depends on its value: do not let an adversary measure it.

import { checkRational, type Rational } from './rational.js';
import type { WordSource } from './source.js';
import { integerBelow } from './uniform.js';

/** A uniform whole number in [0, bound), without bias, for bounds of any size. */
function wholeBelow(source: WordSource, bound: bigint): bigint {
  if (bound === 1n) return 0n;
  if (bound <= Number.MAX_SAFE_INTEGER) return BigInt(integerBelow(source, Number(bound)));
  for (;;) {
    let [number, range] = [0n, 1n];
    for (; range < bound; range <<= 32n) number = (number << 32n) | BigInt(source.next());
    const remainder = number % bound;
    if (number - remainder + bound <= range) return remainder;
  }
}

/** True with probability part/whole (below 1): compares a uniform real with it, 32 binary digits at a time. */
function bernoulliFraction(source: WordSource, part: bigint, whole: bigint): boolean {
  for (let rest = part; rest > 0n; ) {
    rest <<= 32n;
    const digits = Number(rest / whole);
    const word = source.next();
    if (word !== digits) return word < digits;
    rest %= whole;
  }
  return false;
}

/** True with probability exp(-1): the case γ = 1 of the series below, whose first factor is certain. */
function bernoulliInverseE(source: WordSource): boolean {
  for (let k = 2; ; k += 1) if (integerBelow(source, k) > 0) return k % 2 === 1;
}

/**
 * Returns true with probability exp(-exponent), exactly; the exponent is a fraction >= 0. For γ < 1 the first k at which a draw with
 * probability γ/k fails is odd with probability 1 - γ + γ²/2! - … (algorithm 1).
 */
export function bernoulliExp(source: WordSource, exponent: Rational): boolean {
  checkRational({ exponent }, 0n);
  return drawExp(source, exponent.numerator, exponent.denominator);
}

function drawExp(source: WordSource, numerator: bigint, denominator: bigint): boolean {
  for (let whole = numerator / denominator; whole > 0n; whole -= 1n) if (!bernoulliInverseE(source)) return false;
  const rest = numerator % denominator;
  for (let k = 1n; ; k += 1n) if (!bernoulliFraction(source, rest, denominator * k)) return k % 2n === 1n;
}

/** Draws a whole number with probability proportional to exp(-|x| / scale), exactly (algorithm 2). The scale is above 0. */
export function discreteLaplace(source: WordSource, scale: Rational): bigint {
  checkRational({ scale }, 1n);
  return drawLaplace(source, scale.numerator, scale.denominator);
}

function drawLaplace(source: WordSource, numerator: bigint, denominator: bigint): bigint {
  for (;;) {
    // Geometric with ratio exp(-1 / numerator): first the remainder modulo `numerator`, then the quotient.
    const remainder = wholeBelow(source, numerator);
    if (!drawExp(source, remainder, numerator)) continue;
    let size = remainder;
    while (bernoulliInverseE(source)) size += numerator;
    size /= denominator;
    const isNegative = (source.next() & 1) === 1;
    // Otherwise 0 would count twice, once with each sign.
    if (!(isNegative && size === 0n)) return isNegative ? -size : size;
  }
}

/** Draws a whole number with probability proportional to exp(-x² / (2 sigma²)), exactly (algorithm 3). Sigma is above 0. */
export function discreteGaussian(source: WordSource, sigma: Rational): bigint {
  checkRational({ sigma }, 1n);
  const { numerator, denominator } = sigma;
  const [square, denominatorSquare] = [numerator * numerator, denominator * denominator];
  const scale = numerator / denominator + 1n;
  const whole = 2n * square * denominatorSquare * scale * scale;
  for (;;) {
    const candidate = drawLaplace(source, scale, 1n);
    // Accepted with probability exp(-γ), γ = (|candidate| - sigma²/scale)² / (2 sigma²), over the common denominator.
    const distance = (candidate < 0n ? -candidate : candidate) * denominatorSquare * scale - square;
    if (drawExp(source, distance * distance, whole)) return candidate;
  }
}
