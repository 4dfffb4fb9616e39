// Directional noise: a random direction around that of each example's gradient, whose length is ignored (DirDP-SGD, Faustini et
// al. 2022; von Mises–Fisher, Weggenmann & Kerschbaum 2021).

import {
  ArgumentError,
  check,
  type OptionSchema,
  type OptionValues,
  option,
  positive,
  say,
} from '../../checks/index.js';
import { bisect } from '../../math/index.js';
import { accountantOf, metric, type PrivacyEvent, selfComposed } from '../../privacy/index.js';
import { fillNormal, type RandomSource } from '../../random/index.js';
import { normOf, scaleFactor } from '../clipping.js';
import { drawDirection, meanCosine } from '../von-mises-fisher.js';
import type { ParameterGroups } from './batch-gradients.js';
import { cosineUnderNoise } from './expected-cosine.js';
import type { GradientMechanism, NoiseFreeSum } from './gradient-mechanism.js';
import { roundGradients } from './gradient-noise.js';
import { expectNeighbours, type PlanBase, type PlanSizes, type Promised } from './plan.js';
import {
  accountantChoice,
  cosineGrid,
  neighboursOption,
  numbersTogether,
  samplers,
  scopeOption,
} from './shared-options.js';
import { addScaled, scaleInto } from './vectors.js';

const planOptions = {
  concentration: { type: 'positive', help: 'concentration of the random directions' },
  parameterGroups: {
    type: 'choice',
    choices: ['whole', 'layers'],
    default: 'whole',
    help: 'whole (one direction for all parameters) or layers (one per layer)',
  },
  sampler: { type: 'choice', choices: samplers, default: 'shuffled', help: 'only shuffled batches' },
  accountant: { ...accountantChoice, default: 'metric', help: 'metric, pld or basic' },
  neighbours: neighboursOption,
} as const satisfies OptionSchema;

const protectOptions = {
  concentration: { type: 'positive', help: 'concentration of the random direction' },
  scope: scopeOption,
} as const satisfies OptionSchema;

/** Options of a plan with directional noise. The concentration κ is required; batches are shuffled; the accountant defaults to metric. */
export type DirectionalPlanOptions = { readonly mechanism: 'directional'; readonly concentration: number } & Partial<
  Omit<OptionValues<typeof planOptions>, 'concentration' | 'parameterGroups'>
> & {
    /** The groups with a direction of their own: `whole` (default) is one for all parameters, `layers` one per layer. */
    readonly parameterGroups?: 'whole' | 'layers' | ParameterGroups;
    /** The trainable parameters by layer; needed for `layers`. */
    readonly layers?: ParameterGroups;
  };

/** A plan with directional noise: sizes, sampler, κ and the guarantee, which agree with each other. */
export type DirectionalPlan = PlanBase<'directional'> &
  Promised & {
    readonly concentration: number;
    /** Absent if all parameters share one direction. */
    readonly parameterGroups?: ParameterGroups;
  };

export type DirectionalProtection = { readonly mechanism: 'directional' } & Required<
  OptionValues<typeof protectOptions>
>;

function plan(options: DirectionalPlanOptions, sizes: PlanSizes): DirectionalPlan {
  const { concentration, sampler: kind = 'shuffled', accountant = 'metric' } = options;
  positive({ concentration });
  if (kind !== 'shuffled') {
    throw new ArgumentError(
      `invalid sampler: directional noise is proved for disjoint batches, got ${kind}: use shuffled batches`,
    );
  }
  const neighbours = expectNeighbours(kind, options.neighbours);
  const groups = groupsOf(options);
  const count = groups?.length ?? 1;
  const event = directionsOf(count, concentration);
  const guarantee = accountantOf(accountant, { neighbours }).compose(selfComposed(sizes.epochs, event)).epsilon(0);
  if (!Number.isFinite(guarantee.epsilon)) {
    throw new ArgumentError(
      `invalid accountant: ${accountant} gives no epsilon for directional noise without a delta: use metric, basic or pld`,
    );
  }
  const added = `${count} parameter groups with directions of their own: their factors add up (the published bound with a square root does not hold)`;
  return {
    mechanism: 'directional',
    ...sizes,
    sampler: { kind },
    concentration,
    ...(groups && { parameterGroups: groups }),
    event,
    neighbours,
    accountant,
    delta: 0,
    guarantee,
    notes: count === 1 ? [] : [added],
  };
}

/** So many directions, each of a part of its own: their factors add up. */
function directionsOf(count: number, concentration: number): PrivacyEvent {
  const once = metric({ factor: concentration, distance: 'euclidean', diameter: 2 });
  return count === 1 ? once : selfComposed(count, once);
}

function groupsOf({ parameterGroups = 'whole', layers }: DirectionalPlanOptions): ParameterGroups | undefined {
  if (parameterGroups === 'whole') return undefined;
  const groups = parameterGroups === 'layers' ? layers : parameterGroups;
  if (!Array.isArray(groups)) {
    throw new ArgumentError(
      say`invalid ${option('parameterGroups')}: expected whole, layers (with the parameters of each layer in layers) or groups of names, got ${String(parameterGroups)}`,
    );
  }
  const given = groups as ParameterGroups;
  check(
    { parameterGroups: given.length },
    'at least one list of names, none empty',
    () => given.length > 0 && given.every((group) => Array.isArray(group) && group.length > 0),
  );
  check({ parameterGroups: given.flat() }, 'no parameter in two of them', (all) => new Set(all).size === all.length);
  return given;
}

function checkParameters({ parameterGroups }: DirectionalPlan, names: readonly string[]): void {
  const given = parameterGroups?.flat() ?? names;
  const missing = names.find((name) => !given.includes(name)) ?? given.find((name) => !names.includes(name));
  if (missing === undefined) return;
  throw new ArgumentError(
    say`invalid ${option('parameterGroups')}: expected each trainable parameter in one of them, and no other: ${missing}`,
  );
}

/** The sum of one direction per vector. A zero gradient has no direction, so a uniform one takes its place. */
function drawAround(
  vectors: readonly Float32Array[],
  concentration: number,
  random: RandomSource,
  sum: Float32Array,
): Float32Array {
  const noise = new Float64Array(sum.length);
  const further = vectors.length > 1 ? new Float32Array(sum.length) : sum;
  for (const [place, vector] of vectors.entries()) {
    // The first direction is the sum until there is a second.
    const draw = place === 0 ? sum : further;
    const factor = scaleFactor(normOf(vector));
    if (factor > 0) drawDirection(random, scaleInto(draw, vector, factor), concentration, draw, noise);
    else scaleInto(draw, fillNormal(random, draw), 1 / normOf(draw));
    if (place > 0) addScaled(sum, draw, 1, false);
  }
  return sum;
}

/**
 * With B draws around unit vectors whose sum has length S, and A = A_K(κ): E Σy = A·Σμ and E‖Σy‖² = A²S² + B(1 − A²). A uniform draw
 * adds 1 instead of 1 − A². Several groups have directions of their own, which the sum of whole gradients does not have.
 */
function expectedCosine(plan: DirectionalPlan, sum: NoiseFreeSum): number | undefined {
  if ((plan.parameterGroups?.length ?? 1) > 1) return undefined;
  const { sumNorm, members, undirected = 0, numbers } = sum;
  const mean = meanCosineOf(plan, numbers);
  return cosineUnderNoise(mean * sumNorm, (members - undirected) * (1 - mean * mean) + undirected);
}

/** The mean cosine of a plan's draws. It takes longer the larger κ is, and a run asks for it at every step. */
function meanCosineOf(plan: DirectionalPlan, dimension: number): number {
  const known = meanCosines.get(plan);
  if (known?.dimension === dimension) return known.cosine;
  const cosine = meanCosine({ dimension, concentration: plan.concentration });
  meanCosines.set(plan, { dimension, cosine });
  return cosine;
}

const meanCosines = new WeakMap<DirectionalPlan, { readonly dimension: number; readonly cosine: number }>();

/** The κ at which directions have this mean cosine. */
function concentrationFor(cosine: number, dimension: number): number {
  const reaches = (exponent: number) => meanCosine({ dimension, concentration: 10 ** exponent }) >= cosine;
  return 10 ** bisect(reaches, -6, 18, { absolute: 1e-9 });
}

export const directional = {
  name: 'directional',
  withoutNoise: ({ parameterGroups }) => (parameterGroups === 'layers' ? 'normalised-layers' : 'normalised'),
  parameter: {
    key: 'concentration',
    flag: 'concentration',
    symbol: 'κ',
    ascii: 'kappa',
    unit: 'privacy loss per unit of distance between directions',
    moreNoise: 'lower',
  } as const,
  words: {
    label: 'directional noise',
    short: 'directional',
    definition:
      'κ is the concentration of the von Mises–Fisher direction that replaces a gradient scaled to length 1. Less κ is more noise, and κ means nothing without K.',
  },
  rounding:
    'Directions are drawn in float64 and summed in float32, then rounded to a grid that does not depend on the data: the statement is about exact numbers. A gradient of zero, or not finite, is replaced by a uniform direction and counts as 2 away from all others.',

  planOptions,
  planNeeds: ['concentration'],
  plan,
  optionsOf: ({ sampler, accountant, concentration, parameterGroups }): DirectionalPlanOptions => ({
    mechanism: 'directional',
    sampler: sampler.kind,
    accountant,
    concentration,
    ...(parameterGroups && { parameterGroups }),
  }),
  checkParameters,
  describePlan: ({ concentration, parameterGroups: groups }) =>
    `directions with concentration ${concentration}${groups ? `, ${groups.length} parameter groups` : ''}`,
  boundedBy: ({ parameterGroups }) => ({ kind: 'normalise', norm: 1, ...(parameterGroups && { parameterGroups }) }),
  drawsUniform: true,
  expectedCosine,
  release: async ({ concentration, parameterGroups, batchSize }, batch, random) => {
    const sums = await batch.directions({ concentration, random, ...(parameterGroups && { parameterGroups }) });
    const dimension = Object.values(sums.gradients).reduce((count, { length }) => count + length, 0);
    const grid = 2 ** (Math.floor(Math.log2(Math.sqrt(batchSize / dimension))) - 20);
    roundGradients(sums.gradients, grid, 1 / batch.divisor);
    return sums;
  },

  protectOptions,
  protect: (vectors, { concentration }, random, into) => {
    const { length: dimension } = vectors[0] as Float32Array;
    const sum = drawAround(vectors, concentration, random, into ?? new Float32Array(dimension));
    const cosine = meanCosine({ dimension, concentration });
    const deviation = Math.sqrt((vectors.length * (1 - cosine * cosine)) / dimension);
    return { sum, deviation, bound: { kind: 'normalise', norm: 1 }, concentration };
  },
  describeProtection: ({ concentration, scope }) => `directional noise, concentration ${concentration}, ${scope}`,
  eventOf: ({ concentration }, vectors) => ({
    event: directionsOf(vectors, concentration),
    accountant: 'metric',
    isPure: true,
  }),

  grids: {
    concentration: { option: planOptions.concentration, parameterFor: (value) => value },
    epsilon: {
      option: {
        type: 'positive',
        help: 'epsilon of the training, which is pure (delta 0) and grows in proportion to the concentration',
      },
      parameterFor: (epsilon, { sizes, options }) =>
        (epsilon * (1 - 1e-12)) /
        plan({ mechanism: 'directional', ...options, concentration: 1, accountant: 'metric' }, sizes).guarantee.epsilon,
    },
    cosine: {
      option: cosineGrid,
      parameterFor: (cosine, context) => concentrationFor(cosine, numbersTogether(context)),
    },
  },
  planAt: (concentration, _, options): DirectionalPlanOptions => ({
    mechanism: 'directional',
    concentration,
    ...options,
  }),
  protectionAt: (concentration, { scope }): DirectionalProtection => ({
    mechanism: 'directional',
    scope,
    concentration,
  }),
  releaseNoise: ({ concentration }, { numbers, members }) => {
    const shrink = meanCosine({ dimension: numbers, concentration });
    return { shrink, deviation: Math.sqrt((members * (1 - shrink ** 2)) / numbers) };
  },
  // The sum shrinks by the mean cosine A of a draw; each of the B draws adds the rest of its unit length, spread over all numbers.
  noiseToSignal: (concentration, { numbers, members }) => {
    const cosine = meanCosine({ dimension: numbers, concentration });
    return (members * (1 - cosine ** 2)) / (cosine ** 2 * numbers);
  },
} satisfies GradientMechanism<'directional', DirectionalPlanOptions, DirectionalPlan, DirectionalProtection>;
