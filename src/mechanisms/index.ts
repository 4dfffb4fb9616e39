export {
  type ExponentialOptions,
  exponentialMechanism,
  type GaussianOptions,
  gaussianMechanism,
  type LaplaceOptions,
  laplaceMechanism,
  type RandomizedResponse,
  randomizedResponse,
} from './basic.js';
export { clipFactor, type Norm, normOf, scaleFactor } from './clipping.js';
export { type DirectionSum, type DirectionSumOptions, drawDirectionSum } from './direction-sum.js';
export { gridFor, roundToGrid } from './grid.js';
export type { Mechanism, MechanismStatement } from './mechanism.js';
export { type CosineAndSine, type Directional, drawCosine, drawDirection, meanCosine } from './von-mises-fisher.js';
