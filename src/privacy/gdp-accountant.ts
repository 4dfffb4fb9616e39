// Gaussian differential privacy (Bu, Dong, Long, Su 2020). Plain Gaussian noise is exact. Sampled steps use the central
// limit theorem, μ = q √(T (exp(1/σ²) − 1)), which may lie on either side of the truth: it is not a bound.

import { type Accountant, type AccountantOptions, makeAccountant, type Rules } from './accountant.js';
import { gaussianDelta, gaussianEpsilon } from './analytic-gaussian.js';
import { refuseReplaceOneSampling } from './refusals.js';
import { type Release, sampledOnce } from './releases.js';

/** Gaussian differential privacy. Exact for normal noise alone; with sampling an approximation that may be below the truth. */
export const gdpAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(rules, options);

/** The total μ: squares add up. */
function total(events: readonly Release[]): number {
  let squares = 0;
  for (const { event, count } of events) {
    const inner = sampledOnce(event);
    if (inner?.event.kind !== 'gaussian') continue;
    const inverse = 1 / inner.event.noiseMultiplier ** 2;
    squares += count * (event.kind === 'gaussian' ? inverse : inner.sampleRate ** 2 * Math.expm1(inverse));
  }
  return Math.sqrt(squares);
}

const label = (events: readonly Release[]) =>
  events.every(({ event }) => event.kind === 'gaussian')
    ? { bound: 'exact' as const }
    : {
        bound: 'approximate' as const,
        warnings: ['a limit for many small steps, not a bound: the truth may be larger'],
      };

const rules: Rules = {
  name: 'gdp',
  refuse(event, relation) {
    const known = sampledOnce(event)?.event.kind === 'gaussian';
    return known ? refuseReplaceOneSampling(event, relation) : 'it counts only normal noise, sampled or not';
  },
  epsilon: (events, delta) => ({ value: gaussianEpsilon(delta, total(events)), ...label(events) }),
  delta: (events, epsilon) => ({ value: gaussianDelta(epsilon, total(events)), ...label(events) }),
};
