// The release of one step: the plan's sampler takes a batch, and the plan's mechanism protects its gradients. The result may be
// public; the optimizer sees nothing else.

import { nonNegativeInteger } from '../checks/index.js';
import { poissonBatch, shuffledBatches } from '../data/index.js';
import { type BatchGradients, mechanismOf, type Plan } from '../mechanisms/index.js';
import { cryptographicSource, seededSource } from '../random/index.js';
import type { BatchSums } from './batch-context.js';
import type { Classifier } from './classifier.js';
import { makeCopies, observeRelease, type ReleaseDiagnostics } from './diagnostics.js';
import type { DropoutSettings, StepDropout } from './dropout.js';
import type { Arrays } from './optimizers.js';

interface Release extends BatchSums {
  /** Examples in the batch. */
  readonly members: number;
  /** The number by which their sum was divided. */
  readonly divisor: number;
  readonly diagnostics?: ReleaseDiagnostics;
}

/** The plan, the classifier and the seeds of a private gradient. */
interface ReleaseOptions {
  readonly plan: Plan;
  readonly classifier: Classifier;
  /** Seeds the order of shuffled batches and the masks of dropout, which need not be secret. */
  readonly orderSeed: number | string;
  /** Seeds batches and noise. Only for experiments: it voids the guarantee. */
  readonly insecureSeed?: number | string;
  /** Applies dropout, with masks from `orderSeed`. Default: none. */
  readonly dropout?: DropoutSettings;
  /** Compares every release, or that of every so many steps, with what it would be without noise. The figures are not private. */
  readonly diagnose?: boolean | { readonly every: number };
}

/** Computes the release of a step. */
export type PrivateGradient = (step: number, parameters: Arrays) => Promise<Release>;

/** Makes the function that computes the release of each step of a plan. */
export function makePrivateGradient(options: ReleaseOptions): PrivateGradient {
  const { plan, classifier, diagnose = false, insecureSeed, dropout, orderSeed: seed } = options;
  const every = typeof diagnose === 'object' ? diagnose.every : Number(diagnose);
  nonNegativeInteger({ every });
  const mechanism = mechanismOf(plan.mechanism);
  mechanism.checkParameters?.(plan, classifier.parameterNames);
  const batchOf = makeSampler(options);
  const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
  const bound = mechanism.boundedBy(plan);
  const copies = makeCopies();
  const randomAt = (step: number) => secure ?? seededSource(insecureSeed as number).stream(`noise ${step}`);

  return async (step, parameters) => {
    const batch = batchOf(step);
    // Poisson batches are divided by their expected size: the actual one would reveal how many took part.
    const divisor = plan.sampler.kind === 'poisson' ? plan.batchSize : Math.max(1, batch.length);
    const stepDropout = dropout && { ...dropout, seed, step };
    const gradients = gradientsOf(classifier, parameters, batch, divisor, stepDropout);
    const members = batch.length;
    const release = (offered: BatchGradients<BatchSums>) => mechanism.release(plan, offered, randomAt(step));
    if (every === 0 || step % every !== 0) return { ...(await release(gradients)), members, divisor };
    const { sums, figures } = await observeRelease(gradients, { bound, copies }, release);
    const numbers = Object.values(sums.gradients).reduce((count, { length }) => count + length, 0);
    const undirected = sums.zero + sums.nonFinite;
    const expectedCosine = mechanism.expectedCosine?.(plan, { ...figures, members, undirected, numbers });
    return {
      ...sums,
      members,
      divisor,
      diagnostics: { ...figures, ...(expectedCosine !== undefined && { expectedCosine }) },
    };
  };
}

/** The gradients of one batch, as a mechanism asks for them. */
const gradientsOf = (
  classifier: Classifier,
  parameters: Arrays,
  batch: readonly number[],
  divisor: number,
  dropout: StepDropout | undefined,
): BatchGradients<BatchSums> => ({
  plain: () => classifier.sums(parameters, batch, dropout),
  clipped: (clipping) => classifier.clippedSums(parameters, batch, clipping, dropout),
  directions: ({ parameterGroups = [classifier.parameterNames], ...rest }) =>
    classifier.directionSums(parameters, batch, { ...rest, parameterGroups }, dropout),
  divisor,
});

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
