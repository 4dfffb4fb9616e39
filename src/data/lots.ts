// Which examples a training step sees. How they are drawn decides what the privacy accountant may claim.

import { check, positiveInteger } from '../checks/index.js';
import { bernoulli, type RandomSource, shuffled } from '../random/index.js';

/** Poisson sampling: each example is in the lot with exactly this probability, independently. The lot may be empty. */
export function poissonLot(examples: number, sampleRate: number, source: RandomSource): number[] {
  positiveInteger({ examples });
  check({ sampleRate }, 'above 0 and at most 1', (rate) => rate > 0 && rate <= 1);
  const lot: number[] = [];
  for (let index = 0; index < examples; index++) if (bernoulli(source, sampleRate)) lot.push(index);
  return lot;
}

/** All examples in random order, cut into disjoint lots of one size; the last one may be smaller. Not Poisson sampling. */
export function shuffledLots(examples: number, lotSize: number, source: RandomSource): number[][] {
  positiveInteger({ examples, lotSize });
  const order = shuffled(
    source,
    Array.from({ length: examples }, (_, index) => index),
  );
  return Array.from({ length: Math.ceil(examples / lotSize) }, (_, lot) =>
    order.slice(lot * lotSize, (lot + 1) * lotSize),
  );
}
