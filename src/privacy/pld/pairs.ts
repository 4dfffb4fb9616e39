// Dominating pairs of distributions (P, Q), seen through the privacy loss L = log dP/dQ. Each pair knows the probability of
// L in an interval under both, as logarithms; that is all the accountant needs.

import { log1mExp, logAdd, logNormalInterval } from '../../math/index.js';

export interface LossPair {
  /** log P and log Q of the loss in (low, high]. */
  mass(low: number, high: number): readonly [logP: number, logQ: number];
  /** Outside this range lies at most `tail` of P, and of Q, on either side. */
  range(tail: number): readonly [low: number, high: number];
  /** The loss cannot leave its range, however small the tail. */
  readonly bounded: boolean;
  /** P of an infinite loss. */
  readonly infinity: number;
}

const ZERO = Number.NEGATIVE_INFINITY;

/** N(μ, 1) against N(0, 1): the loss is normal, with variance μ² and mean ± μ²/2. */
export function gaussianPair(mu: number): LossPair {
  const mean = mu ** 2 / 2;
  return {
    mass: (low, high) => [
      logNormalInterval((low - mean) / mu, (high - mean) / mu),
      logNormalInterval((low + mean) / mu, (high + mean) / mu),
    ],
    range(tail) {
      // Φ(−z) ≤ exp(−z²/2).
      const reach = mean + mu * Math.sqrt(-2 * Math.log(tail));
      return [-reach, reach];
    },
    bounded: false,
    infinity: 0,
  };
}

/** Laplace noise of scale 1/a on values one apart: atoms at ±a and an exponential piece between. */
export function laplacePair(scale: number): LossPair {
  const a = 1 / scale;
  // P of a loss in (low, high] strictly inside ±a; Q is its mirror image.
  const between = (low: number, high: number) =>
    low < high ? -Math.LN2 - (a - high) / 2 + log1mExp(-(high - low) / 2) : ZERO;
  return {
    mass(low, high) {
      const [from, to] = [Math.max(low, -a), Math.min(high, a)];
      let [p, q] = [between(from, to), between(-to, -from)];
      if (low < -a && high >= -a) [p, q] = [logAdd(p, -a - Math.LN2), logAdd(q, -Math.LN2)];
      if (low < a && high >= a) [p, q] = [logAdd(p, -Math.LN2), logAdd(q, -a - Math.LN2)];
      return [p, q];
    },
    range: () => [-a, a],
    bounded: true,
    infinity: 0,
  };
}

/** Two answers whose likelihoods differ by e^ε, and a failure with probability δ: the worst that (ε, δ) allows. */
export function answerPair(epsilon: number, delta = 0): LossPair {
  const logLikely = Math.log1p(-delta) - Math.log1p(Math.exp(-epsilon));
  const logOther = logLikely - epsilon;
  return {
    mass(low, high) {
      const [top, bottom] = [low < epsilon && high >= epsilon, low < -epsilon && high >= -epsilon];
      if (top && bottom) return [Math.log1p(-delta), Math.log1p(-delta)];
      return top ? [logLikely, logOther] : bottom ? [logOther, logLikely] : [ZERO, ZERO];
    },
    range: () => [-epsilon, epsilon],
    bounded: true,
    infinity: delta,
  };
}

/** A record that takes part with probability q: (1 − q) Q + q P against Q. The loss is log(1 − q + q e^L). */
export function sampledPair(pair: LossPair, q: number): LossPair {
  const [logQ, logRest] = [Math.log(q), Math.log1p(-q)];
  const forward = (loss: number) => (loss > 30 ? loss + logQ : Math.log1p(q * Math.expm1(loss)));
  const backward = (loss: number) => {
    if (loss > 30) return loss - logQ + Math.log1p(-Math.exp(logRest - loss));
    const growth = Math.expm1(loss) / q;
    return growth <= -1 ? ZERO : Math.log1p(growth);
  };
  return {
    mass(low, high) {
      const [p, other] = pair.mass(backward(low), backward(high));
      return [logAdd(logRest + other, logQ + p), other];
    },
    range(tail) {
      const [low, high] = pair.range(tail);
      return [forward(low), forward(high)];
    },
    bounded: pair.bounded,
    infinity: 0,
  };
}

/** Q against P: for pairs without infinite losses. */
export function reversedPair(pair: LossPair): LossPair {
  return {
    ...pair,
    mass(low, high) {
      const [p, q] = pair.mass(-high, -low);
      return [q, p];
    },
    range(tail) {
      const [low, high] = pair.range(tail);
      return [-high, -low];
    },
  };
}
