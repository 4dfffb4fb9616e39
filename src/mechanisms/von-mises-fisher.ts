// Directional noise: the von Mises–Fisher law on the unit sphere of R^K, with density proportional to exp(κ μᵀy).

import { check, nonNegative, positiveInteger } from '../checks/index.js';
import { dot, ln } from '../math/index.js';
import { chiSquared, fillNormal, normal, type RandomSource, uniform, type WordSource } from '../random/index.js';

/** The parameters of a von Mises–Fisher distribution. */
export interface Directional {
  /** K, at least 2. */
  readonly dimension: number;
  /** κ, at least 0: 0 is uniform on the sphere. The same κ is far more noise in more dimensions. */
  readonly concentration: number;
}

export function checkDirectional({ dimension, concentration }: Directional): void {
  positiveInteger({ dimension });
  check({ dimension }, 'at least 2', (size) => size >= 2);
  nonNegative({ concentration });
}

export interface CosineAndSine {
  readonly cosine: number;
  readonly sine: number;
}

/**
 * W = ⟨y, μ⟩ of one draw and √(1 − W²), by Wood's rejection (1994). With m = K − 1 the envelope is W = x₀ + Δ for
 * Z ~ Beta(m/2, m/2); b, 1 − b, 1 − W and √(1 − W²) are each computed without cancellation.
 */
export function drawCosine(source: WordSource, { dimension, concentration: kappa }: Directional): CosineAndSine {
  const m = dimension - 1;
  const s = Math.sqrt(4 * kappa * kappa + m * m);
  const b = m / (2 * kappa + s);
  const oneMinusB = (2 * kappa + (4 * kappa * kappa) / (s + m)) / (2 * kappa + s);
  const x0 = oneMinusB / (1 + b);
  const span = (4 * b) / (1 + b) ** 2; // 1 − x₀²
  for (;;) {
    // Z = (1 + u)/2 with u = n/√(n² + χ²), so that Z(1 − Z) = χ²/(4(n² + χ²)).
    const n = normal(source);
    const square = chiSquared(source, m);
    const radius = Math.sqrt(n * n + square);
    const z = n < 0 ? square / (2 * radius * (radius - n)) : (1 + n / radius) / 2;
    const denominator = 1 - oneMinusB * z;
    const oneMinusW = (2 * b * z) / denominator;
    const delta = (2 * b) / (1 + b) - oneMinusW;
    if (kappa * delta + m * Math.log1p((-x0 * delta) / span) < logUniform(source)) continue;
    return { cosine: 1 - oneMinusW, sine: (Math.sqrt(b) * Math.sqrt(square)) / radius / denominator };
  }
}

/** The logarithm of a uniform number above 0. */
function logUniform(source: WordSource): number {
  for (;;) {
    const number = uniform(source);
    if (number > 0) return ln(number);
  }
}

/**
 * Draws a von Mises–Fisher direction around the unit vector `direction`, into a new array of its type or into `into`. It takes one
 * Gaussian vector, which goes into `noise`, and no rotation. The result is not on a grid: round it before release.
 */
export function drawDirection(
  source: RandomSource,
  direction: Float32Array | Float64Array,
  concentration: number,
  into: Float32Array | Float64Array = direction.slice(),
  noise: Float64Array = new Float64Array(direction.length),
): Float32Array | Float64Array {
  const dimension = direction.length;
  checkDirectional({ dimension, concentration });
  const length = Math.sqrt(dot(direction, direction));
  check({ 'length of the direction': length }, '1', (value) => Math.abs(value - 1) < 1e-4);
  const { cosine, sine } = drawCosine(source, { dimension, concentration });
  const g = fillNormal(source, noise);
  let [product, square] = [0, 0];
  for (let i = 0; i < dimension; i++) {
    product += (g[i] as number) * (direction[i] as number);
    square += (g[i] as number) * (g[i] as number);
  }
  const along = product / length;
  const rest = Math.sqrt(Math.max(0, square - along * along));
  for (let i = 0; i < dimension; i++) {
    const mu = (direction[i] as number) / length;
    into[i] = cosine * mu + (sine * ((g[i] as number) - along * mu)) / rest;
  }
  return into;
}

/**
 * The mean cosine of draws to their direction, A_K(κ) = I_{K/2}(κ)/I_{K/2−1}(κ). Computed backwards by
 * r_ν = 1/(2(ν + 1)/κ + r_{ν+1}), from an order so high that the bound it starts with (Amos 1974) is exact for a double.
 */
export function meanCosine({ dimension, concentration: kappa }: Directional): number {
  checkDirectional({ dimension, concentration: kappa });
  if (kappa === 0) return 0;
  const order = dimension / 2 - 1;
  const steps = Math.ceil(40 + 10 * Math.sqrt(Math.min(kappa, 1e10)));
  const top = order + steps;
  let ratio = kappa / (top + 0.5 + Math.sqrt((top + 1.5) ** 2 + kappa * kappa));
  for (let nu = top - 1; nu >= order; nu--) ratio = 1 / ((2 * (nu + 1)) / kappa + ratio);
  return ratio;
}
