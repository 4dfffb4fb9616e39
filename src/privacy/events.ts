// What was released, as frozen plain data: what accounting needs and nothing else. Meanings never change; new kinds are
// added. Noise is measured against the sensitivity under the neighbours the accountant works with.

import { check, nonNegativeInteger, positive } from '../math/index.js';

export type PrivacyEvent =
  /** Nothing that depends on the data. */
  | { readonly kind: 'none' }
  /** Normal noise with this standard deviation over the ℓ₂ sensitivity. */
  | { readonly kind: 'gaussian'; readonly noiseMultiplier: number }
  /** Laplace noise with this scale over the ℓ₁ sensitivity. */
  | { readonly kind: 'laplace'; readonly noiseMultiplier: number }
  /** One of two answers, the true one with this probability. */
  | { readonly kind: 'randomizedResponse'; readonly truthProbability: number }
  | { readonly kind: 'pureEpsilon'; readonly epsilon: number }
  | { readonly kind: 'approximate'; readonly epsilon: number; readonly delta: number }
  /** The probability of any output changes by at most exp(factor · distance); records are at most `diameter` apart. */
  | {
      readonly kind: 'metric';
      readonly distance: 'euclidean' | 'angle';
      readonly factor: number;
      readonly diameter: number;
    }
  /** Each record takes part with this probability, independently of all others. */
  | { readonly kind: 'poissonSampled'; readonly sampleRate: number; readonly event: PrivacyEvent }
  | { readonly kind: 'selfComposed'; readonly count: number; readonly event: PrivacyEvent }
  | { readonly kind: 'composed'; readonly events: readonly PrivacyEvent[] }
  /** Each event on a part of its own; the parts are disjoint and do not depend on the records. */
  | { readonly kind: 'parallel'; readonly events: readonly PrivacyEvent[] };

type EventKind = PrivacyEvent['kind'];
type Of<K extends EventKind> = Extract<PrivacyEvent, { kind: K }>;

export const none: Of<'none'> = Object.freeze({ kind: 'none' });

export function gaussian(noiseMultiplier: number): Of<'gaussian'> {
  positive({ noiseMultiplier });
  return Object.freeze({ kind: 'gaussian', noiseMultiplier });
}

export function laplace(noiseMultiplier: number): Of<'laplace'> {
  positive({ noiseMultiplier });
  return Object.freeze({ kind: 'laplace', noiseMultiplier });
}

export function randomizedResponse(truthProbability: number): Of<'randomizedResponse'> {
  check({ truthProbability }, 'at least 0.5 and below 1', (p) => p >= 0.5 && p < 1);
  return Object.freeze({ kind: 'randomizedResponse', truthProbability });
}

export function pureEpsilon(epsilon: number): Of<'pureEpsilon'> {
  check({ epsilon }, 'a finite number >= 0', (value) => Number.isFinite(value) && value >= 0);
  return Object.freeze({ kind: 'pureEpsilon', epsilon });
}

export function approximate(epsilon: number, delta: number): Of<'approximate'> {
  check({ epsilon }, 'a finite number >= 0', (value) => Number.isFinite(value) && value >= 0);
  check({ delta }, 'at least 0 and below 1', (value) => value >= 0 && value < 1);
  return Object.freeze({ kind: 'approximate', epsilon, delta });
}

export interface MetricOptions {
  readonly factor: number;
  readonly distance?: 'euclidean' | 'angle';
  /** The largest distance two records can have: 2 for unit vectors. */
  readonly diameter?: number;
}

export function metric({ factor, distance = 'euclidean', diameter = 2 }: MetricOptions): Of<'metric'> {
  positive({ factor, diameter });
  return Object.freeze({ kind: 'metric', distance, factor, diameter });
}

export function poissonSampled(sampleRate: number, event: PrivacyEvent): Of<'poissonSampled'> {
  check({ sampleRate }, 'at least 0 and at most 1', (rate) => rate >= 0 && rate <= 1);
  return Object.freeze({ kind: 'poissonSampled', sampleRate, event });
}

export function selfComposed(count: number, event: PrivacyEvent): Of<'selfComposed'> {
  nonNegativeInteger({ count });
  return Object.freeze({ kind: 'selfComposed', count, event });
}

export function composed(events: readonly PrivacyEvent[]): Of<'composed'> {
  return Object.freeze({ kind: 'composed', events: Object.freeze([...events]) });
}

export function parallel(events: readonly PrivacyEvent[]): Of<'parallel'> {
  return Object.freeze({ kind: 'parallel', events: Object.freeze([...events]) });
}

/** Steps of DP-SGD: a Poisson lot, and normal noise on the clipped sum. */
export function dpSgd(options: { sampleRate: number; noiseMultiplier: number; steps: number }): Of<'selfComposed'> {
  const { sampleRate, noiseMultiplier, steps } = options;
  nonNegativeInteger({ steps });
  return selfComposed(steps, poissonSampled(sampleRate, gaussian(noiseMultiplier)));
}
