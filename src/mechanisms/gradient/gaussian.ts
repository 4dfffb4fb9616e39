// Gaussian noise on a sum of bounded gradients: DP-SGD (Abadi et al. 2016), in training and on the gradients that a client shares.

import {
  ArgumentError,
  check,
  nonNegative,
  type OptionSchema,
  type OptionValues,
  positive,
} from '../../checks/index.js';
import { gaussian as normalNoise } from '../../privacy/index.js';
import { clipFactor, normOf, scaleFactor } from '../clipping.js';
import type { Clipping } from './batch-gradients.js';
import { cosineUnderNoise } from './expected-cosine.js';
import { gaussianPromise } from './gaussian-promise.js';
import type { GradientMechanism } from './gradient-mechanism.js';
import { addGradientNoise, scaleGradients } from './gradient-noise.js';
import { expectNeighbours, type NotPromised, type PlanBase, type PlanSizes, type Promised } from './plan.js';
import {
  accountantChoice,
  cosineGrid,
  neighboursOption,
  numbersTogether,
  samplers,
  scopeOption,
} from './shared-options.js';
import { sumOf } from './vectors.js';

/** Room in the noise for the rounding of a sum of bounded gradients in float32 (measured, not proved) and for the grid. */
export const roundingMargin = 2 ** -12;

const planOptions = {
  epsilon: { type: 'positive', help: 'target epsilon; finds the least noise that keeps it' },
  noiseMultiplier: { type: 'positive', help: 'standard deviation of the noise over the clip norm' },
  delta: { type: 'positive', below: 1, help: 'delta of the guarantee (default: examples^-1.1)' },
  clipNorm: { type: 'positive', default: 1, help: 'bound on the l2 norm of each gradient' },
  clipping: {
    type: 'choice',
    choices: ['clip', 'normalise'],
    default: 'clip',
    help: 'clip longer gradients, or normalise every gradient to the clip norm',
  },
  sampler: { type: 'choice', choices: samplers, default: 'poisson', help: 'poisson or shuffled batches' },
  accountant: { ...accountantChoice, default: 'pld', help: 'pld, rdp, moments, zcdp, advanced, basic or gdp' },
  neighbours: neighboursOption,
} as const satisfies OptionSchema;

const protectOptions = {
  noiseMultiplier: {
    type: 'positive',
    help: 'standard deviation of the noise over the clip norm (absolute with clipping none)',
  },
  clipNorm: { type: 'positive', default: 1, help: 'bound on the l2 norm of each gradient' },
  clipping: {
    type: 'choice',
    choices: ['clip', 'normalise', 'none'],
    default: 'clip',
    help: 'clip longer gradients, normalise every gradient to the clip norm, or none (no guarantee follows)',
  },
  scope: scopeOption,
} as const satisfies OptionSchema;

/** Options of a plan with Gaussian noise: either `epsilon`, which calibrates the noise, or `noiseMultiplier`, where 0 gives no guarantee. */
export type GaussianPlanOptions = { readonly mechanism: 'gaussian' } & Partial<OptionValues<typeof planOptions>>;

/** The plan of any mechanism with normal noise: such mechanisms differ only in how they bound gradients. */
export type PlanWithNormalNoise<Name extends string> = PlanBase<Name> & {
  readonly clipping: Clipping;
  readonly noiseMultiplier: number;
} & (Promised | NotPromised);

/** A plan with Gaussian noise: sizes, sampler, clipping, noise and the guarantee, which agree with each other. */
export type GaussianPlan = PlanWithNormalNoise<'gaussian'>;

export type GaussianProtection = { readonly mechanism: 'gaussian' } & Required<OptionValues<typeof protectOptions>>;

/** With a smaller clip norm, a clipped gradient could fall below the range of float32, where rounding has no bound in proportion. */
const leastClipNorm = 2 ** -40;

function plan(options: GaussianPlanOptions, sizes: PlanSizes): GaussianPlan {
  const { clipNorm = 1, clipping = 'clip', sampler: kind = 'poisson', accountant = 'pld', epsilon } = options;
  const { examples, batchSize } = sizes;
  positive({ clipNorm });
  check(
    { clipNorm },
    `a finite number >= ${leastClipNorm}, below which float32 could not bound gradients`,
    (norm) => norm >= leastClipNorm && norm < Infinity,
  );
  check({ sampler: kind }, 'poisson or shuffled', (name) => name === 'poisson' || name === 'shuffled');
  check({ clipping }, 'clip or normalise', (name) => name === 'clip' || name === 'normalise');
  if ((epsilon === undefined) === (options.noiseMultiplier === undefined)) {
    throw new ArgumentError(
      `expected either epsilon or noiseMultiplier, got ${epsilon === undefined ? 'neither' : 'both'}`,
    );
  }
  const { delta = examples ** -1.1 } = options;
  check({ delta }, 'above 0 and below 1', (value) => value > 0 && value < 1);
  const sampler = kind === 'poisson' ? { kind, sampleRate: batchSize / examples } : { kind };
  const neighbours = expectNeighbours(kind, options.neighbours);
  const base = { mechanism: 'gaussian' as const, ...sizes, sampler, clipping: { kind: clipping, norm: clipNorm } };
  const notes = [
    ...(options.delta === undefined ? [`delta was not given: ${delta.toPrecision(3)} is examples^-1.1`] : []),
    ...(delta * examples >= 1
      ? [`delta ${delta} is not below 1/${examples}: publishing one example in full would not violate the guarantee`]
      : []),
    ...(kind === 'shuffled' ? ['shuffled batches: no amplification by sampling is proved, and none is claimed'] : []),
  ];
  if (options.noiseMultiplier === 0) {
    return { ...base, noiseMultiplier: 0, notes: ['no noise: there is no privacy guarantee', ...notes] };
  }
  const noise = epsilon === undefined ? { noiseMultiplier: options.noiseMultiplier as number } : { epsilon };
  const promise = gaussianPromise({ ...noise, sampler, sizes, neighbours, accountant, delta });
  return { ...base, ...promise, notes };
}

const figure = (number: number): string => `${Number(number.toPrecision(4))}`;

export const gaussian = {
  name: 'gaussian',
  withoutNoise: ({ clipping }) => (clipping === 'normalise' ? 'normalised' : 'none'),
  parameter: {
    key: 'noiseMultiplier',
    flag: 'noise',
    symbol: 'σ',
    ascii: 'sigma',
    unit: 'standard deviations of the noise per clip norm',
    moreNoise: 'higher',
  } as const,
  words: {
    label: 'Gaussian noise',
    short: 'Gaussian',
    definition:
      'σ is the standard deviation of the normal noise on every number, in units of the clip norm C. More σ is more noise.',
  },
  rounding:
    'Each gradient is bounded by an upper bound on its norm, which is proved for any rounding in float32. The noise is larger by 2^-12 of itself as room for the rounding of their sum, which is measured, not proved: float32 within a micro-batch, float64 beyond. Sum and noise are rounded to a grid that does not depend on the data.',

  planOptions,
  planNeeds: ['epsilon', 'noiseMultiplier'],
  plan,
  optionsOf: ({ sampler, accountant, noiseMultiplier, delta, clipping }): GaussianPlanOptions => ({
    mechanism: 'gaussian',
    sampler: sampler.kind,
    ...(accountant && { accountant }),
    noiseMultiplier,
    ...(delta !== undefined && { delta }),
    clipNorm: clipping.norm,
    clipping: clipping.kind,
  }),
  describePlan: ({ noiseMultiplier, clipping: { kind, norm } }) =>
    `normal noise of ${figure(noiseMultiplier)} × clip norm ${norm}${kind === 'normalise' ? ', every gradient scaled to it' : ''}`,
  boundedBy: ({ clipping }) => clipping,
  expectedCosine: ({ noiseMultiplier }, { sumNorm, numbers }) =>
    cosineUnderNoise(sumNorm, noiseMultiplier ** 2 * numbers),
  release: async ({ clipping, noiseMultiplier }, batch, random) => {
    const sums = await batch.clipped(clipping);
    const factor = 1 / batch.divisor;
    // A plan without noise gives no guarantee. Any other must not lose its noise to underflow: a deviation of 0 throws.
    if (noiseMultiplier === 0) scaleGradients(sums.gradients, factor);
    else addGradientNoise(random, sums, { deviation: noiseMultiplier * clipping.norm * (1 + roundingMargin), factor });
    return sums;
  },

  protectOptions,
  protect: (vectors, { clipping, clipNorm, noiseMultiplier }, random, into) => {
    positive({ clipNorm });
    nonNegative({ noiseMultiplier });
    check({ clipping }, 'clip, normalise or none', (kind) => /^(clip|normalise|none)$/.test(kind));
    const factorOf = (norm: number) =>
      clipping === 'none' ? 1 : clipping === 'clip' ? clipFactor(norm, clipNorm) : scaleFactor(norm, clipNorm);
    const sum = sumOf(
      vectors,
      vectors.map((vector) => factorOf(normOf(vector))),
      into,
    );
    const deviation = noiseMultiplier * (clipping === 'none' ? 1 : clipNorm);
    if (deviation > 0) addGradientNoise(random, { gradients: { sum } }, { deviation });
    return { sum, deviation, ...(clipping !== 'none' && { bound: { kind: clipping, norm: clipNorm } }) };
  },
  describeProtection: ({ clipping, clipNorm, noiseMultiplier, scope }) => {
    const bound =
      clipping === 'none' ? 'not bounded' : `${clipping === 'clip' ? 'clipped' : 'normalised'} to ${clipNorm}`;
    return `normal noise of ${noiseMultiplier}, ${bound}, ${scope}`;
  },
  // Training adds noise once per sum.
  parameterOfSum: (noiseMultiplier, gradients) => noiseMultiplier * Math.sqrt(gradients),
  // Replacing an example moves each of m clipped vectors by up to 2C, and all of them by up to 2C√m.
  eventOf: ({ clipping, noiseMultiplier }, vectors) =>
    clipping === 'none' || noiseMultiplier === 0
      ? undefined
      : { event: normalNoise(noiseMultiplier / (2 * Math.sqrt(vectors))), accountant: 'gdp', isPure: false },

  grids: {
    noise: { option: planOptions.noiseMultiplier, parameterFor: (value) => value },
    epsilon: {
      option: { type: 'positive', help: 'epsilon of the training' },
      parameterFor: (epsilon, { sizes, training, options }) =>
        plan({ mechanism: 'gaussian', epsilon, ...training, ...options }, sizes).noiseMultiplier,
    },
    cosine: {
      option: cosineGrid,
      // A vector as long as the clip norm then has the expected cosine 1/√(1 + σ²K).
      parameterFor: (cosine, context) => Math.sqrt((1 / cosine ** 2 - 1) / numbersTogether(context)),
    },
  },
  planAt: (noiseMultiplier, training, options): GaussianPlanOptions => ({
    mechanism: 'gaussian',
    noiseMultiplier,
    ...training,
    ...options,
  }),
  // Shared gradients are bounded as in training.
  protectionAt: (noiseMultiplier, { scope, clipNorm }, options): GaussianProtection => ({
    mechanism: 'gaussian',
    scope,
    clipping: options?.clipping === 'normalise' ? 'normalise' : 'clip',
    clipNorm,
    noiseMultiplier,
  }),
  releaseNoise: ({ noiseMultiplier, clipping: { norm } }) => ({ shrink: 1, deviation: noiseMultiplier * norm }),
  noiseToSignal: (noiseMultiplier) => noiseMultiplier ** 2,
  noiseLength: (noiseMultiplier, numbers, vectors) => noiseMultiplier * Math.sqrt(numbers / vectors),
} satisfies GradientMechanism<'gaussian', GaussianPlanOptions, GaussianPlan, GaussianProtection>;
