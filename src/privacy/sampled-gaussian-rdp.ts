// Rényi divergence of the Poisson-sampled Gaussian mechanism (Mironov, Talwar, Zhang 2019), exact at all orders:
//   ε_α = log A / (α − 1),  A = E[(1 − q + q exp((2z − 1)/(2σ²)))^α],  z ~ N(0, σ²).
// Whole orders: a finite sum. Others: the trapezoidal rule, whose error falls exponentially with the number of points
// for an analytic integrand that dies off at both ends. Both compute A − 1, so that tiny rates keep their digits.

import { check, positive } from '../checks/index.js';
import { logAdd, logSumExp } from '../math/index.js';
import { probability } from './checks.js';

/** A factor of e^−45 below the peak is beneath the last digit. */
const NEGLIGIBLE = 45;
const LOG_SQRT_TAU = Math.log(2 * Math.PI) / 2;

export const checkOrder = (order: number) =>
  check({ order }, 'a finite number above 1', (value) => Number.isFinite(value) && value > 1);

/** The Rényi divergence, of an order above 1, of one step of the Poisson-sampled Gaussian mechanism. */
export function sampledGaussianRdp(sampleRate: number, noiseMultiplier: number, order: number): number {
  probability({ sampleRate });
  positive({ noiseMultiplier });
  checkOrder(order);
  return sampledGaussianDivergence(sampleRate, noiseMultiplier, order);
}

/** The same without checks, for searches over orders. */
export function sampledGaussianDivergence(sampleRate: number, noiseMultiplier: number, order: number): number {
  if (sampleRate === 0) return 0;
  const variance = noiseMultiplier ** 2;
  if (sampleRate === 1) return order / (2 * variance);
  const logA = Number.isInteger(order)
    ? wholeOrder(sampleRate, variance, order)
    : anyOrder(sampleRate, noiseMultiplier, order);
  return Math.max(0, logA / (order - 1));
}

/** A − 1 = Σ_{i ≥ 2} C(α, i) (1 − q)^{α−i} q^i (exp((i² − i)/(2σ²)) − 1): all terms are positive. */
function wholeOrder(q: number, variance: number, order: number): number {
  const [logQ, logRest] = [Math.log(q), Math.log1p(-q)];
  const logs = new Float64Array(order - 1);
  let logBinomial = Math.log(order);
  for (let i = 2; i <= order; i++) {
    logBinomial += Math.log((order - i + 1) / i);
    const exponent = (i * (i - 1)) / (2 * variance);
    const logGrowth = exponent > 30 ? exponent : Math.log(Math.expm1(exponent));
    logs[i - 2] = logBinomial + i * logQ + (order - i) * logRest + logGrowth;
  }
  return logAdd(0, logSumExp(logs));
}

/** Below this noise the two outcomes, sampled or not, never overlap, and the integral is the sum of two. */
const SEPARATE = 0.01;

/**
 * The integral in units of σ, w = z/σ. The power is at most 2^α times the larger of its two terms, so the integrand lies near
 * 0 and α/σ, and that of A − 1 at tiny rates near 2/σ. Its nearest singularity is πσ from the real line, which sets
 * the step; a normal density alone would allow 0.7.
 */
function anyOrder(q: number, sigma: number, order: number): number {
  const [logQ, logRest] = [Math.log(q), Math.log1p(-q)];
  if (sigma < SEPARATE) return logAdd(order * logRest, order * logQ + (order * (order - 1)) / (2 * sigma ** 2));
  const step = Math.min(0.7, 0.58 * Math.max(sigma, 0.05));
  const points = latticeNear([0, order / sigma, 2 / sigma], Math.sqrt(2 * (NEGLIGIBLE + order * Math.LN2)), step);
  const logRatios = points.map((w) => {
    const loss = (2 * w * sigma - 1) / (2 * sigma ** 2);
    return loss < 30 ? Math.log1p(q * Math.expm1(loss)) : logAdd(logRest, logQ + loss);
  });
  const logDensity = (i: number) => order * (logRatios[i] as number) - (points[i] as number) ** 2 / 2;
  let [peak, sum] = [Number.NEGATIVE_INFINITY, 0];
  for (let i = 0; i < points.length; i++) peak = Math.max(peak, logDensity(i));
  if (peak < 20) {
    for (let i = 0; i < points.length; i++) sum += excess(order, logRatios[i] as number, points[i] as number);
    return Math.log1p((sum * step) / Math.sqrt(2 * Math.PI));
  }
  for (let i = 0; i < points.length; i++) sum += Math.exp(logDensity(i) - peak);
  return peak + Math.log(sum * step) - LOG_SQRT_TAU;
}

/** Multiples of the step at most `reach` from one of the centres, each once. */
function latticeNear(centres: readonly number[], reach: number, step: number): Float64Array {
  const points: number[] = [];
  let next = Number.NEGATIVE_INFINITY;
  for (const centre of centres.toSorted((a, b) => a - b)) {
    const last = Math.floor((centre + reach) / step);
    for (let i = Math.max(next, Math.ceil((centre - reach) / step)); i <= last; i++) points.push(i * step);
    next = last + 1;
  }
  return Float64Array.from(points);
}

/** The integrand of A − 1: ((1 + u)^α − 1 − αu) exp(−w²/2), where 1 + u is the ratio and u has mean zero. */
function excess(order: number, logRatio: number, w: number): number {
  const [logPower, logNormal] = [order * logRatio, (-w * w) / 2];
  if (logPower < 30) return (Math.expm1(logPower) - order * Math.expm1(logRatio)) * Math.exp(logNormal);
  // Far out each factor overflows although their product with the density is small.
  return Math.exp(logPower + logNormal) - order * Math.exp(logRatio + logNormal) + (order - 1) * Math.exp(logNormal);
}
