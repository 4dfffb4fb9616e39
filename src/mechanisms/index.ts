export { type DirectionSum, type DirectionSumOptions, drawDirectionSum } from './direction-sum.js';
export { type CosineAndSine, type Directional, drawCosine, drawDirection, meanCosine } from './von-mises-fisher.js';
