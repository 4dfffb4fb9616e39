// The exponential mechanism without rounding: a uniformly drawn candidate is accepted with probability exp(-exponent), exactly,
// so every candidate has exactly the probability of the formula.

import { check, positive } from '../checks/index.js';
import { pureEpsilon } from '../privacy/index.js';
import { bernoulliExp, exactRational, integerBelow, type Rational } from '../random/index.js';
import type { Mechanism } from './mechanism.js';

/** Options of `exponentialMechanism`. */
export interface ExponentialOptions {
  readonly epsilon: number;
  /** The most by which one record can change any score. */
  readonly sensitivity: number;
}

/** Chooses a candidate by its score and releases its index: P ∝ exp(ε · score / (2 · sensitivity)). Pure ε. */
export function exponentialMechanism({
  epsilon,
  sensitivity,
}: ExponentialOptions): Mechanism<readonly number[], number> {
  positive({ epsilon, sensitivity });
  const factor = quotient(exactRational(epsilon), multiply(exactRational(sensitivity), exactRational(2)));
  return {
    event: pureEpsilon(epsilon),
    neighbours: 'those of its sensitivity',
    statement: {
      releases: 'which of the candidates was chosen, with exactly the probability of the formula',
      neighbours: 'those for which the sensitivity of the scores holds',
      formula: 'probability proportional to exp(epsilon * score / (2 * sensitivity))',
      reference: 'McSherry, Talwar 2007',
      status: 'proved',
    },
    release: (source, scores) => {
      check({ scores }, 'at least one finite number', (list) => list.length > 0 && list.every(Number.isFinite));
      const best = exactRational(scores.reduce((one, other) => Math.max(one, other)));
      for (;;) {
        const chosen = integerBelow(source, scores.length);
        const behind = subtract(best, exactRational(scores[chosen] as number));
        if (bernoulliExp(source, multiply(factor, behind))) return chosen;
      }
    },
  };
}

const multiply = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
});

const quotient = (a: Rational, b: Rational): Rational =>
  multiply(a, { numerator: b.denominator, denominator: b.numerator });

const subtract = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator - b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
});
