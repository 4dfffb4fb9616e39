// Beta and Dirichlet numbers, from gamma numbers.

import { check } from '../checks/index.js';
import { exp } from '../math/index.js';
import { checkShape, drawGamma, drawGammaLogarithm } from './gamma.js';
import { normal } from './normal.js';
import type { WordSource } from './source.js';

/**
 * For two equal shapes: (1 + n/r) / 2 with r² = n² + χ², where χ² has 2 · shape degrees of freedom (the height of a random
 * point on a sphere). It is computed as the distance to the nearer end, which keeps its digits there.
 */
function drawSymmetric(source: WordSource, shape: number): number {
  const n = normal(source);
  const square = 2 * drawGamma(source, shape);
  const r = Math.sqrt(n * n + square);
  const distance = square / (2 * r * (r + Math.abs(n)));
  return n < 0 ? distance : 1 - distance;
}

/** Draws from the beta distribution: density proportional to x^(firstShape - 1) (1 - x)^(secondShape - 1) on [0, 1]. */
export function beta(source: WordSource, firstShape: number, secondShape: number): number {
  checkShape(firstShape, 'firstShape');
  checkShape(secondShape, 'secondShape');
  if (firstShape < 1 || secondShape < 1) {
    // In logarithms, because both gamma numbers may be too small for a double.
    const first = drawGammaLogarithm(source, firstShape);
    return 1 / (1 + exp(drawGammaLogarithm(source, secondShape) - first));
  }
  if (firstShape === secondShape) return drawSymmetric(source, firstShape);
  const first = drawGamma(source, firstShape);
  return first / (first + drawGamma(source, secondShape));
}

/** Draws shares that sum to 1, with a density proportional to ∏ shareᵢ^(concentrationᵢ - 1). */
export function dirichlet(source: WordSource, concentrations: ArrayLike<number>): Float64Array {
  check({ concentrations }, 'at least one number', (list) => list.length > 0);
  const logarithms = Float64Array.from(concentrations).map((concentration, index) => {
    checkShape(concentration, `concentrations[${index}]`);
    return drawGammaLogarithm(source, concentration);
  });
  const largest = logarithms.reduce((one, other) => Math.max(one, other));
  const weights = logarithms.map((logarithm) => exp(logarithm - largest));
  const sum = weights.reduce((total, weight) => total + weight);
  return weights.map((weight) => weight / sum);
}
