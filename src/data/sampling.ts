// Which examples a training step sees. How they are drawn decides what the privacy accountant may claim.

import { check, positiveInteger } from '../checks/index.js';
import { bernoulli, type RandomSource, shuffled } from '../random/index.js';

/** Poisson sampling: each example is in the batch with exactly this probability, independently. The batch may be empty. */
export function poissonBatch(examples: number, sampleRate: number, source: RandomSource): number[] {
  positiveInteger({ examples });
  check({ sampleRate }, 'above 0 and at most 1', (rate) => rate > 0 && rate <= 1);
  const batch: number[] = [];
  for (let index = 0; index < examples; index++) if (bernoulli(source, sampleRate)) batch.push(index);
  return batch;
}

/** All examples in random order, cut into disjoint batches of one size; the last one may be smaller. Not Poisson sampling. */
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
