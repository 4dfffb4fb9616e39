// Which examples a training step uses. How they are sampled decides what the privacy accountant may claim.

import { check, positiveInteger } from '../checks/index.js';
import { bernoulli, type RandomSource, shuffled } from '../random/index.js';

/**
 * Poisson sampling: takes each of `examples` independently with exactly probability `sampleRate` (above 0, at most 1) and
 * returns the indices. The batch may be empty. Use a cryptographic source if a guarantee depends on it.
 */
export function poissonBatch(examples: number, sampleRate: number, source: RandomSource): number[] {
  positiveInteger({ examples });
  check({ sampleRate }, 'above 0 and at most 1', (rate) => rate > 0 && rate <= 1);
  const batch: number[] = [];
  for (let index = 0; index < examples; index++) if (bernoulli(source, sampleRate)) batch.push(index);
  return batch;
}

/**
 * Shuffles the indices of all examples and cuts them into disjoint batches; the last one may be smaller. This is not Poisson
 * sampling, so amplification by sampling does not apply.
 */
export function shuffledBatches(examples: number, batchSize: number, source: RandomSource): number[][] {
  positiveInteger({ examples, batchSize });
  const order = shuffled(
    source,
    Array.from({ length: examples }, (_, index) => index),
  );
  return Array.from({ length: Math.ceil(examples / batchSize) }, (_, batch) =>
    order.slice(batch * batchSize, (batch + 1) * batchSize),
  );
}
