export {
  type GaussianMechanism,
  type GaussianOptions,
  gaussianMechanism,
  type LaplaceOptions,
  laplaceMechanism,
  type RandomizedResponse,
  randomizedResponse,
} from './basic.js';
export { clipFactor, type Norm, normOf, scaleFactor } from './clipping.js';
export {
  directionMechanism,
  type PartitionedOptions,
  partitionedDirectionMechanism,
  publishedPartitionedDirectionMechanism,
} from './direction.js';
export { type DirectionSum, type DirectionSumOptions, drawDirectionSum } from './direction-sum.js';
export { type EmpiricalBound, type EmpiricalOptions, lowerBoundEpsilon } from './empirical.js';
export { type EncodingGaussianOptions, encodingGaussian, publishedEncodingGaussian } from './encoding-gaussian.js';
export {
  type EncodingOptions,
  encodingKNorm,
  encodingLaplaceL1,
  encodingLaplaceScaled,
  publishedEncodingLaplace,
} from './encoding-laplace.js';
export { type ExponentialOptions, exponentialMechanism } from './exponential.js';
export { gridFor, roundToGrid } from './grid.js';
export { type KNormOptions, kNormMechanism } from './k-norm.js';
export type { Compared, Mechanism, MechanismStatement, VectorMechanism } from './mechanism.js';
export { checkRoom, roundingRoom } from './noise.js';
export { type CosineAndSine, type Directional, drawCosine, drawDirection, meanCosine } from './von-mises-fisher.js';
