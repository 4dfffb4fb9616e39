// Events: what was released, as frozen plain data with what accounting needs and nothing else. Meanings never change; new
// kinds are added. Noise is measured against the sensitivity under the accountant's neighbours.

import { check, nonNegative, nonNegativeInteger, positive } from '../checks/index.js';
import { belowOne, probability } from './checks.js';

/** What was released, as frozen plain data. Make it with the functions of the same names. */
export type PrivacyEvent =
  /** Nothing that depends on the data. */
  | { readonly kind: 'none' }
  /** Normal noise; the multiplier is its standard deviation over the ℓ₂ sensitivity. */
  | { readonly kind: 'gaussian'; readonly noiseMultiplier: number }
  /** Laplace noise; the multiplier is its scale over the ℓ₁ sensitivity. */
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
  /** Each event on its own part of the data; the parts are disjoint and do not depend on the records. */
  | { readonly kind: 'parallel'; readonly events: readonly PrivacyEvent[] };

type EventKind = PrivacyEvent['kind'];
type Of<K extends EventKind> = Extract<PrivacyEvent, { kind: K }>;

/** A release of nothing that depends on the data. */
export const none: Of<'none'> = Object.freeze({ kind: 'none' });

/** Normal noise on a query; the noise multiplier σ is its standard deviation over the ℓ₂ sensitivity. */
export function gaussian(noiseMultiplier: number): Of<'gaussian'> {
  positive({ noiseMultiplier });
  return Object.freeze({ kind: 'gaussian', noiseMultiplier });
}

/** Laplace noise on a query; the noise multiplier is its scale over the ℓ₁ sensitivity, 1/ε. */
export function laplace(noiseMultiplier: number): Of<'laplace'> {
  positive({ noiseMultiplier });
  return Object.freeze({ kind: 'laplace', noiseMultiplier });
}

/** One of two answers, the true one with this probability, at least 0.5 and below 1: ε = ln(p/(1 − p)). Replace-one only. */
export function randomizedResponse(truthProbability: number): Of<'randomizedResponse'> {
  check({ truthProbability }, 'at least 0.5 and below 1', (p) => Number.isFinite(p) && p >= 0.5 && p < 1);
  return Object.freeze({ kind: 'randomizedResponse', truthProbability });
}

/** Any release that is known to have this ε and δ = 0. */
export function pureEpsilon(epsilon: number): Of<'pureEpsilon'> {
  nonNegative({ epsilon });
  return Object.freeze({ kind: 'pureEpsilon', epsilon });
}

/** Any release that is known to have this ε and δ. */
export function approximate(epsilon: number, delta: number): Of<'approximate'> {
  nonNegative({ epsilon });
  belowOne({ delta });
  return Object.freeze({ kind: 'approximate', epsilon, delta });
}

/** Options of `metric`. */
export interface MetricOptions {
  /** The privacy loss per unit of distance. */
  readonly factor: number;
  /** How distances are measured. Default: euclidean. */
  readonly distance?: 'euclidean' | 'angle';
  /** The largest distance between two records. Default: that of unit vectors, 2, or π as an angle. */
  readonly diameter?: number;
}

/** Metric privacy: the probability of any output changes by at most exp(factor · distance) between two records. Replace-one only. */
export function metric({ factor, distance = 'euclidean', ...options }: MetricOptions): Of<'metric'> {
  check({ distance }, 'euclidean or angle', (name) => name === 'euclidean' || name === 'angle');
  const { diameter = distance === 'angle' ? Math.PI : 2 } = options;
  positive({ factor, diameter });
  return Object.freeze({ kind: 'metric', distance, factor, diameter });
}

/** An event on a Poisson sample: each record takes part with this probability, independently of all others. */
export function poissonSampled(sampleRate: number, event: PrivacyEvent): Of<'poissonSampled'> {
  probability({ sampleRate });
  return Object.freeze({ kind: 'poissonSampled', sampleRate, event });
}

/** An event that happens `count` times, with fresh randomness each time. */
export function selfComposed(count: number, event: PrivacyEvent): Of<'selfComposed'> {
  nonNegativeInteger({ count });
  return Object.freeze({ kind: 'selfComposed', count, event });
}

/** Events one after another on the same records. */
export function composed(events: readonly PrivacyEvent[]): Of<'composed'> {
  return Object.freeze({ kind: 'composed', events: Object.freeze([...events]) });
}

/** Events on disjoint parts of the data, one each. The parts must be chosen without looking at the records. */
export function parallel(events: readonly PrivacyEvent[]): Of<'parallel'> {
  return Object.freeze({ kind: 'parallel', events: Object.freeze([...events]) });
}

/** The steps of DP-SGD: Poisson batches with this sample rate, and normal noise on each clipped sum. */
export function dpSgd(options: { sampleRate: number; noiseMultiplier: number; steps: number }): Of<'selfComposed'> {
  const { sampleRate, noiseMultiplier, steps } = options;
  nonNegativeInteger({ steps });
  return selfComposed(steps, poissonSampled(sampleRate, gaussian(noiseMultiplier)));
}

/** The same event, made again by the functions above: an event made by hand may hold what they would have refused. */
export function checkedEvent(event: PrivacyEvent): PrivacyEvent {
  check({ event }, 'an event', (value) => typeof value === 'object' && value !== null);
  const make = Object.hasOwn(remake, event.kind)
    ? (remake[event.kind] as (event: PrivacyEvent) => PrivacyEvent)
    : undefined;
  check({ 'kind of event': event.kind }, Object.keys(remake).join(', '), () => make !== undefined);
  return make ? make(event) : none;
}

function checkedList(events: readonly PrivacyEvent[]): readonly PrivacyEvent[] {
  check({ events }, 'a list', Array.isArray);
  return events.map(checkedEvent);
}

const remake: { readonly [K in EventKind]: (event: Of<K>) => PrivacyEvent } = {
  none: () => none,
  gaussian: (event) => gaussian(event.noiseMultiplier),
  laplace: (event) => laplace(event.noiseMultiplier),
  randomizedResponse: (event) => randomizedResponse(event.truthProbability),
  pureEpsilon: (event) => pureEpsilon(event.epsilon),
  approximate: (event) => approximate(event.epsilon, event.delta),
  metric: (event) => metric(event),
  poissonSampled: (event) => poissonSampled(event.sampleRate, checkedEvent(event.event)),
  selfComposed: (event) => selfComposed(event.count, checkedEvent(event.event)),
  composed: (event) => composed(checkedList(event.events)),
  parallel: (event) => parallel(checkedList(event.events)),
};
