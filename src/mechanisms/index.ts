export { gaussianMechanism, laplaceMechanism, randomizedResponse } from './basic.js';
export { clipFactor, normOf, scaleFactor } from './clipping.js';
export {
  directionMechanism,
  partitionedDirectionMechanism,
  publishedPartitionedDirectionMechanism,
} from './direction.js';
export { drawDirectionSum } from './direction-sum.js';
export { type EmpiricalBound, lowerBoundEpsilon } from './empirical.js';
export { encodingGaussian, publishedEncodingGaussian } from './encoding-gaussian.js';
export {
  encodingKNorm,
  encodingLaplaceL1,
  encodingLaplaceScaled,
  publishedEncodingLaplace,
} from './encoding-laplace.js';
export { exponentialMechanism } from './exponential.js';
export type {
  BatchGradients,
  Clipping,
  GradientSums,
  ParameterGroups,
  RandomDirections,
  Tensors,
} from './gradient/batch-gradients.js';
export { roundingMargin } from './gradient/gaussian.js';
export type {
  MechanismOptions,
  MechanismParameter,
  MechanismWords,
  NoiseContext,
  Scope,
} from './gradient/gradient-mechanism.js';
export { addGradientNoise } from './gradient/gradient-noise.js';
export { type PlanSizeOptions, type PlanSizes, planSizes } from './gradient/plan.js';
export { protect, type ReleasedGroup } from './gradient/protect.js';
export {
  type AnyProtector,
  isNoisy,
  type MechanismName,
  mechanismNames,
  mechanismOf,
  mechanisms,
  type NoisyMechanism,
  noisyNames,
  type Plan,
  type PlanFor,
  type PlanOptions,
  type PlanOptionsFor,
  type Protection,
  type ProtectorName,
  parameterOf,
  protectorNames,
  protectorOf,
  protectors,
  type StudyMechanisms,
  studyOptionsOf,
  trainingNames,
} from './gradient/registry.js';
export { guaranteeOfShared } from './gradient/shared-guarantee.js';
export { gridFor, roundToGrid } from './grid.js';
export { kNormMechanism } from './k-norm.js';
export type { Mechanism, VectorMechanism } from './mechanism.js';
export { checkRoom, roundingRoom } from './noise.js';
export { drawCosine, drawDirection, meanCosine } from './von-mises-fisher.js';
