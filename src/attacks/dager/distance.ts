// How far the unit inputs of a block are from a span: the length of what is left when the projection is subtracted.

import { div, matMul, reduceSum, sqrt, square, sub } from '../../engine/index.js';
import type { SpanMeasure } from '../span/second-inputs.js';

/** Subtracts before it squares: 1 − ‖projection‖² in float32 would hide distances below the threshold of sentences. */
export const distance: SpanMeasure = (inputs, basis) => {
  const projection = matMul(matMul(inputs, basis, { transposeB: true }), basis); // [batch, tokens, hidden]
  return sqrt(div(reduceSum(square(sub(inputs, projection)), [2]), reduceSum(square(inputs), [2])));
};
