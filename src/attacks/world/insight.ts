// What parameters and training of a model show of its candidates: the lengths of their gradients in the end, and what the releases on the way say
// about who took part. The attacker knows the candidates, the parameters at every step, and the plan; not who was in a batch.

import { mechanismOf } from '../../mechanisms/index.js';
import { permutation, type SeededSource } from '../../random/index.js';
import type { Arrays, GroupProducts, Plan, StepRelease, Trainer } from '../../training/index.js';
import type { InsightNeed } from '../attack.js';
import { type WatchedStep, watchReleases } from '../membership/watcher.js';
import type { Insight } from '../view.js';

/** Up to this many candidates their gradients are multiplied with each other: a step takes time in proportion to the cube of it. */
const mostMultiplied = 1024;

/** Says so where the gradients of candidates cannot be multiplied with each other; undefined where they can. `cached`: training is on cached features. */
export function watchLimit(need: InsightNeed, candidates: number, cached: boolean): string | undefined {
  if (need.steps === 0 || (cached && candidates <= mostMultiplied)) return undefined;
  const reason = cached
    ? `There are ${candidates} candidates, and with more than ${mostMultiplied}`
    : 'More than the head is trained, so';
  return `${reason} each is looked for in the releases by itself: what the others explain is not taken into account, and an attacker who does that would find more.`;
}

/** Says so where only some of the releases are read; undefined where all are, or none. */
export const stepsLimit = ({ steps }: InsightNeed, all: number): string | undefined =>
  steps === 0 || steps >= all
    ? undefined
    : `The releases of ${steps} of ${all} steps were read: an attacker who reads all of them gets more.`;

/** Looks at one training run. */
export interface Observer {
  /** Hears of every step. */
  readonly onRelease: (release: StepRelease) => Promise<void>;
  /** In the order of the candidates. */
  readonly insight: (trained: Arrays) => Promise<Insight>;
}

export interface ObserverOptions {
  readonly trainer: Trainer;
  readonly plan: Plan;
  readonly need: InsightNeed;
  /** Numbers of the candidates among the examples of the trainer. */
  readonly candidates: readonly number[];
  /** Shuffles the candidates, so that their order gives nothing away. */
  readonly random: SeededSource;
}

export function observeTraining({ trainer, plan, need, candidates, random }: ObserverOptions): Observer {
  const order = permutation(random, candidates.length);
  const hidden = Array.from(order, (place) => candidates[place] as number);
  const watcher = watchReleases(candidates.length);
  const watched = stepsToWatch(plan.steps, need.steps);
  const laws = lawsOf(plan);
  const inOrder = (numbers: Float64Array): Float64Array => {
    const ordered = new Float64Array(numbers.length);
    for (const [place, candidate] of order.entries()) ordered[candidate] = numbers[place] as number;
    return ordered;
  };
  const look = (parameters: Arrays, given: Arrays, { groups, scaled, gram }: Look) =>
    trainer.gradientProducts(parameters, hidden, { given, groups, scaled, gram });
  return {
    onRelease: async ({ step, parameters, gradients, divisor }) => {
      if (!watched.has(step)) return;
      const { groups, scaled, weigh } = laws(gradients, divisor);
      const found = await look(parameters, gradients, { groups, scaled, gram: candidates.length <= mostMultiplied });
      const shuffled = plan.sampler.kind === 'shuffled';
      watcher.see({
        // The expected size of Poisson batches, the actual one of shuffled batches, which is public.
        sampleRate: Math.min(1, divisor / plan.examples),
        ...(shuffled && { round: Math.floor(step / plan.stepsPerEpoch) }),
        ...weigh(found),
      });
    },
    insight: async (trained) => {
      const [whole] = await look(trained, trained, { groups: [Object.keys(trained)], scaled: false, gram: false });
      return {
        gradientNorms: inOrder((whole as GroupProducts).squares.map(Math.sqrt)),
        evidence: inOrder(watcher.nats()),
      };
    },
  };
}

interface Look {
  readonly groups: readonly (readonly string[])[];
  readonly scaled: boolean;
  readonly gram: boolean;
}

/** So many steps, evenly spread; all if there are fewer. */
function stepsToWatch(all: number, count: number): ReadonlySet<number> {
  const some = Math.min(all, count);
  return new Set(Array.from({ length: some }, (_, k) => Math.floor((k * all) / some)));
}

/** Noise below this share of a release is rounding. */
const roundingShare = 1e-5;

/** How releases of a plan are read: which numbers are bounded together, and what bound and noise do to them. */
function lawsOf(plan: Plan) {
  const mechanism = mechanismOf(plan.mechanism);
  const bound = mechanism.boundedBy(plan);
  return (gradients: Arrays, divisor: number) => {
    const groups = bound?.parameterGroups ?? [Object.keys(gradients)];
    const noises = groups.map((names) => {
      const arrays = names.map((name) => gradients[name] as Float32Array);
      const numbers = arrays.reduce((count, { length }) => count + length, 0);
      const { shrink, deviation } = mechanism.releaseNoise?.(plan, { numbers, members: divisor }) ?? {
        shrink: 1,
        deviation: 0,
      };
      const length = divisor * Math.sqrt(arrays.reduce((sum, array) => sum + squareOf(array), 0));
      const least = (roundingShare * length) / Math.sqrt(numbers);
      // Whoever releases zeros, without noise, says nothing.
      return { shrink, deviation: Math.max(deviation, least, Number.MIN_VALUE ** 0.25) };
    });
    const factorOf = (square: number): number => {
      if (bound === undefined) return 1;
      const length = Math.sqrt(square);
      if (length === 0) return 0;
      return bound.kind === 'clip' ? Math.min(1, bound.norm / length) : bound.norm / length;
    };
    const weigh = (found: readonly GroupProducts[]): Omit<WatchedStep, 'sampleRate'> =>
      addGroups(
        found.map(({ squares, products, gram }, group) => {
          const { shrink, deviation } = noises[group] as (typeof noises)[number];
          const factors = squares.map((square) => (factorOf(square) * shrink) / deviation);
          const factor = (i: number) => factors[i] as number;
          return {
            squares: squares.map((square, i) => square * factor(i) ** 2),
            products: products.map((product, i) => (product * divisor * factor(i)) / deviation),
            ...(gram && { gram: scaleBoth(gram, factors) }),
          };
        }),
      );
    return { groups, scaled: bound?.kind === 'normalise', weigh };
  };
}

const squareOf = (numbers: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += (numbers[i] as number) ** 2;
  return sum;
};

/** Multiplies row i and column i of a matrix with factor i. */
function scaleBoth(matrix: Float64Array, factors: Float64Array): Float64Array {
  const size = factors.length;
  const scaled = new Float64Array(matrix.length);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++)
      scaled[i * size + j] = (matrix[i * size + j] as number) * (factors[i] as number) * (factors[j] as number);
  return scaled;
}

/** Groups that are noised independently: their products add up. */
function addGroups(groups: readonly GroupProducts[]): GroupProducts {
  return groups.reduce((sum, more) => ({
    squares: sum.squares.map((x, i) => x + (more.squares[i] as number)),
    products: sum.products.map((x, i) => x + (more.products[i] as number)),
    ...(sum.gram && more.gram && { gram: sum.gram.map((x, i) => x + (more.gram?.[i] as number)) }),
  }));
}
