// Gaussian noise on a sum of gradients that are all scaled to the clip norm ("automatic clipping", Bu et al. 2023), as a mechanism of
// its own: beside directional noise, which scales too, it tells what the kind of noise does from what scaling does.

import type { OptionValues } from '../../checks/index.js';
import { type GaussianPlan, type GaussianProtection, gaussian, type PlanWithNormalNoise } from './gaussian.js';
import type { GradientMechanism } from './gradient-mechanism.js';
import type { PlanSizes } from './plan.js';

const name = 'gaussian-normalised';
const { clipping: _, ...planOptions } = gaussian.planOptions;
const { clipping: __, ...protectOptions } = gaussian.protectOptions;

/** Options of a plan with Gaussian noise on normalised gradients: either `epsilon` or `noiseMultiplier`. */
export type GaussianNormalisedPlanOptions = { readonly mechanism: typeof name } & Partial<
  OptionValues<typeof planOptions>
>;

/** A plan with Gaussian noise on gradients that are all scaled to the clip norm. */
export type GaussianNormalisedPlan = PlanWithNormalNoise<typeof name>;

export type GaussianNormalisedProtection = { readonly mechanism: typeof name } & Required<
  OptionValues<typeof protectOptions>
>;

const asGaussian = (plan: GaussianNormalisedPlan): GaussianPlan => ({ ...plan, mechanism: 'gaussian' });
const protectionAs = (protection: GaussianNormalisedProtection): GaussianProtection => ({
  ...protection,
  mechanism: 'gaussian',
  clipping: 'normalise',
});

const plan = (options: GaussianNormalisedPlanOptions, sizes: PlanSizes): GaussianNormalisedPlan => ({
  ...gaussian.plan({ ...options, mechanism: 'gaussian', clipping: 'normalise' }, sizes),
  mechanism: name,
});

export const gaussianNormalised = {
  name,
  withoutNoise: () => 'normalised',
  parameter: gaussian.parameter,
  words: {
    label: 'Gaussian noise on normalised gradients',
    short: 'Gaussian, normalised',
    definition:
      'σ is the standard deviation of the normal noise on every number, in units of the clip norm C, to which every gradient is scaled. More σ is more noise.',
  },
  rounding: gaussian.rounding,

  planOptions,
  planNeeds: gaussian.planNeeds,
  plan,
  optionsOf: (made): GaussianNormalisedPlanOptions => {
    const { clipping, ...options } = gaussian.optionsOf(asGaussian(made));
    return { ...options, mechanism: name };
  },
  describePlan: (made) => gaussian.describePlan(asGaussian(made)),
  boundedBy: ({ clipping }) => clipping,
  expectedCosine: (made, sum) => gaussian.expectedCosine(asGaussian(made), sum),
  release: (made, batch, random) => gaussian.release(asGaussian(made), batch, random),

  protectOptions,
  protect: (vectors, protection, random, into) => gaussian.protect(vectors, protectionAs(protection), random, into),
  describeProtection: (protection) => gaussian.describeProtection(protectionAs(protection)),
  parameterOfSum: gaussian.parameterOfSum,
  eventOf: (protection, vectors) => gaussian.eventOf(protectionAs(protection), vectors),

  grids: {
    ...gaussian.grids,
    epsilon: {
      ...gaussian.grids.epsilon,
      parameterFor: (epsilon, { sizes, training, options }) =>
        plan({ mechanism: name, epsilon, ...training, ...options }, sizes).noiseMultiplier,
    },
  },
  planAt: (noiseMultiplier, training, options): GaussianNormalisedPlanOptions => ({
    mechanism: name,
    noiseMultiplier,
    ...training,
    ...options,
  }),
  protectionAt: (noiseMultiplier, sharing): GaussianNormalisedProtection => {
    const { clipping, ...protection } = gaussian.protectionAt(noiseMultiplier, sharing, {});
    return { ...protection, mechanism: name };
  },
  releaseNoise: (made) => gaussian.releaseNoise(asGaussian(made)),
  noiseToSignal: gaussian.noiseToSignal,
  noiseLength: gaussian.noiseLength,
} satisfies GradientMechanism<
  typeof name,
  GaussianNormalisedPlanOptions,
  GaussianNormalisedPlan,
  GaussianNormalisedProtection
>;
