// What a guarantee says about membership attacks: no test tells neighbouring data sets apart better than its trade-off allows (Wasserman & Zhou
// 2010, Kairouz et al. 2015).

import { check } from '../checks/index.js';
import { logGrid } from '../math/index.js';

/**
 * The greatest true positive rate of any membership attack on an (ε, δ)-private model at this false positive rate:
 * min(e^ε·FPR + δ, 1 − e^−ε·(1 − δ − FPR)), never above 1.
 */
export function mostTruePositives(falsePositiveRate: number, epsilon: number, delta: number): number {
  check({ falsePositiveRate }, 'from 0 to 1', (rate) => rate >= 0 && rate <= 1);
  check({ epsilon }, 'a number from 0 on', (value) => value >= 0);
  check({ delta }, 'from 0 to 1', (value) => value >= 0 && value <= 1);
  const steep = falsePositiveRate === 0 ? delta : Math.exp(epsilon) * falsePositiveRate + delta;
  const flat = 1 - Math.exp(-epsilon) * (1 - delta - falsePositiveRate);
  return Math.min(1, steep, flat);
}

/**
 * The curve of `mostTruePositives` over false positive rates from a lowest one to 1, dense on a logarithmic axis and with the corners at which its
 * parts meet.
 */
export function membershipBound(
  lowestRate: number,
  epsilon: number,
  delta: number,
): { readonly falsePositiveRate: number; readonly truePositiveRate: number }[] {
  check({ lowestRate }, 'above 0 and at most 1', (rate) => rate > 0 && rate <= 1);
  const corner = (1 - delta) / (1 + Math.exp(epsilon));
  const corners = [corner, 1 - delta].filter((rate) => rate > lowestRate);
  const rates = [lowestRate, ...corners, ...logGrid(lowestRate, 40)];
  return [...new Set(rates)]
    .sort((a, b) => a - b)
    .map((rate) => ({ falsePositiveRate: rate, truePositiveRate: mostTruePositives(rate, epsilon, delta) }));
}
