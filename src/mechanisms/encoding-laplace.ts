// Pure ε for feature vectors, as in differentially private instance encoding (DP-IE; Xie, Hong 2022, theorem 3): the published
// noise, and three mechanisms for which its claim holds. Replacing a vector of norm at most C moves it by at most 2C in that norm.

import { positive, positiveInteger } from '../checks/index.js';
import { laplaceMechanism } from './basic.js';
import { clipFactor, type Norm, normOf } from './clipping.js';
import { kNormMechanism } from './k-norm.js';
import { checkVector, type MechanismStatement, type VectorMechanism } from './mechanism.js';

/** Options of the mechanisms that release a clipped feature vector. */
export interface EncodingOptions {
  readonly epsilon: number;
  /** C: longer vectors are clipped to this norm. */
  readonly clipNorm: number;
  /** d: the length of the vectors. */
  readonly dimension: number;
}

/** As published: it clips in ℓ₂ but takes 2C for the ℓ₁ sensitivity, which is up to 2C√d. Its claim does not hold. */
export function publishedEncodingLaplace(options: EncodingOptions): VectorMechanism {
  const { epsilon, clipNorm, dimension } = checked(options);
  const root = Math.sqrt(dimension);
  return {
    ...afterClipping(options, 'l2', laplaceMechanism({ epsilon: epsilon * root, sensitivity: 2 * clipNorm * root })),
    statement: {
      ...statement('l2', 'scale = 2C / epsilon on each coordinate, claimed to keep epsilon'),
      reference: 'Xie, Hong 2022, theorem 3',
      status: 'as published',
      sound: `epsilon * sqrt(d) = about ${(epsilon * root).toPrecision(4)}, because vectors of l2 norm C can be 2C sqrt(d) apart in l1`,
    },
  };
}

/** Sound because it clips in ℓ₁: the published noise, on vectors that are shortened more. */
export function encodingLaplaceL1(options: EncodingOptions): VectorMechanism {
  const { epsilon, clipNorm } = checked(options);
  return {
    ...afterClipping(options, 'l1', laplaceMechanism({ epsilon, sensitivity: 2 * clipNorm })),
    statement: { ...statement('l1', 'scale = 2C / epsilon on each coordinate'), ...dwork },
  };
}

/** Sound because it adds √d times the published noise. */
export function encodingLaplaceScaled(options: EncodingOptions): VectorMechanism {
  const { epsilon, clipNorm, dimension } = checked(options);
  const sensitivity = 2 * clipNorm * Math.sqrt(dimension);
  return {
    ...afterClipping(options, 'l2', laplaceMechanism({ epsilon, sensitivity })),
    statement: { ...statement('l2', 'scale = 2C sqrt(d) / epsilon on each coordinate'), ...dwork },
  };
}

/** Sound because its noise is made for the ℓ₂ norm: about √2 times less noise than `encodingLaplaceScaled`. */
export function encodingKNorm(options: EncodingOptions): VectorMechanism {
  const { epsilon, clipNorm } = checked(options);
  const inner = kNormMechanism({ epsilon, sensitivity: 2 * clipNorm });
  return {
    ...afterClipping(options, 'l2', inner),
    statement: {
      ...inner.statement,
      ...statement('l2', 'noise of uniform direction and length ~ Gamma(d, 2C / epsilon)'),
    },
  };
}

const dwork = { reference: 'Dwork, McSherry, Nissim, Smith 2006', status: 'proved' } as const;

const statement = (norm: Norm, formula: string) =>
  ({
    releases: `a vector clipped to ${norm} norm C with noise, rounded to a grid, which is counted`,
    neighbours: 'the vector is replaced by any other',
    formula,
  }) satisfies Partial<MechanismStatement>;

function checked(options: EncodingOptions): EncodingOptions {
  const { epsilon, clipNorm, dimension } = options;
  positive({ epsilon, clipNorm });
  positiveInteger({ dimension });
  return options;
}

/** The mechanism after clipping, for vectors of this dimension only. */
export function afterClipping<M extends VectorMechanism>(
  { clipNorm, dimension }: Pick<EncodingOptions, 'clipNorm' | 'dimension'>,
  norm: Norm,
  mechanism: M,
): M {
  return {
    ...mechanism,
    neighbours: 'replace-one',
    release: (source, input) => {
      checkVector(input, dimension);
      const factor = clipFactor(normOf(input, norm), clipNorm);
      return mechanism.release(source, factor === 1 ? input : input.map((number) => number * factor));
    },
  };
}
