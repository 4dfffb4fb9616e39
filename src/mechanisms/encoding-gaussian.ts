// (ε, δ) for vectors of features, as in differentially private instance encoding (DP-IE; Xie, Hong 2022, theorem 4): the
// published noise, and the one that keeps what it claims.

import { check, positive, positiveInteger } from '../math/index.js';
import { gaussian, gaussianEpsilon } from '../privacy/index.js';
import { type GaussianMechanism, gaussianMechanism } from './basic.js';
import { normOf } from './clipping.js';
import { afterClipping, type EncodingOptions } from './encoding-laplace.js';
import { gridNoise } from './noise.js';

export interface EncodingGaussianOptions extends EncodingOptions {
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

/** Takes C for the sensitivity, which is 2C, and a deviation that shrinks with √ε only. */
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

export interface SoundEncodingGaussianOptions extends EncodingGaussianOptions {
  /** λ: the weight of one record in each of the encodings that use it (added where one takes it twice); alone unless given. */
  readonly weights?: readonly number[];
}

/** One release is one encoding; with weights, the event is that of all the encodings a record is used in, together. */
export function encodingGaussian(options: SoundEncodingGaussianOptions): GaussianMechanism {
  const { epsilon, delta, clipNorm, weights = [1] } = checked(options);
  check({ weights }, 'numbers >= 0, not all 0', (list) => list.every((w) => w >= 0) && list.some((w) => w > 0));
  const sensitivity = 2 * clipNorm * normOf(Float64Array.from(weights));
  return afterClipping(options, 'l2', {
    ...gaussianMechanism({ epsilon, delta, sensitivity }),
    neighbours: 'replace-one',
    statement: {
      ...shared,
      formula:
        'the least deviation for l2 sensitivity 2C sqrt(sum of squared weights), over all encodings that use the record',
      reference: 'Balle, Wang 2018',
      status: 'proved',
    },
  });
}
