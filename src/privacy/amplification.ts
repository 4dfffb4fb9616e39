// What Poisson sampling makes of (ε, δ), and the events that are (ε, δ) by themselves.

import { check, nonNegative } from '../checks/index.js';
import { belowOne, probability } from './checks.js';
import type { SimpleEvent } from './releases.js';

export interface EpsilonDelta {
  readonly epsilon: number;
  readonly delta: number;
}

/** Add-or-remove-one neighbours: ε' = ln(1 + q(e^ε − 1)), δ' = qδ. */
export function amplifyBySampling({ epsilon, delta }: EpsilonDelta, sampleRate: number): EpsilonDelta {
  nonNegative({ epsilon });
  belowOne({ delta });
  probability({ sampleRate });
  if (sampleRate === 0) return { epsilon: 0, delta: 0 };
  // Above 30, e^ε − 1 is e^ε for a float64, and the sum may overflow.
  const amplified =
    epsilon > 30 ? epsilon + Math.log(sampleRate + Math.exp(-epsilon)) : Math.log1p(sampleRate * Math.expm1(epsilon));
  return { epsilon: Math.min(epsilon, amplified), delta: sampleRate * delta };
}

/** A group of k is protected by kε; a δ grows by (e^{kε} − 1)/(e^ε − 1). */
export function groupPrivacy({ epsilon, delta }: EpsilonDelta, size: number): EpsilonDelta {
  nonNegative({ epsilon });
  belowOne({ delta });
  check({ size }, 'a whole number >= 1', (value) => Number.isSafeInteger(value) && value >= 1);
  return { epsilon: size * epsilon, delta: Math.min(1, growGroup(delta, epsilon, size)) };
}

function growGroup(delta: number, epsilon: number, size: number): number {
  if (delta === 0 || size === 1) return delta;
  // Both exponentials alone may overflow; their ratio is e^{(k−1)ε} (1 − e^{−kε})/(1 − e^{−ε}).
  const ratio = epsilon === 0 ? size : Math.expm1(-size * epsilon) / Math.expm1(-epsilon);
  return delta * Math.exp((size - 1) * epsilon) * ratio;
}

/** Disjoint parts of the data: each record is in one of them. */
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

/** ε and δ of an event that has them by itself; undefined for normal noise and compositions. */
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

export function amplify(event: SimpleEvent, sampleRate: number): EpsilonDelta | undefined {
  const own = ownGuarantee(event);
  return own && amplifyBySampling(own, sampleRate);
}
