export { type Form, formsOf, type ParameterForms } from './forms.js';
export { gramMatrix, productsWith } from './gram.js';
export { squaredNorms } from './norms.js';
export { weightedSum } from './sums.js';
