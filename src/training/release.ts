// One step's release: the lot, the bounded sum or the random directions, and the noise, as the plan says. What comes out may
// be seen by anybody; the optimizer only ever sees this.

import { ArgumentError } from '../checks/index.js';
import { poissonLot, shuffledLots } from '../data/index.js';
import { cryptographicSource, type RandomSource, seededSource } from '../random/index.js';
import type { Classifier } from './classifier.js';
import { compareRelease, copyArrays, type ReleaseDiagnostics } from './diagnostics.js';
import type { LotSums } from './lot.js';
import { addNoise, roundAll } from './noise.js';
import type { Arrays } from './optimizers.js';
import type { Plan } from './plan-options.js';

/** Rounding in float32 may let a bounded gradient be this much longer than its bound (measured, not proved), and more than covers the grid. */
export const roundingMargin = 2 ** -12;

interface Release extends LotSums {
  /** Examples in the lot. */
  readonly members: number;
  readonly diagnostics?: ReleaseDiagnostics;
}

export interface ReleaseOptions {
  readonly plan: Plan;
  readonly classifier: Classifier;
  /** Of the order of shuffled lots, which need not be secret. */
  readonly orderSeed: number | string;
  /** Lots and noise from a seed: for experiments only, it voids the guarantee. */
  readonly insecureSeed?: number | string;
  /** Compare every release with what it would be without noise. The figures are not private. */
  readonly diagnose?: boolean;
}

export type Releaser = (step: number, parameters: Arrays) => Promise<Release>;

export function makeReleaser(options: ReleaseOptions): Releaser {
  const { plan, classifier, diagnose = false, insecureSeed } = options;
  const lotOf = makeSampler(options);
  const names = classifier.parameterNames;
  const parts = plan.parts ?? [names];
  checkParts(parts, names);
  const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
  const randomAt = (step: number) => secure ?? seededSource(insecureSeed as number).stream(`noise ${step}`);

  return async (step, parameters) => {
    const lot = lotOf(step);
    const members = lot.length;
    const own = diagnose ? await noiseFree(plan, classifier, parameters, lot) : undefined;
    const sums = await release(lot, parameters, randomAt(step));
    return { ...sums, members, ...(own && { diagnostics: compareRelease(sums.gradients, own) }) };
  };

  async function release(lot: readonly number[], parameters: Arrays, random: RandomSource): Promise<LotSums> {
    // Poisson lots are divided by their expected size: the realised one would tell how many took part.
    const size = plan.sampler.kind === 'poisson' ? plan.lotSize : Math.max(1, lot.length);
    if (plan.concentration !== undefined) {
      const { concentration } = plan;
      const sums = await classifier.directionSums(parameters, lot, { concentration, parts, random });
      const dimension = Object.values(sums.gradients).reduce((count, { length }) => count + length, 0);
      roundAll(sums.gradients, 2 ** (Math.floor(Math.log2(Math.sqrt(plan.lotSize / dimension))) - 20), 1 / size);
      return sums;
    }
    if (plan.bounding === undefined) {
      const sums = await classifier.sums(parameters, lot);
      scaleAll(sums.gradients, 1 / size);
      return sums;
    }
    const sums = await classifier.boundedSums(parameters, lot, plan.bounding);
    const multiplier = plan.noiseMultiplier ?? 0;
    if (multiplier === 0) scaleAll(sums.gradients, 1 / size);
    else addNoise(random, sums.gradients, multiplier * plan.bounding.norm * (1 + roundingMargin), 1 / size, sums.exact);
    return sums;
  }
}

function makeSampler({ plan, orderSeed, insecureSeed }: ReleaseOptions): (step: number) => readonly number[] {
  const { examples, lotSize, lotsPerEpoch, sampler } = plan;
  if (sampler.kind === 'poisson') {
    const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
    return (step) =>
      poissonLot(examples, sampler.sampleRate, secure ?? seededSource(insecureSeed as number).stream(`lot ${step}`));
  }
  let lots: { epoch: number; members: number[][] } | undefined;
  return (step) => {
    const epoch = Math.floor(step / lotsPerEpoch);
    if (lots?.epoch !== epoch) {
      lots = { epoch, members: shuffledLots(examples, lotSize, seededSource(orderSeed).stream(`epoch ${epoch}`)) };
    }
    return lots.members[step % lotsPerEpoch] as number[];
  };
}

function checkParts(parts: readonly (readonly string[])[], names: readonly string[]): void {
  const given = parts.flat();
  const missing = names.find((name) => !given.includes(name)) ?? given.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw new ArgumentError(`invalid parts: expected each trained parameter in one of them, and no other: ${missing}`);
  }
}

/** The plain sum, and the one that the noise is added to. */
async function noiseFree(plan: Plan, classifier: Classifier, parameters: Arrays, lot: readonly number[]) {
  const plain = copyArrays((await classifier.sums(parameters, lot)).gradients);
  const bounding = plan.bounding ?? { kind: 'normalise' as const, norm: 1 };
  if (plan.mechanism === 'none') return { plain, bounded: plain };
  return { plain, bounded: copyArrays((await classifier.boundedSums(parameters, lot, bounding)).gradients) };
}

function scaleAll(arrays: Arrays, factor: number): void {
  for (const array of Object.values(arrays)) {
    for (let i = 0; i < array.length; i++) array[i] = (array[i] as number) * factor;
  }
}
