// The mechanisms of the textbooks: randomised response, Laplace, Gaussian, exponential.

import { ArgumentError, check, exp, positive } from '../math/index.js';
import {
  analyticGaussianNoise,
  classicGaussianNoise,
  gaussian,
  laplace as laplaceEvent,
  pureEpsilon,
  randomizedResponse as randomizedResponseEvent,
} from '../privacy/index.js';
import { bernoulli, laplace, normal, uniform, type WordSource } from '../random/index.js';
import { gridFor, roundToGrid } from './grid.js';
import type { Mechanism } from './mechanism.js';

export interface RandomizedResponse extends Mechanism<boolean, boolean> {
  /** The share of true among the inputs, from the answers: right on average, but it may lie outside 0 and 1. */
  readonly estimate: (answers: readonly boolean[]) => number;
}

/** The truth with this probability, otherwise the opposite: ε = ln(p/(1 − p)). */
export function randomizedResponse(truthProbability: number): RandomizedResponse {
  check({ truthProbability }, 'above 0.5 and below 1', (p) => p > 0.5 && p < 1);
  return {
    event: randomizedResponseEvent(truthProbability),
    statement: {
      releases: 'one bit for each record',
      neighbours: 'replace one',
      formula: 'epsilon = ln(p / (1 - p)) for the truth with probability p',
      reference: 'Warner 1965',
      status: 'proved',
    },
    release: (source, truth) => bernoulli(source, truthProbability) === truth,
    estimate: (answers) => {
      check({ answers: answers.length }, 'at least one', (count) => count > 0);
      const mean = answers.reduce((sum, answer) => sum + Number(answer), 0) / answers.length;
      return (mean - 1 + truthProbability) / (2 * truthProbability - 1);
    },
  };
}

/** Rounding may move two inputs apart by a grid step in each coordinate; the sensitivity given must leave room for that. */
const rounded =
  'rounded to a grid; each coordinate may add 2^-40 of the noise to the sensitivity, which is not counted';

const noisy =
  (draw: (source: WordSource) => number, deviation: number) =>
  (source: WordSource, x: Float64Array): Float64Array => {
    const grid = gridFor(deviation);
    const bad = x.findIndex((number) => !Number.isFinite(number));
    if (bad !== -1) throw new ArgumentError(`invalid input: expected finite numbers, got ${x[bad]} at ${bad}`);
    // Value and noise lie on the grid before they are added, so the sum is exact.
    return x.map((number) => roundToGrid(number, grid) + roundToGrid(draw(source), grid));
  };

export interface LaplaceOptions {
  readonly epsilon: number;
  /** ℓ₁: how much the sum of all coordinates' changes can be. */
  readonly sensitivity: number;
}

export function laplaceMechanism({ epsilon, sensitivity }: LaplaceOptions): Mechanism<Float64Array, Float64Array> {
  positive({ epsilon, sensitivity });
  const scale = sensitivity / epsilon;
  return {
    event: laplaceEvent(1 / epsilon),
    statement: {
      releases: `numbers with Laplace noise on each, ${rounded}`,
      neighbours: 'those for which the l1 sensitivity holds',
      formula: 'scale = l1 sensitivity / epsilon',
      reference: 'Dwork, McSherry, Nissim, Smith 2006',
      status: 'proved',
    },
    release: noisy((source) => laplace(source, scale), scale),
  };
}

export interface GaussianOptions {
  readonly epsilon: number;
  readonly delta: number;
  /** ℓ₂. */
  readonly sensitivity: number;
  /** `classic` holds for ε below 1 only and adds more noise. */
  readonly calibration?: 'analytic' | 'classic';
}

export function gaussianMechanism(options: GaussianOptions): Mechanism<Float64Array, Float64Array> & {
  readonly deviation: number;
} {
  const { epsilon, delta, sensitivity, calibration = 'analytic' } = options;
  positive({ epsilon, sensitivity });
  const classic = calibration === 'classic';
  const deviation = (classic ? classicGaussianNoise : analyticGaussianNoise)(epsilon, delta, sensitivity);
  return {
    deviation,
    event: gaussian(deviation / sensitivity),
    statement: {
      releases: `numbers with normal noise on each, ${rounded}`,
      neighbours: 'those for which the l2 sensitivity holds',
      formula: classic
        ? 'deviation = l2 sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon < 1'
        : 'the least deviation with Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m) <= delta, m = l2 sensitivity / deviation',
      reference: classic ? 'Dwork, Roth 2014' : 'Balle, Wang 2018',
      status: 'proved',
    },
    release: noisy((source) => deviation * normal(source), deviation),
  };
}

export interface ExponentialOptions {
  readonly epsilon: number;
  /** How much one record can change any score. */
  readonly sensitivity: number;
}

/** The index of one of the scores, the larger the likelier. */
export function exponentialMechanism({
  epsilon,
  sensitivity,
}: ExponentialOptions): Mechanism<readonly number[], number> {
  positive({ epsilon, sensitivity });
  return {
    event: pureEpsilon(epsilon),
    statement: {
      releases: 'which of the candidates was chosen',
      neighbours: 'those for which the sensitivity of the scores holds',
      formula: 'probability proportional to exp(epsilon * score / (2 * sensitivity)), in float64',
      reference: 'McSherry, Talwar 2007',
      status: 'proved',
    },
    release: (source, scores) => {
      check({ scores }, 'at least one finite number', (list) => list.length > 0 && list.every(Number.isFinite));
      const best = scores.reduce((one, other) => Math.max(one, other));
      const weights = scores.map((score) => exp((epsilon * (score - best)) / (2 * sensitivity)));
      let left = uniform(source) * weights.reduce((sum, weight) => sum + weight, 0);
      const chosen = weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      });
      return chosen === -1 ? scores.indexOf(best) : chosen;
    },
  };
}
