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

export interface RandomizedResponse extends Mechanism<boolean, boolean> {
  /** The share of true among the inputs, from the answers: right on average, but it may lie outside 0 and 1. */
  readonly estimate: (answers: readonly boolean[]) => number;
}

/** The truth with this probability, otherwise the opposite: ε = ln(p/(1 − p)). */
export function randomizedResponse(truthProbability: number): RandomizedResponse {
  check({ truthProbability }, 'above 0.5 and below 1', (p) => p > 0.5 && p < 1);
  return {
    event: randomizedResponseEvent(truthProbability),
    neighbours: 'replace-one',
    statement: {
      releases: 'one bit for each record, with exactly the probability given',
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

export interface LaplaceOptions {
  readonly epsilon: number;
  /** ℓ₁: how much the sum of all coordinates' changes can be. */
  readonly sensitivity: number;
}

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

export interface GaussianOptions {
  readonly epsilon: number;
  readonly delta: number;
  /** ℓ₂. */
  readonly sensitivity: number;
  /** `classic` holds for ε below 1 only and adds more noise. */
  readonly calibration?: 'analytic' | 'classic';
}

export interface GaussianMechanism extends VectorMechanism {
  /** The standard deviation of the noise on each number. */
  readonly deviation: number;
}

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
