// The plan of a training run: sampler, bound, noise, accountant and neighbours are made together from one description, so
// that they cannot disagree. A plan is plain frozen data; it stands in the ledger and in the checkpoint.

import { isDeepStrictEqual } from 'node:util';
import { ArgumentError, check, nonNegative, positive, positiveInteger } from '../checks/index.js';
import {
  type AccountantName,
  calibrateNoise,
  gaussian,
  metric,
  type Neighbours,
  type PrivacyEvent,
  poissonSampled,
  selfComposed,
} from '../privacy/index.js';
import { accountantOf } from './accountants.js';
import type { DirectionPlanOptions, GaussianPlanOptions, Plan, PlanOptions } from './plan-options.js';

export function makePlan(options: PlanOptions): Plan {
  const { examples, epochs, batchSize } = options;
  positiveInteger({ examples, epochs, batchSize });
  check({ batchSize }, `at most the ${examples} examples`, (size) => size <= examples);
  const stepsPerEpoch = Math.ceil(examples / batchSize);
  const common = { examples, epochs, batchSize, stepsPerEpoch, steps: epochs * stepsPerEpoch };
  switch (options.mechanism) {
    case 'none':
      return freeze({ mechanism: 'none', ...common, sampler: { kind: 'shuffled' }, notes: [] });
    case 'gaussian':
      return freeze(gaussianPlan(options, common));
    case 'directional':
      return freeze(directionPlan(options, common));
    default:
      throw new ArgumentError(
        `invalid mechanism: expected none, gaussian or directional, got ${(options as { mechanism: unknown }).mechanism}`,
      );
  }
}

type Common = Pick<Plan, 'examples' | 'epochs' | 'batchSize' | 'stepsPerEpoch' | 'steps'>;

function gaussianPlan(options: GaussianPlanOptions, common: Common): Plan {
  const {
    epsilon: targetEpsilon,
    clipNorm = 1,
    clipping = 'clip',
    sampler: kind = 'poisson',
    accountant = 'pld',
  } = options;
  const { examples, steps, epochs, batchSize } = common;
  positive({ clipNorm });
  check({ sampler: kind }, 'poisson or shuffled', (name) => name === 'poisson' || name === 'shuffled');
  check({ clipping }, 'clip or normalise', (name) => name === 'clip' || name === 'normalise');
  if ((targetEpsilon === undefined) === (options.noiseMultiplier === undefined)) {
    throw new ArgumentError('expected either targetEpsilon or noiseMultiplier');
  }
  const { delta = examples ** -1.1 } = options;
  check({ delta }, 'above 0 and below 1', (value) => value > 0 && value < 1);
  const sampler = kind === 'poisson' ? { kind, sampleRate: batchSize / examples } : { kind };
  const neighbours = expectNeighbours(kind, options.neighbours);
  // Replacing an example moves a sum of bounded gradients by up to twice the bound. Each example is in one batch an epoch.
  const eventFor = (noise: number): PrivacyEvent =>
    sampler.kind === 'poisson' ? poissonSampled(sampler.sampleRate, gaussian(noise)) : gaussian(noise / 2);
  const times = sampler.kind === 'poisson' ? steps : epochs;
  const plan = { mechanism: 'gaussian' as const, ...common, sampler, clipping: { kind: clipping, norm: clipNorm } };
  const notes = [
    ...(options.delta === undefined ? [`delta was not given: ${delta.toPrecision(3)} is examples^-1.1`] : []),
    ...(delta * examples >= 1
      ? [`delta ${delta} is not below 1/${examples}: publishing one example in full would be within the promise`]
      : []),
    ...(kind === 'shuffled' ? ['shuffled batches: no amplification by sampling is proved, and none is claimed'] : []),
  ];
  if (options.noiseMultiplier === 0) {
    return { ...plan, noiseMultiplier: 0, notes: ['no noise: nothing is promised', ...notes] };
  }
  const make = (name: AccountantName) => () => accountantOf(name, neighbours);
  const composedFor = (noise: number) => selfComposed(times, eventFor(noise));
  const noiseMultiplier =
    options.noiseMultiplier ??
    findNoise(make(accountant), make('rdp'), composedFor, { epsilon: targetEpsilon as number, delta });
  nonNegative({ noiseMultiplier });
  const guarantee = make(accountant)().compose(composedFor(noiseMultiplier)).epsilon(delta);
  if (guarantee.epsilon === Number.POSITIVE_INFINITY) {
    throw new ArgumentError(
      `noiseMultiplier ${noiseMultiplier}: epsilon is infinite by the ${accountant} accountant: use more noise, or another accountant`,
    );
  }
  return {
    ...plan,
    noiseMultiplier,
    event: eventFor(noiseMultiplier),
    neighbours,
    accountant,
    delta,
    guarantee,
    notes,
  };
}

/** RDP is quick and finds a little too much noise: from there the accountant asked for need not go far. */
function findNoise(
  make: () => ReturnType<typeof accountantOf>,
  makeQuick: () => ReturnType<typeof accountantOf>,
  eventFor: (noise: number) => PrivacyEvent,
  target: { readonly epsilon: number; readonly delta: number },
): number {
  const options = { eventFor, target };
  let start: number | undefined;
  try {
    start = calibrateNoise({ ...options, makeAccountant: makeQuick }).parameter;
  } catch (error) {
    // Rényi bounds have a floor that a small ε may lie below; the accountant asked for may not.
    if (!(error instanceof ArgumentError)) throw error;
  }
  return calibrateNoise({ ...options, makeAccountant: make, ...(start && { start }), tolerance: 1e-5 }).parameter;
}

function directionPlan(options: DirectionPlanOptions, common: Common): Plan {
  const { concentration, parameterGroups: parts, sampler: kind = 'shuffled', accountant = 'metric' } = options;
  positive({ concentration });
  if (kind !== 'shuffled') {
    throw new ArgumentError(
      'invalid sampler: directional noise is proved for disjoint batches, got poisson: use shuffled batches',
    );
  }
  const neighbours = expectNeighbours(kind, options.neighbours);
  if (parts !== undefined) {
    const names = parts.flat();
    check(
      { parts: parts.length },
      'at least one, none empty',
      () => parts.length > 0 && parts.every((part) => part.length > 0),
    );
    check({ parts: names }, 'no parameter in two of them', (list) => new Set(list).size === list.length);
  }
  const count = parts?.length ?? 1;
  const once = metric({ factor: concentration, distance: 'euclidean', diameter: 2 });
  const event = count === 1 ? once : selfComposed(count, once);
  const guarantee = accountantOf(accountant, neighbours).compose(selfComposed(common.epochs, event)).epsilon(0);
  if (!Number.isFinite(guarantee.epsilon)) {
    throw new ArgumentError(
      `invalid accountant: ${accountant} gives no epsilon for directional noise without a delta: use metric, basic or pld`,
    );
  }
  const notes =
    count === 1
      ? []
      : [
          `${count} parts with directions of their own: their factors add up (the published bound with a square root does not hold)`,
        ];
  return {
    mechanism: 'directional',
    ...common,
    sampler: { kind },
    concentration,
    ...(parts && { parameterGroups: parts }),
    event,
    neighbours,
    accountant,
    delta: 0,
    guarantee,
    notes,
  };
}

/** Poisson batches are compared with and without an example; disjoint batches of fixed size with another example in its place. */
function expectNeighbours(sampler: 'poisson' | 'shuffled', asked: Neighbours | undefined): Neighbours {
  const neighbours = sampler === 'poisson' ? 'add-or-remove-one' : 'replace-one';
  if (asked !== undefined && asked !== neighbours) {
    throw new ArgumentError(
      sampler === 'poisson'
        ? `invalid neighbours: Poisson batches are accounted for add-or-remove-one, got ${asked}: apply groupPrivacy of size 2, or use shuffled batches`
        : `invalid neighbours: shuffled batches are accounted for replace-one, without amplification, got ${asked}: use Poisson batches`,
    );
  }
  return neighbours;
}

/** A plan put together by hand could claim what its parts do not give: it must equal one made from its own description. */
export function checkPlan(plan: Plan): void {
  if (made.has(plan)) return;
  const again = makePlan(describePlan(plan));
  for (const key of new Set([...Object.keys(plan), ...Object.keys(again)])) {
    if (key === 'notes' || isDeepStrictEqual(plan[key as keyof Plan], again[key as keyof Plan])) continue;
    throw new ArgumentError(
      `invalid plan: its ${key} does not fit the rest: make the plan with makePlan and leave it as it is`,
    );
  }
}

/** The description that gives this plan, with the noise it has. */
function describePlan(plan: Plan): PlanOptions {
  const { mechanism, examples, epochs, batchSize, sampler, accountant } = plan;
  const common = { examples, epochs, batchSize };
  if (mechanism === 'none') return { mechanism, ...common };
  const said = { sampler: sampler.kind, ...(accountant && { accountant }) };
  if (mechanism === 'directional') {
    const { concentration = Number.NaN, parameterGroups: parts } = plan;
    return { mechanism, ...common, ...said, concentration, ...(parts && { parameterGroups: parts }) };
  }
  const { noiseMultiplier = Number.NaN, delta, clipping } = plan;
  return {
    mechanism,
    ...common,
    ...said,
    noiseMultiplier,
    ...(delta !== undefined && { delta }),
    ...(clipping && { clipNorm: clipping.norm, clipping: clipping.kind }),
  };
}

/** What decides what is released and promised. */
export function essentialPlan({ guarantee: _, notes: __, ...essential }: Plan): Omit<Plan, 'guarantee' | 'notes'> {
  return essential;
}

/** Plans that makePlan made: frozen to the ground, so they are still what they were. */
const made = new WeakSet<Plan>();

function freeze(plan: Plan): Plan {
  const frozen = freezeAll(structuredClone(plan));
  made.add(frozen);
  return frozen;
}

function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freezeAll);
  return value;
}
