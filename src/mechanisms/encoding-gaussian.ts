// (ε, δ) for feature vectors, as in differentially private instance encoding (DP-IE; Xie, Hong 2022, theorem 4): the published
// noise, and the noise that its claim requires.

import { check, positive, positiveInteger } from '../checks/index.js';
import { gaussian, gaussianEpsilon } from '../privacy/index.js';
import { type GaussianMechanism, gaussianMechanism } from './basic.js';
import { afterClipping, type EncodingOptions } from './encoding-laplace.js';
import { gridNoise } from './noise.js';

/** Options of `encodingGaussian` and its published form. */
export interface EncodingGaussianOptions extends EncodingOptions {
  /** Above 0 and below 1. */
  readonly delta: number;
}

const shared = {
  releases: 'a vector clipped to l2 norm C with normal noise, drawn exactly, rounded to a grid, which is counted',
  neighbours: 'the vector is replaced by any other',
} as const;

function checked<T extends EncodingGaussianOptions>(options: T): T {
  const { epsilon, delta, clipNorm, dimension } = options;
  positive({ epsilon, clipNorm });
  positiveInteger({ dimension });
  check({ delta }, 'above 0 and below 1', (value) => value > 0 && value < 1);
  return options;
}

/** As published: it takes C for the sensitivity, which is 2C, and a deviation that shrinks only with √ε. Its claim does not hold. */
export function publishedEncodingGaussian(options: EncodingGaussianOptions): GaussianMechanism {
  const { epsilon, delta, clipNorm } = checked(options);
  const asked = ((1 + Math.sqrt(2 * Math.log(1 / delta))) * clipNorm) / Math.sqrt(epsilon);
  const { width, add } = gridNoise('normal', asked, 2 * clipNorm);
  return afterClipping(options, 'l2', {
    deviation: width,
    event: gaussian(asked / (2 * clipNorm)),
    neighbours: 'replace-one',
    statement: {
      ...shared,
      formula: 'deviation = (1 + sqrt(2 ln(1 / delta))) C / sqrt(epsilon), claimed to keep epsilon and delta',
      reference: 'Xie, Hong 2022, theorem 4',
      status: 'as published',
      sound: `epsilon = about ${gaussianEpsilon(delta, (2 * clipNorm) / asked).toPrecision(4)} at delta = ${delta}, that of this noise at sensitivity 2C`,
    },
    release: add,
  });
}

/**
 * Clips a vector to ℓ₂ norm C and adds the least normal noise for (ε, δ). Each release is the vector of one record: vectors of
 * several must be clipped before they are mixed, and counted with their weights.
 */
export function encodingGaussian(options: EncodingGaussianOptions): GaussianMechanism {
  const { epsilon, delta, clipNorm } = checked(options);
  return afterClipping(options, 'l2', {
    ...gaussianMechanism({ epsilon, delta, sensitivity: 2 * clipNorm }),
    neighbours: 'replace-one',
    statement: {
      ...shared,
      formula: 'the least deviation for l2 sensitivity 2C',
      reference: 'Balle, Wang 2018',
      status: 'proved',
    },
  });
}
