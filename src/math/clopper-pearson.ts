// Exact confidence intervals for a proportion (Clopper and Pearson 1934): quantiles of beta distributions.

import { check, nonNegativeInteger, positiveInteger } from '../checks/index.js';
import { betaincinv } from './beta-quantile.js';

/** An interval with both ends. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** An interval that covers the true proportion with at least this confidence; the error is split evenly between both sides. */
export function clopperPearson(successes: number, trials: number, confidence: number): Interval {
  positiveInteger({ trials });
  nonNegativeInteger({ successes });
  check({ successes }, `at most ${trials}`, (value) => value <= trials);
  check({ confidence }, 'between 0 and 1', (value) => value > 0 && value < 1);
  const tail = (1 - confidence) / 2;
  return {
    lower: successes === 0 ? 0 : betaincinv(tail, successes, trials - successes + 1, false),
    upper: successes === trials ? 1 : betaincinv(tail, successes + 1, trials - successes, true),
  };
}
