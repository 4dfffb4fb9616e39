export { type Cut, cutGraph } from './cut.js';
export { dependsOn, gradients } from './gradients.js';
export { gelu, layerNorm, logSoftmax, normalizedInput, softmax } from './ops/activation.js';
export {
  abs,
  add,
  and,
  cast,
  clip,
  div,
  equal,
  erf,
  exp,
  greater,
  greaterOrEqual,
  less,
  lessOrEqual,
  log,
  max,
  min,
  mul,
  neg,
  not,
  or,
  pow,
  reciprocal,
  relu,
  sigmoid,
  sign,
  sqrt,
  square,
  sub,
  tanh,
  where,
} from './ops/elementwise.js';
export { ops } from './ops/index.js';
export { argMax, gather, gatherElements, oneHot, scatterAdd, scatterRows, topK } from './ops/indexing.js';
export { affine, matMul } from './ops/linear.js';
export { crossEntropy, scaledSlopes, softCrossEntropy } from './ops/loss.js';
export {
  concat,
  expand,
  pad,
  reshape,
  slice,
  sliceAxis,
  split,
  squeeze,
  transpose,
  unsqueeze,
  zeros,
} from './ops/movement.js';
export { reduceL2, reduceMax, reduceMean, reduceSum } from './ops/reduction.js';
export { type CompileOptions, compile, type Feeds, type Program } from './program.js';
export { measureProductRate, type ProductSizes } from './rate.js';
export { type RuntimeInfo, runtimeInfo } from './runtime.js';
export { sizeOf } from './shape.js';
export type { DType, FloatType, Shape, TypedArray } from './types.js';
export { apply, constant, emptyLike, fileConstant, inOrder, input, labelled, type Op, type Value } from './value.js';
