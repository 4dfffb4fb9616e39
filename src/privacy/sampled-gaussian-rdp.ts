// Rényi divergence of the Poisson-sampled Gaussian mechanism (Mironov, Talwar, Zhang 2019), exact at all orders:
//   ε_α = log A / (α − 1),  A = E[(1 − q + q exp((2z − 1)/(2σ²)))^α],  z ~ N(0, σ²).
// Whole orders: a finite sum. Others: the trapezoidal rule, whose error falls exponentially with the number of points
// for an analytic integrand that dies off at both ends. Both compute A − 1, so that tiny rates keep their digits.

import { check, logAdd, logSumExp, positive } from '../math/index.js';
import { probability } from './checks.js';

/** Everything further than e^−45 below the peak is beneath the last digit. */
const NEGLIGIBLE = 45;
const LOG_SQRT_TAU = Math.log(2 * Math.PI) / 2;

export const checkOrder = (order: number) =>
  check({ order }, 'a finite number above 1', (value) => Number.isFinite(value) && value > 1);

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

/** The integral in units of σ, w = z/σ. Its nearest singularity is πσ from the real line, which sets the step. */
function anyOrder(q: number, sigma: number, order: number): number {
  const coarse = 0.5;
  const logRest = Math.log1p(-q);
  const logDensity = (w: number) => {
    const logRatio = logAdd(logRest, Math.log(q) + (2 * w * sigma - 1) / (2 * sigma ** 2));
    return order * logRatio - (w * w) / 2;
  };
  const [first, last] = [-20, Math.ceil((order / sigma + 10) / coarse)];
  const scan = Array.from({ length: last - first + 1 }, (_, i) => logDensity((first + i) * coarse));
  const peak = Math.max(...scan);
  // Where the transition between the two peaks carries weight, it needs points of its own.
  const parts = Math.max(1, Math.ceil(coarse / (0.58 * Math.max(sigma, 0.05))));
  const step = coarse / parts;
  const small = peak < 20;
  let sum = 0;
  for (let i = 0; i < scan.length; i++) {
    const near = Math.max(scan[i - 1] ?? -Infinity, scan[i] as number, scan[i + 1] ?? -Infinity);
    if (near < peak - NEGLIGIBLE) continue;
    for (let part = 0; part < parts; part++) {
      const w = (first + i) * coarse + part * step;
      sum += small ? excess(q, sigma, order, w) : Math.exp((part === 0 ? (scan[i] as number) : logDensity(w)) - peak);
    }
  }
  return small ? Math.log1p((sum * step) / Math.sqrt(2 * Math.PI)) : peak + Math.log(sum * step) - LOG_SQRT_TAU;
}

/** The integrand of A − 1: ((1 + u)^α − 1 − αu) φ(w), where u = q(exp(…) − 1) has mean zero. */
function excess(q: number, sigma: number, order: number, w: number): number {
  const u = q * Math.expm1((2 * w * sigma - 1) / (2 * sigma ** 2));
  const logGrowth = order * Math.log1p(u);
  // Far out the power alone overflows although its product with the density is small.
  if (logGrowth > 30) return Math.exp(logGrowth - (w * w) / 2) - (1 + order * u) * Math.exp((-w * w) / 2);
  return (Math.expm1(logGrowth) - order * u) * Math.exp((-w * w) / 2);
}
