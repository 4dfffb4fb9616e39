// Rényi differential privacy: the divergence of each kind of event at one order, and what it means as (ε, δ).

import { amplify } from './amplification.js';
import { atLeastZero, belowOne } from './checks.js';
import { type Release, releases, type SimpleEvent, sampledOnce } from './releases.js';
import { checkOrder, sampledGaussianDivergence } from './sampled-gaussian-rdp.js';

/** Two answers whose likelihoods differ by e^ε: the worst that pure ε-DP allows. */
function pureRdp(epsilon: number, order: number): number {
  const exponent = (order - 1) * epsilon;
  const logOther = Math.log1p(Math.exp(-epsilon));
  // A − 1 is a product, so that the smallest ε keep their digits.
  const logA =
    exponent < 30
      ? Math.log1p((Math.expm1(exponent) * -Math.expm1(-order * epsilon)) / Math.exp(logOther))
      : exponent - logOther;
  return Math.min(epsilon, logA / (order - 1));
}

/** Laplace noise of scale b (Mironov 2017, proposition 6): A = (α e^{(α−1)/b} + (α − 1) e^{−α/b}) / (2α − 1). */
function laplaceRdp(scale: number, order: number): number {
  const [up, down] = [(order - 1) / scale, -order / scale];
  const logA =
    up < 30
      ? Math.log1p((order * expm2(up) + (order - 1) * expm2(down)) / (2 * order - 1))
      : up + Math.log(order / (2 * order - 1)) + Math.log1p((1 - 1 / order) * Math.exp(down - up));
  return logA / (order - 1);
}

/** eˣ − 1 − x, by its series where the difference would lose digits. */
function expm2(x: number): number {
  if (Math.abs(x) > 0.5) return Math.expm1(x) - x;
  let [term, sum] = [x, 0];
  for (let n = 2; n <= 16; n++) {
    term *= x / n;
    sum += term;
  }
  return sum;
}

/** The divergence of one event. A δ of its own is counted apart: see `failure`. */
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

/** Divergences at the same order add up. */
export function totalRdp(events: readonly Release[], order: number): number {
  return events.reduce((sum, { event, count }) => sum + count * rdp(event, order), 0);
}

/** The probability that at least one release with a δ of its own fails. */
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

/** ε at this δ from a bound on the Rényi divergence of one order (Balle et al. 2020, theorem 21). */
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

/** δ at this ε from a bound on the Rényi divergence of one order: the same formula, solved for δ. */
export function rdpToDelta(bound: number, order: number, epsilon: number): number {
  atLeastZero({ bound, epsilon });
  checkOrder(order);
  return deltaAtOrder(bound, order, epsilon);
}

export function deltaAtOrder(bound: number, order: number, epsilon: number): number {
  if (bound === 0) return 0;
  if (bound === Number.POSITIVE_INFINITY) return 1;
  const log = (order - 1) * (bound - epsilon + Math.log1p(-1 / order)) - Math.log(order);
  return Math.min(1, Math.exp(log));
}
