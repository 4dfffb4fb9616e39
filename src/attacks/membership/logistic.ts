// Logistic regression on a few numbers, by Newton's method. Slopes are penalised by half their squares, as in scikit-learn's default, so that
// groups that a threshold separates completely have a fit too.

import { dot, solvePositiveDefinite } from '../../math/index.js';

/** P(y = 1) = 1/(1 + e^−(constant + slopes·x)). */
export interface Logistic {
  readonly constant: number;
  readonly slopes: readonly number[];
}

/** The log-odds of the class 1, which do not saturate as its probability does. */
export const logOddsOf = ({ constant, slopes }: Logistic, x: readonly number[]): number => dot(slopes, x, constant);

/** The probability of the class 1. */
export const probabilityOf = (fit: Logistic, x: readonly number[]): number => 1 / (1 + Math.exp(-logOddsOf(fit, x)));

/** Newton steps; a fit takes about ten. */
const mostSteps = 100;

/** Fits examples of the class 1, and those of the class 0, with as many numbers each. */
export function fitLogistic(ones: readonly (readonly number[])[], zeros: readonly (readonly number[])[]): Logistic {
  const width = 1 + ((ones[0] ?? zeros[0])?.length ?? 0);
  // The constant comes first.
  const fit = new Float64Array(width);
  for (let step = 0; step < mostSteps; step++) {
    // Gradient and curvature of the penalised negative log-likelihood.
    const gradient = fit.slice().fill(0, 0, 1);
    const curvature = new Float64Array(width * width);
    for (let i = 1; i < width; i++) curvature[i * width + i] = 1;
    for (const x of ones) addExample(x, 1, fit, gradient, curvature);
    for (const x of zeros) addExample(x, 0, fit, gradient, curvature);
    const change = solvePositiveDefinite(curvature, gradient).solution;
    let [moved, size] = [0, 1];
    for (let i = 0; i < width; i++) {
      fit[i] = (fit[i] as number) - (change[i] as number);
      moved += Math.abs(change[i] as number);
      size += Math.abs(fit[i] as number);
    }
    if (moved < 1e-12 * size) break;
  }
  const [constant = 0, ...slopes] = fit;
  return { constant, slopes };
}

function addExample(
  x: readonly number[],
  y: number,
  fit: Float64Array,
  gradient: Float64Array,
  curvature: Float64Array,
): void {
  const width = fit.length;
  const at = (i: number): number => (i === 0 ? 1 : (x[i - 1] as number));
  let linear = 0;
  for (let i = 0; i < width; i++) linear += (fit[i] as number) * at(i);
  const p = 1 / (1 + Math.exp(-linear));
  for (let i = 0; i < width; i++) {
    gradient[i] = (gradient[i] as number) + (p - y) * at(i);
    for (let j = 0; j < width; j++)
      curvature[i * width + j] = (curvature[i * width + j] as number) + p * (1 - p) * at(i) * at(j);
  }
}
