export { type BoundedSum, type Bounding, boundedSum, smallestLength } from './bounded-sum.js';
export { type Form, formsOf, type ParameterForms } from './forms.js';
export { gramMatrix, productsWith } from './gram.js';
export { keepForms } from './kept.js';
export { squaredNorms } from './norms.js';
export { weightedSum } from './sums.js';
