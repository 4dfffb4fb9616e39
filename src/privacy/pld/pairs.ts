// Dominating pairs of distributions (P, Q), described by the privacy loss L = log dP/dQ. Each pair gives the probability of L
// in intervals under both, as logarithms; the accountant needs nothing else.

import { log1mExp, logAdd, logNormalInterval } from '../../math/index.js';

export interface LossPair {
  /** log P and log Q of the loss between each bound and the next; the upper end is included. */
  masses(bounds: Float64Array): LogMasses;
  /** Outside this range lies at most `tail` of P, and of Q, on either side. */
  range(tail: number): readonly [low: number, high: number];
  /** Whether the loss stays inside its range however small the tail is. */
  readonly bounded: boolean;
  /** P of an infinite loss. */
  readonly infinity: number;
}

interface LogMasses {
  readonly logP: Float64Array;
  readonly logQ: Float64Array;
}

const ZERO = Number.NEGATIVE_INFINITY;

function eachInterval(bounds: Float64Array, logMass: (low: number, high: number) => number): Float64Array {
  const logs = new Float64Array(bounds.length - 1);
  for (let i = 0; i < logs.length; i++) logs[i] = logMass(bounds[i] as number, bounds[i + 1] as number);
  return logs;
}

/** N(μ, 1) against N(0, 1): the loss is normal, with variance μ² and mean ± μ²/2. */
export function gaussianPair(mu: number): LossPair {
  const mean = mu ** 2 / 2;
  return {
    masses: (bounds) => ({
      logP: eachInterval(bounds, (low, high) => logNormalInterval((low - mean) / mu, (high - mean) / mu)),
      logQ: eachInterval(bounds, (low, high) => logNormalInterval((low + mean) / mu, (high + mean) / mu)),
    }),
    range(tail) {
      // Φ(−z) ≤ exp(−z²/2).
      const reach = mean + mu * Math.sqrt(-2 * Math.log(tail));
      return [-reach, reach];
    },
    bounded: false,
    infinity: 0,
  };
}

/** The mass of an interval with two atoms at ±a added. */
function addAtoms(a: number, low: number, high: number, logMass: number, bottom: number, top: number): number {
  const withBottom = low < -a && high >= -a ? logAdd(logMass, bottom) : logMass;
  return low < a && high >= a ? logAdd(withBottom, top) : withBottom;
}

/** Laplace noise of scale 1/a on values one apart: atoms at ±a and an exponential piece between. */
export function laplacePair(scale: number): LossPair {
  const a = 1 / scale;
  // P of a loss in (low, high] strictly inside ±a; Q is its mirror image.
  const between = (low: number, high: number) => {
    const [from, to] = [Math.max(low, -a), Math.min(high, a)];
    return from < to ? -Math.LN2 - (a - to) / 2 + log1mExp(-(to - from) / 2) : ZERO;
  };
  const [likely, other] = [-Math.LN2, -a - Math.LN2];
  return {
    masses: (bounds) => ({
      logP: eachInterval(bounds, (low, high) => addAtoms(a, low, high, between(low, high), other, likely)),
      logQ: eachInterval(bounds, (low, high) => addAtoms(a, low, high, between(-high, -low), likely, other)),
    }),
    range: () => [-a, a],
    bounded: true,
    infinity: 0,
  };
}

/** Two answers whose likelihoods differ by e^ε, and a failure with probability δ: the worst that (ε, δ) allows. */
export function answerPair(epsilon: number, delta = 0): LossPair {
  const likely = Math.log1p(-delta) - Math.log1p(Math.exp(-epsilon));
  const other = likely - epsilon;
  return {
    masses: (bounds) => ({
      logP: eachInterval(bounds, (low, high) => addAtoms(epsilon, low, high, ZERO, other, likely)),
      logQ: eachInterval(bounds, (low, high) => addAtoms(epsilon, low, high, ZERO, likely, other)),
    }),
    range: () => [-epsilon, epsilon],
    bounded: true,
    infinity: delta,
  };
}

/** A record that takes part with probability q: (1 − q) Q + q P against Q. The loss is log(1 − q + q e^L). */
export function sampledPair(pair: LossPair, q: number): LossPair {
  const [logRate, logRest] = [Math.log(q), Math.log1p(-q)];
  const forward = (loss: number) => (loss > 30 ? loss + logRate : Math.log1p(q * Math.expm1(loss)));
  const backward = (loss: number) => {
    if (loss > 30) return loss - logRate + Math.log1p(-Math.exp(logRest - loss));
    const growth = Math.expm1(loss) / q;
    return growth <= -1 ? ZERO : Math.log1p(growth);
  };
  return {
    masses(bounds) {
      const inner = pair.masses(bounds.map(backward));
      const logP = inner.logP.map((p, i) => logAdd(logRest + (inner.logQ[i] as number), logRate + p));
      return { logP, logQ: inner.logQ };
    },
    range(tail) {
      const [low, high] = pair.range(tail);
      return [forward(low), forward(high)];
    },
    bounded: pair.bounded,
    infinity: 0,
  };
}

/** Q against P, for pairs without infinite losses. */
export function reversedPair(pair: LossPair): LossPair {
  return {
    ...pair,
    masses(bounds) {
      const { logP, logQ } = pair.masses(bounds.map((bound) => -bound).reverse());
      return { logP: logQ.reverse(), logQ: logP.reverse() };
    },
    range(tail) {
      const [low, high] = pair.range(tail);
      return [-high, -low];
    },
  };
}
