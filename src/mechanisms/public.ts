export type { Option, OptionSchema } from '../checks/index.js';
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
export type {
  BatchGradients,
  Clipping,
  GradientSums,
  ParameterGroups,
  RandomDirections,
  Tensors,
} from './gradient/batch-gradients.js';
export type { DirectionalPlan, DirectionalPlanOptions } from './gradient/directional.js';
export type { GaussianPlan, GaussianPlanOptions } from './gradient/gaussian.js';
export type {
  GradientMechanism,
  MechanismParameter,
  MechanismWords,
  NoiseContext,
  NoiseFreeSum,
  NoiseGrid,
  ProtectedSum,
  Protector,
  ReleaseLaw,
  Scope,
  SharingSettings,
  TrainingSettings,
} from './gradient/gradient-mechanism.js';
export { addGradientNoise, type GradientNoise } from './gradient/gradient-noise.js';
export {
  type NotPromised,
  type PlanBase,
  type PlanSizeOptions,
  type PlanSizes,
  type Promised,
  planSizes,
  type Sampler,
} from './gradient/plan.js';
export { type Protected, protect, type ReleasedGroup } from './gradient/protect.js';
export {
  type AnyMechanism,
  type MechanismName,
  mechanismNames,
  mechanismOf,
  mechanisms,
  type Plan,
  type PlanOptions,
  type Protection,
  type ProtectorName,
  protectorNames,
  protectors,
} from './gradient/registry.js';
export { guaranteeOfShared, type SharedReleases } from './gradient/shared-guarantee.js';
export { gridFor, roundToGrid } from './grid.js';
export { type KNormOptions, kNormMechanism } from './k-norm.js';
export type { Compared, Mechanism, MechanismStatement, VectorMechanism } from './mechanism.js';
export { type Directional, drawDirection, meanCosine } from './von-mises-fisher.js';
