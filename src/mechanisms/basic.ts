// The mechanisms of the textbooks: randomised response, Laplace, Gaussian.

import { check, positive } from '../checks/index.js';
import {
  analyticGaussianNoise,
  classicGaussianNoise,
  gaussian,
  laplace,
  randomizedResponse as randomizedResponseEvent,
} from '../privacy/index.js';
import { bernoulli } from '../random/index.js';
import type { Mechanism, VectorMechanism } from './mechanism.js';
import { counted, gridNoise } from './noise.js';

/** Randomised response, with an estimate of the true share from many answers. */
export interface RandomizedResponse extends Mechanism<boolean, boolean> {
  /** Estimates the share of true inputs from the answers. It is unbiased, so it may lie below 0 or above 1. */
  readonly estimate: (answers: readonly boolean[]) => number;
}

/** Releases the truth with this probability, above 0.5 and below 1, otherwise the opposite: ε = ln(p/(1 − p)). */
export function randomizedResponse(truthProbability: number): RandomizedResponse {
  check({ truthProbability }, 'above 0.5 and below 1', (p) => p > 0.5 && p < 1);
  return {
    event: randomizedResponseEvent(truthProbability),
    neighbours: 'replace-one',
    statement: {
      releases: 'one bit per record, with exactly the given probability',
      neighbours: 'one record has another value',
      formula: 'epsilon = ln(p / (1 - p)) for the truth with probability p',
      reference: 'Warner 1965',
      status: 'proved',
    },
    release: (source, truth) => {
      check({ truth }, 'true or false', (value) => typeof value === 'boolean');
      return bernoulli(source, truthProbability) === truth;
    },
    estimate: (answers) => {
      check({ answers: answers.length }, 'at least one', (count) => count > 0);
      const mean = answers.reduce((sum, answer) => sum + Number(answer), 0) / answers.length;
      return (mean - 1 + truthProbability) / (2 * truthProbability - 1);
    },
  };
}

/** Options of `laplaceMechanism`. */
export interface LaplaceOptions {
  readonly epsilon: number;
  /** ℓ₁: the most by which the absolute changes of all coordinates can add up. */
  readonly sensitivity: number;
}

/** Adds Laplace noise of scale sensitivity / ε to every number, drawn exactly on a grid. Pure ε. */
export function laplaceMechanism({ epsilon, sensitivity }: LaplaceOptions): VectorMechanism {
  positive({ epsilon, sensitivity });
  return {
    event: laplace(1 / epsilon),
    neighbours: 'those of its sensitivity',
    statement: {
      releases: `numbers with Laplace noise on each, drawn exactly, ${counted}`,
      neighbours: 'those for which the l1 sensitivity holds',
      formula: 'scale = l1 sensitivity / epsilon',
      reference: 'Dwork, McSherry, Nissim, Smith 2006',
      status: 'proved',
    },
    release: gridNoise('laplace', sensitivity / epsilon, sensitivity).add,
  };
}

/** Options of `gaussianMechanism`. */
export interface GaussianOptions {
  readonly epsilon: number;
  /** Above 0 and below 1. */
  readonly delta: number;
  /** ℓ₂: the greatest length of the change of the whole vector. */
  readonly sensitivity: number;
  /** Default: `analytic`, the least noise. `classic` is the textbook formula, which holds for ε below 1 only and adds more. */
  readonly calibration?: 'analytic' | 'classic';
}

/** A mechanism with normal noise. */
export interface GaussianMechanism extends VectorMechanism {
  /** The standard deviation of the noise on each number, 1 + 2^-20 times that of the formula. */
  readonly deviation: number;
}

/** Adds normal noise to every number, drawn exactly on a grid: the least that gives (ε, δ) at this ℓ₂ sensitivity. */
export function gaussianMechanism(options: GaussianOptions): GaussianMechanism {
  const { epsilon, delta, sensitivity, calibration = 'analytic' } = options;
  positive({ epsilon, sensitivity });
  const classic = calibration === 'classic';
  const asked = (classic ? classicGaussianNoise : analyticGaussianNoise)(epsilon, delta, sensitivity);
  const { width, add } = gridNoise('normal', asked, sensitivity);
  return {
    deviation: width,
    event: gaussian(asked / sensitivity),
    neighbours: 'those of its sensitivity',
    statement: {
      releases: `numbers with normal noise on each, drawn exactly, ${counted}`,
      neighbours: 'those for which the l2 sensitivity holds',
      formula: classic
        ? 'deviation = l2 sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon, for epsilon < 1'
        : 'the least deviation with Phi(m/2 - epsilon/m) - e^epsilon Phi(-m/2 - epsilon/m) <= delta, m = l2 sensitivity / deviation',
      reference: classic ? 'Dwork, Roth 2014' : 'Balle, Wang 2018',
      status: 'proved',
    },
    release: add,
  };
}
