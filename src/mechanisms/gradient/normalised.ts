// Normalised gradients without noise: what mechanisms that give every gradient the same length become as their noise vanishes. In a
// study it tells the cost of normalising from the cost of noise.

import { normOf, scaleFactor } from '../clipping.js';
import type { BatchGradients, Clipping, GradientSums } from './batch-gradients.js';
import { cosineUnderNoise } from './expected-cosine.js';
import type { GradientMechanism } from './gradient-mechanism.js';
import { scaleGradients } from './gradient-noise.js';
import type { NotPromised, PlanBase } from './plan.js';
import { scopeOption } from './shared-options.js';
import { sumOf } from './vectors.js';

export interface NormalisedOptions {
  readonly mechanism: 'normalised';
}

export type NormalisedPlan = PlanBase<'normalised'> & NotPromised & { readonly sampler: { readonly kind: 'shuffled' } };

export interface NormalisedProtection {
  readonly mechanism: 'normalised';
  readonly scope: 'joint' | 'tensor';
}

const toLengthOne = { kind: 'normalise', norm: 1 } as const;

/** The mean of bounded gradients, without noise. */
export async function meanOfBounded<Sums extends GradientSums>(
  batch: BatchGradients<Sums>,
  clipping: Clipping,
): Promise<Sums> {
  const sums = await batch.clipped(clipping);
  scaleGradients(sums.gradients, 1 / batch.divisor);
  return sums;
}

export const normalised = {
  name: 'normalised',
  isControl: true,
  words: {
    label: 'normalised gradients without noise',
    short: 'normalised',
    definition: 'Every gradient is scaled to length 1 and used and shared without noise, without a guarantee.',
  },

  planOptions: {},
  planNeeds: [],
  plan: (_, sizes): NormalisedPlan => ({ mechanism: 'normalised', ...sizes, sampler: { kind: 'shuffled' }, notes: [] }),
  optionsOf: () => ({ mechanism: 'normalised' }),
  describePlan: () => 'none; every gradient is scaled to length 1',
  boundedBy: () => toLengthOne,
  expectedCosine: (_, { sumNorm }) => cosineUnderNoise(sumNorm, 0),
  release: (_, batch) => meanOfBounded(batch, toLengthOne),

  protectOptions: { scope: scopeOption },
  protect: (vectors, _, _random, into) => ({
    sum: sumOf(
      vectors,
      vectors.map((vector) => scaleFactor(normOf(vector))),
      into,
    ),
    deviation: 0,
    bound: { kind: 'normalise', norm: 1 },
  }),
  describeProtection: ({ scope }) => `normalised without noise, ${scope}`,

  grids: {},
  planAt: () => ({ mechanism: 'normalised' }),
  protectionAt: (_, { scope }): NormalisedProtection => ({ mechanism: 'normalised', scope }),
} satisfies GradientMechanism<'normalised', NormalisedOptions, NormalisedPlan, NormalisedProtection>;
