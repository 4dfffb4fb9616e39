// The release of one step: the plan's sampler takes a batch, and the plan's mechanism protects its gradients. The result may be
// public; the optimizer sees nothing else.

import { poissonBatch, shuffledBatches } from '../data/index.js';
import { type BatchGradients, type Clipping, mechanismOf, type Plan } from '../mechanisms/index.js';
import { cryptographicSource, seededSource } from '../random/index.js';
import type { BatchSums } from './batch-context.js';
import type { Classifier } from './classifier.js';
import { compareRelease, copyArrays, type ReleaseDiagnostics } from './diagnostics.js';
import type { Arrays } from './optimizers.js';

interface Release extends BatchSums {
  /** Examples in the batch. */
  readonly members: number;
  readonly diagnostics?: ReleaseDiagnostics;
}

/** The plan, the classifier and the seeds of a private gradient. */
interface ReleaseOptions {
  readonly plan: Plan;
  readonly classifier: Classifier;
  /** Seeds the order of shuffled batches, which need not be secret. */
  readonly orderSeed: number | string;
  /** Seeds batches and noise. Only for experiments: it voids the guarantee. */
  readonly insecureSeed?: number | string;
  /** Compares every release with what it would be without noise. The figures are not private. */
  readonly diagnose?: boolean;
}

/** Computes the release of a step. */
export type PrivateGradient = (step: number, parameters: Arrays) => Promise<Release>;

/** Makes the function that computes the release of each step of a plan. */
export function makePrivateGradient(options: ReleaseOptions): PrivateGradient {
  const { plan, classifier, diagnose = false, insecureSeed } = options;
  const mechanism = mechanismOf(plan.mechanism);
  mechanism.checkParameters?.(plan, classifier.parameterNames);
  const batchOf = makeSampler(options);
  const secure = insecureSeed === undefined ? cryptographicSource() : undefined;
  const randomAt = (step: number) => secure ?? seededSource(insecureSeed as number).stream(`noise ${step}`);

  return async (step, parameters) => {
    const batch = batchOf(step);
    // Poisson batches are divided by their expected size: the actual one would reveal how many took part.
    const divisor = plan.sampler.kind === 'poisson' ? plan.batchSize : Math.max(1, batch.length);
    const gradients = gradientsOf(classifier, parameters, batch, divisor);
    const own = diagnose ? await noiseFree(gradients, mechanism.boundedBy(plan)) : undefined;
    const sums = await mechanism.release(plan, gradients, randomAt(step));
    return { ...sums, members: batch.length, ...(own && { diagnostics: compareRelease(sums.gradients, own) }) };
  };
}

/** The gradients of one batch, as a mechanism asks for them. */
const gradientsOf = (
  classifier: Classifier,
  parameters: Arrays,
  batch: readonly number[],
  divisor: number,
): BatchGradients<BatchSums> => ({
  plain: () => classifier.sums(parameters, batch),
  clipped: (clipping) => classifier.clippedSums(parameters, batch, clipping),
  directions: ({ parameterGroups = [classifier.parameterNames], ...rest }) =>
    classifier.directionSums(parameters, batch, { ...rest, parameterGroups }),
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

/** The plain sum, and the clipped sum to which noise is added. */
async function noiseFree(batch: BatchGradients<BatchSums>, clipping: Clipping | undefined) {
  const plain = copyArrays((await batch.plain()).gradients);
  if (clipping === undefined) return { plain, clipped: plain };
  return { plain, clipped: copyArrays((await batch.clipped(clipping)).gradients) };
}
