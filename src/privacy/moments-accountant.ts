// The moments accountant (Abadi et al. 2016): log moments of the privacy loss for whole λ up to 32, and
// δ = min over λ of exp(α(λ) − λε). α(λ) is λ times the Rényi divergence of order λ + 1. The conversion and the few moments
// make it looser than the Rényi accountant.

import { type Accountant, type AccountantOptions, makeAccountant, type Rules } from './accountant.js';
import { failure, totalRdp } from './rdp.js';
import { refuseReplaceOneSampling, refuseUnknownSampling } from './refusals.js';
import type { Release } from './releases.js';

const LAMBDAS = Array.from({ length: 32 }, (_, i) => i + 1);

/** The moments accountant of Abadi et al. 2016, for comparison with their figures. It never goes below ln(1/δ)/32. */
export const momentsAccountant = (options: AccountantOptions = {}): Accountant => makeAccountant(rules, options);

const moments = (events: readonly Release[]) =>
  LAMBDAS.map((lambda) => ({ lambda, moment: lambda * totalRdp(events, lambda + 1) }));

const rules: Rules = {
  name: 'moments',
  refuse: (event, relation) =>
    failure([{ event, count: 1 }]) > 0
      ? 'an event with a δ of its own has no moments'
      : (refuseReplaceOneSampling(event, relation) ?? refuseUnknownSampling(event)),
  epsilon(events, delta) {
    if (events.length === 0) return { value: 0, bound: 'upper' };
    const values = moments(events).map(({ lambda, moment }) => (moment - Math.log(delta)) / lambda);
    return { value: Math.max(0, Math.min(...values)), bound: 'upper' };
  },
  delta(events, epsilon) {
    if (events.length === 0) return { value: 0, bound: 'upper' };
    const values = moments(events).map(({ lambda, moment }) =>
      moment === Number.POSITIVE_INFINITY ? 1 : Math.exp(moment - lambda * epsilon),
    );
    return { value: Math.min(1, ...values), bound: 'upper' };
  },
};
