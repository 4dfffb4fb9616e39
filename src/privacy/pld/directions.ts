// Events as pairs of distributions, in both directions: a record removed, and a record added.

import { amplifyBySampling, ownGuarantee } from '../amplification.js';
import { type Release, type SimpleEvent, sampledOnce } from '../releases.js';
import { answerPair, gaussianPair, type LossPair, laplacePair, reversedPair, sampledPair } from './pairs.js';

export interface CountedPair {
  readonly pair: LossPair;
  readonly count: number;
}

/** The pair of an event without sampling. All of these are symmetric: both directions are the same. */
function plainPair(event: SimpleEvent): LossPair {
  if (event.kind === 'gaussian') return gaussianPair(1 / event.noiseMultiplier);
  if (event.kind === 'laplace') return laplacePair(event.noiseMultiplier);
  const { epsilon, delta } = ownGuarantee(event) ?? { epsilon: 0, delta: 1 };
  return answerPair(epsilon, delta);
}

/** The squared μ of all normal noise without sampling: those releases count as one. */
export function plainGaussianSquares(events: readonly Release[]): number {
  let squares = 0;
  for (const { event, count } of events) {
    const inner = sampledOnce(event);
    if (inner?.event.kind === 'gaussian' && inner.sampleRate === 1) squares += count / inner.event.noiseMultiplier ** 2;
  }
  return squares;
}

/** One list of pairs for removing a record and one for adding it; a single list when they are equal. */
export function directions(events: readonly Release[]): readonly (readonly CountedPair[])[] {
  const same: CountedPair[] = [];
  const removed: CountedPair[] = [];
  const added: CountedPair[] = [];
  const squares = plainGaussianSquares(events);
  if (squares > 0) same.push({ pair: gaussianPair(Math.sqrt(squares)), count: 1 });
  for (const { event, count } of events) {
    const { sampleRate, event: inner } = sampledOnce(event) ?? { sampleRate: 1, event };
    if (sampleRate === 1) {
      if (inner.kind !== 'gaussian') same.push({ pair: plainPair(inner), count });
      continue;
    }
    const own = ownGuarantee(inner);
    if (own && own.delta > 0) {
      const { epsilon, delta } = amplifyBySampling(own, sampleRate);
      same.push({ pair: answerPair(epsilon, delta), count });
      continue;
    }
    const pair = sampledPair(plainPair(inner), sampleRate);
    removed.push({ pair, count });
    added.push({ pair: reversedPair(pair), count });
  }
  return removed.length === 0
    ? [same]
    : [
        [...same, ...removed],
        [...same, ...added],
      ];
}
