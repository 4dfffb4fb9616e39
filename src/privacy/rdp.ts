// Rényi differential privacy: the divergence of each kind of event at one order, and what it means as (ε, δ).

import { logAdd } from '../math/index.js';
import { amplify } from './amplification.js';
import { atLeastZero, belowOne } from './checks.js';
import { type Release, releases, type SimpleEvent, sampledOnce } from './releases.js';
import { checkOrder, sampledGaussianDivergence } from './sampled-gaussian-rdp.js';

/** Two answers whose likelihoods differ by e^ε: the worst that pure ε-DP allows. */
function pureRdp(epsilon: number, order: number): number {
  const logWeight = -Math.log1p(Math.exp(-epsilon)); // of the likelier answer
  const logA = logAdd(logWeight + (order - 1) * epsilon, logWeight - order * epsilon);
  return Math.min(epsilon, Math.max(0, logA / (order - 1)));
}

/** Laplace noise of scale b (Mironov 2017, proposition 6). */
function laplaceRdp(scale: number, order: number): number {
  const a = Math.log(order / (2 * order - 1)) + (order - 1) / scale;
  const b = Math.log((order - 1) / (2 * order - 1)) - order / scale;
  return Math.max(0, logAdd(a, b) / (order - 1));
}

/** A failure of probability δ stands apart: see `failure`. */
function rdp(event: SimpleEvent, order: number): number {
  switch (event.kind) {
    case 'gaussian':
      return order / (2 * event.noiseMultiplier ** 2);
    case 'laplace':
      return laplaceRdp(event.noiseMultiplier, order);
    case 'randomizedResponse':
      return pureRdp(Math.log(event.truthProbability / (1 - event.truthProbability)), order);
    case 'pureEpsilon':
    case 'approximate':
      return pureRdp(event.epsilon, order);
    case 'metric':
      return pureRdp(event.factor * event.diameter, order);
    case 'poissonSampled': {
      const inner = sampledOnce(event);
      if (inner?.event.kind === 'gaussian') {
        return sampledGaussianDivergence(inner.sampleRate, inner.event.noiseMultiplier, order);
      }
      const amplified = inner && amplify(inner.event, inner.sampleRate);
      return amplified ? pureRdp(amplified.epsilon, order) : Number.POSITIVE_INFINITY;
    }
    case 'parallel':
      return Math.max(...event.events.map((part) => totalRdp(releases(part), order)));
  }
}

export function totalRdp(events: readonly Release[], order: number): number {
  return events.reduce((sum, { event, count }) => sum + count * rdp(event, order), 0);
}

/** The probability that some release with a δ of its own fails altogether. */
export function failure(events: readonly Release[]): number {
  let logSafe = 0;
  for (const { event, count } of events) logSafe += count * Math.log1p(-eventFailure(event));
  return -Math.expm1(logSafe);
}

function eventFailure(event: SimpleEvent): number {
  if (event.kind === 'approximate') return event.delta;
  if (event.kind === 'parallel') return Math.max(...event.events.map((part) => failure(releases(part))));
  if (event.kind !== 'poissonSampled') return 0;
  const inner = sampledOnce(event);
  return inner ? inner.sampleRate * eventFailure(inner.event) : 0;
}

/** ε from a Rényi bound (Balle et al. 2020, theorem 21). */
export function rdpToEpsilon(bound: number, order: number, delta: number): number {
  atLeastZero({ bound });
  checkOrder(order);
  belowOne({ delta });
  return epsilonAtOrder(bound, order, delta);
}

/** The same without checks, for searches over orders. */
export function epsilonAtOrder(bound: number, order: number, delta: number): number {
  if (bound === 0) return 0; // the two distributions are the same
  if (delta === 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, bound - (Math.log(delta) + Math.log(order)) / (order - 1) + Math.log1p(-1 / order));
}

/** δ from a Rényi bound: the same, solved for δ. */
export function rdpToDelta(bound: number, order: number, epsilon: number): number {
  atLeastZero({ bound, epsilon });
  checkOrder(order);
  return deltaAtOrder(bound, order, epsilon);
}

export function deltaAtOrder(bound: number, order: number, epsilon: number): number {
  if (bound === 0) return 0;
  const log = (order - 1) * (bound - epsilon + Math.log1p(-1 / order)) - Math.log(order);
  return Math.min(1, Math.exp(log));
}
