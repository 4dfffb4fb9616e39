// Quantiles of Student's t (1908) through the beta distribution: with ν degrees of freedom, ν/(ν + t²) ~ Beta(ν/2, 1/2).

import { check } from '../checks/index.js';
import { betaincinv } from './beta-quantile.js';

/** The value below which t lies with this probability. Degrees of freedom need not be whole; ∞ gives the normal quantile. */
export function studentQuantile(probability: number, degrees: number): number {
  check({ probability }, 'between 0 and 1', (value) => value > 0 && value < 1);
  check({ degrees }, '> 0', (value) => value > 0);
  if (probability === 0.5) return 0;
  // Beyond 1e15 degrees the quantile differs from the normal one by less than rounding.
  const ν = Math.min(degrees, 1e15);
  const bothTails = 2 * Math.min(probability, 1 - probability);
  const sign = Math.sign(probability - 0.5);
  // The smaller of x = ν/(ν + t²) and 1 − x is computed, so that nothing cancels.
  const x = betaincinv(bothTails, ν / 2, 0.5, false);
  if (x < 0.5) return sign * Math.sqrt((ν * (1 - x)) / x);
  const rest = betaincinv(bothTails, 0.5, ν / 2, true);
  return sign * Math.sqrt((ν * rest) / (1 - rest));
}
