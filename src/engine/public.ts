export { dependsOn, gradients } from './gradients.js';
export type { Operand } from './op.js';
export { gelu, layerNorm, logSoftmax, softmax } from './ops/activation.js';
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
export { argMax, gather, gatherElements, oneHot, scatterAdd, topK } from './ops/indexing.js';
export { affine, type MatMulOptions, matMul } from './ops/linear.js';
export { crossEntropy, softCrossEntropy } from './ops/loss.js';
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
export { type Reduce, reduceL2, reduceMax, reduceMean, reduceSum } from './ops/reduction.js';
export type { NodeTime } from './profile.js';
export { type CompileOptions, compile, type Feeds, type OpTime, type Program } from './program.js';
export { type RuntimeInfo, type RuntimeName, runtimeInfo } from './runtime.js';
export type { SessionOptions } from './session-options.js';
export { sizeOf } from './shape.js';
export type { DType, FloatType, Shape, TypedArray, ValueType } from './types.js';
export { constant, emptyLike, fileConstant, input, labelled, type Value } from './value.js';
