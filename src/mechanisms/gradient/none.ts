// No mechanism: gradients are summed and used as they are, without a guarantee.

import { cosineUnderNoise } from './expected-cosine.js';
import type { GradientMechanism } from './gradient-mechanism.js';
import { scaleGradients } from './gradient-noise.js';
import type { NotPromised, PlanBase } from './plan.js';
import { sumOf } from './vectors.js';

export interface NoneOptions {
  readonly mechanism: 'none';
}

export type NonePlan = PlanBase<'none'> & NotPromised & { readonly sampler: { readonly kind: 'shuffled' } };

export interface NoneProtection {
  readonly mechanism: 'none';
}

export const none = {
  name: 'none',
  words: {
    label: 'no noise',
    short: 'no noise',
    definition: 'Gradients are used and shared as they are, without a guarantee.',
  },

  planOptions: {},
  planNeeds: [],
  plan: (_, sizes): NonePlan => ({ mechanism: 'none', ...sizes, sampler: { kind: 'shuffled' }, notes: [] }),
  optionsOf: () => ({ mechanism: 'none' }),
  describePlan: () => 'none',
  boundedBy: () => undefined,
  expectedCosine: (_, { sumNorm }) => cosineUnderNoise(sumNorm, 0),
  release: async (_, batch) => {
    const sums = await batch.plain();
    scaleGradients(sums.gradients, 1 / batch.divisor);
    return sums;
  },

  protectOptions: {},
  protect: (vectors, _, _random, into) => ({ sum: sumOf(vectors, [], into), deviation: 0 }),
  describeProtection: () => 'no noise',

  grids: {},
  planAt: () => ({ mechanism: 'none' }),
  protectionAt: (): NoneProtection => ({ mechanism: 'none' }),
} satisfies GradientMechanism<'none', NoneOptions, NonePlan, NoneProtection>;
