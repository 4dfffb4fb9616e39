export { clippedSum } from './clipped-sum.js';
export { detachTerms } from './detach-terms.js';
export { gradientTerms, type ParameterTerms } from './gradient-terms.js';
export { gramMatrix, productsWith } from './gram.js';
export { squaredNorms } from './norms.js';
export { weightedSum } from './sums.js';
