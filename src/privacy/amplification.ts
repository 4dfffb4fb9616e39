// Amplification of (ε, δ) by Poisson sampling, groups of records, and the events that have an (ε, δ) of their own.

import { check, nonNegative } from '../checks/index.js';
import { belowOne, probability } from './checks.js';
import type { SimpleEvent } from './releases.js';

/** A plain (ε, δ) pair: ε finite and at least 0, δ at least 0 and below 1. */
export interface EpsilonDelta {
  readonly epsilon: number;
  readonly delta: number;
}

/** Amplification by Poisson sampling with rate q, for add-or-remove-one neighbours: ε' = ln(1 + q(e^ε − 1)), δ' = qδ. */
export function amplifyBySampling({ epsilon, delta }: EpsilonDelta, sampleRate: number): EpsilonDelta {
  nonNegative({ epsilon });
  belowOne({ delta });
  probability({ sampleRate });
  if (sampleRate === 0) return { epsilon: 0, delta: 0 };
  // Above 30, e^ε − 1 equals e^ε in float64, and the sum may overflow.
  const amplified =
    epsilon > 30 ? epsilon + Math.log(sampleRate + Math.exp(-epsilon)) : Math.log1p(sampleRate * Math.expm1(epsilon));
  return { epsilon: Math.min(epsilon, amplified), delta: sampleRate * delta };
}

/** The guarantee of a group of k records: kε, with δ multiplied by (e^{kε} − 1)/(e^ε − 1). */
export function groupPrivacy({ epsilon, delta }: EpsilonDelta, size: number): EpsilonDelta {
  nonNegative({ epsilon });
  belowOne({ delta });
  check({ size }, 'a whole number >= 1', (value) => Number.isSafeInteger(value) && value >= 1);
  return { epsilon: size * epsilon, delta: Math.min(1, growGroup(delta, epsilon, size)) };
}

function growGroup(delta: number, epsilon: number, size: number): number {
  if (delta === 0 || size === 1) return delta;
  // Each exponential alone may overflow; their ratio is e^{(k−1)ε} (1 − e^{−kε})/(1 − e^{−ε}).
  const ratio = epsilon === 0 ? size : Math.expm1(-size * epsilon) / Math.expm1(-epsilon);
  return delta * Math.exp((size - 1) * epsilon) * ratio;
}

/** The guarantee of releases on disjoint parts of the data: the worst of them, because each record is in one part. */
export function parallelComposition(parts: readonly EpsilonDelta[]): EpsilonDelta {
  for (const { epsilon, delta } of parts) {
    nonNegative({ epsilon });
    belowOne({ delta });
  }
  return {
    epsilon: parts.reduce((worst, { epsilon }) => Math.max(worst, epsilon), 0),
    delta: parts.reduce((worst, { delta }) => Math.max(worst, delta), 0),
  };
}

/** The ε and δ of an event that has its own; undefined for normal noise and compositions. */
export function ownGuarantee(event: SimpleEvent): EpsilonDelta | undefined {
  switch (event.kind) {
    case 'pureEpsilon':
      return { epsilon: event.epsilon, delta: 0 };
    case 'approximate':
      return { epsilon: event.epsilon, delta: event.delta };
    case 'laplace':
      return { epsilon: 1 / event.noiseMultiplier, delta: 0 };
    case 'randomizedResponse':
      return { epsilon: Math.log(event.truthProbability / (1 - event.truthProbability)), delta: 0 };
    case 'metric':
      return { epsilon: event.factor * event.diameter, delta: 0 };
    default:
      return undefined;
  }
}

/** The same after Poisson sampling. */
export function amplify(event: SimpleEvent, sampleRate: number): EpsilonDelta | undefined {
  const own = ownGuarantee(event);
  return own && amplifyBySampling(own, sampleRate);
}
