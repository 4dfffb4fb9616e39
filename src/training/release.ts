// One step's release: the batch, the bounded sum or the random directions, and the noise, as the plan says. What comes out may
// be seen by anybody; the optimizer only ever sees this.

import { ArgumentError } from '../checks/index.js';
import { poissonBatch, shuffledBatches } from '../data/index.js';
import { cryptographicSource, type RandomSource, seededSource } from '../random/index.js';
import type { BatchSums } from './batch-context.js';
import type { Classifier } from './classifier.js';
import { compareRelease, copyArrays, type ReleaseDiagnostics } from './diagnostics.js';
import { addNoise, roundAll } from './noise.js';
import type { Arrays } from './optimizers.js';
import type { Plan } from './plan-options.js';

/** Rounding in float32 may let a bounded gradient be this much longer than its bound (measured, not proved), and more than covers the grid. */
export const roundingMargin = 2 ** -12;

interface Release extends BatchSums {
  /** Examples in the batch. */
  readonly members: number;
  readonly diagnostics?: ReleaseDiagnostics;
}

export interface ReleaseOptions {
  readonly plan: Plan;
  readonly classifier: Classifier;
  /** Of the order of shuffled batches, which need not be secret. */
  readonly orderSeed: number | string;
  /** Batches and noise from a seed: for experiments only, it voids the guarantee. */
  readonly insecureSeed?: number | string;
  /** Compare every release with what it would be without noise. The figures are not private. */
  readonly diagnose?: boolean;
}

export type PrivateGradient = (step: number, parameters: Arrays) => Promise<Release>;

export function makePrivateGradient(options: ReleaseOptions): PrivateGradient {
  const { plan, classifier, diagnose = false, insecureSeed } = options;
  const batchOf = makeSampler(options);
  const names = classifier.parameterNames;
  const parts = plan.parameterGroups ?? [names];
  checkParts(parts, names);
  const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
  const randomAt = (step: number) => secure ?? seededSource(insecureSeed as number).stream(`noise ${step}`);

  return async (step, parameters) => {
    const batch = batchOf(step);
    const members = batch.length;
    const own = diagnose ? await noiseFree(plan, classifier, parameters, batch) : undefined;
    const sums = await release(batch, parameters, randomAt(step));
    return { ...sums, members, ...(own && { diagnostics: compareRelease(sums.gradients, own) }) };
  };

  async function release(batch: readonly number[], parameters: Arrays, random: RandomSource): Promise<BatchSums> {
    // Poisson batches are divided by their expected size: the realised one would tell how many took part.
    const size = plan.sampler.kind === 'poisson' ? plan.batchSize : Math.max(1, batch.length);
    if (plan.concentration !== undefined) {
      const { concentration } = plan;
      const sums = await classifier.directionSums(parameters, batch, { concentration, parameterGroups: parts, random });
      const dimension = Object.values(sums.gradients).reduce((count, { length }) => count + length, 0);
      roundAll(sums.gradients, 2 ** (Math.floor(Math.log2(Math.sqrt(plan.batchSize / dimension))) - 20), 1 / size);
      return sums;
    }
    if (plan.clipping === undefined) {
      const sums = await classifier.sums(parameters, batch);
      scaleAll(sums.gradients, 1 / size);
      return sums;
    }
    const sums = await classifier.clippedSums(parameters, batch, plan.clipping);
    const multiplier = plan.noiseMultiplier ?? 0;
    if (multiplier === 0) scaleAll(sums.gradients, 1 / size);
    else addNoise(random, sums.gradients, multiplier * plan.clipping.norm * (1 + roundingMargin), 1 / size, sums.exact);
    return sums;
  }
}

function makeSampler({ plan, orderSeed, insecureSeed }: ReleaseOptions): (step: number) => readonly number[] {
  const { examples, batchSize, stepsPerEpoch, sampler } = plan;
  if (sampler.kind === 'poisson') {
    const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
    return (step) =>
      poissonBatch(examples, sampler.sampleRate, secure ?? seededSource(insecureSeed as number).stream(`lot ${step}`));
  }
  let batches: { epoch: number; members: number[][] } | undefined;
  return (step) => {
    const epoch = Math.floor(step / stepsPerEpoch);
    if (batches?.epoch !== epoch) {
      batches = {
        epoch,
        members: shuffledBatches(examples, batchSize, seededSource(orderSeed).stream(`epoch ${epoch}`)),
      };
    }
    return batches.members[step % stepsPerEpoch] as number[];
  };
}

function checkParts(parts: readonly (readonly string[])[], names: readonly string[]): void {
  const given = parts.flat();
  const missing = names.find((name) => !given.includes(name)) ?? given.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new ArgumentError(
      `invalid parts: expected each trainable parameter in one of them, and no other: ${missing}`,
    );
  }
}

/** The plain sum, and the one that the noise is added to. */
async function noiseFree(plan: Plan, classifier: Classifier, parameters: Arrays, batch: readonly number[]) {
  const plain = copyArrays((await classifier.sums(parameters, batch)).gradients);
  const clipping = plan.clipping ?? { kind: 'normalise' as const, norm: 1 };
  if (plan.mechanism === 'none') return { plain, bounded: plain };
  return { plain, bounded: copyArrays((await classifier.clippedSums(parameters, batch, clipping)).gradients) };
}

function scaleAll(arrays: Arrays, factor: number): void {
  for (const array of Object.values(arrays)) {
    for (let i = 0; i < array.length; i++) array[i] = (array[i] as number) * factor;
  }
}
