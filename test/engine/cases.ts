// Examples of every operator: small shapes, broadcasting, axes from either end, away from kinks and inside domains.
// Each runs with every element type the operator takes.

import type { DType, Value } from '../../src/engine/index.js';
import * as engine from '../../src/engine/index.js';
import type { OpName } from '../../src/engine/ops/index.js';
import type { Draw } from './draw.js';

export type Case = (draw: Draw) => Value | readonly Value[];
type Cases = Readonly<Record<string, Case>>;

const { apply, ops } = engine;
const everyType: readonly DType[] = ['f32', 'f64', 'i64', 'i32', 'bool'];

const binary = (f: (a: Value, b: Value) => Value, low?: number, high?: number): Cases => ({
  'of one shape': (draw) => f(draw.numbers([2, 3], low, high), draw.numbers([2, 3], low, high)),
  'broadcasting both': (draw) => f(draw.numbers([2, 1, 3], low, high), draw.numbers([4, 1], low, high)),
  'with a scalar': (draw) => f(draw.numbers([], low, high), draw.numbers([3], low, high)),
});
const spreadBinary = (f: (a: Value, b: Value) => Value): Cases => ({
  'of one shape': (draw) => f(draw.spread([2, 3]), draw.spread([2, 3], 0.1875)),
  'broadcasting both': (draw) => f(draw.spread([2, 1, 3]), draw.spread([4, 1], 0.1875)),
});
const unary = (f: (x: Value) => Value, low?: number, high?: number): Cases => ({
  'of a matrix': (draw) => f(draw.numbers([2, 3], low, high)),
  'of a scalar': (draw) => f(draw.numbers([], low, high)),
});
const spreadUnary = (f: (x: Value) => Value): Cases => ({
  'of a matrix': (draw) => f(draw.spread([3, 4])),
  'of a vector': (draw) => f(draw.spread([5], 0.1875)),
});
const reduction = (f: (x: Value, axes?: readonly number[], keepDims?: boolean) => Value): Cases => ({
  'over all axes': (draw) => f(draw.spread([2, 3])),
  'over the last axis, kept': (draw) => f(draw.spread([2, 3]), [-1], true),
  'over two axes of three': (draw) => f(draw.spread([2, 3, 2]), [-3, 2]),
});
const alongAxis = (f: (x: Value, axis?: number) => Value): Cases => ({
  'over the last axis': (draw) => f(draw.spread([2, 3, 4])),
  'over the first axis': (draw) => f(draw.spread([3, 2]), 0),
  'over the middle axis from the end': (draw) => f(draw.spread([2, 3, 2]), -2),
});

export const cases: Record<OpName, Cases> = {
  Add: binary(engine.add),
  Sub: binary(engine.sub),
  Mul: binary(engine.mul),
  Div: binary(engine.div, 0.5, 2),
  Max: spreadBinary(engine.max),
  Min: spreadBinary(engine.min),
  Pow: {
    ...binary(engine.pow, 0.5, 2),
    'a negative base, cubed': (draw) => engine.pow(draw.numbers([3], -2, -0.5), 3),
  },
  Equal: binary(engine.equal),
  Greater: spreadBinary(engine.greater),
  GreaterOrEqual: spreadBinary(engine.greaterOrEqual),
  Less: spreadBinary(engine.less),
  LessOrEqual: spreadBinary(engine.lessOrEqual),
  And: binary(engine.and),
  Or: binary(engine.or),
  Not: unary(engine.not),
  Where: {
    'of one shape': (draw) => engine.where(draw.booleans([2, 3]), draw.numbers([2, 3]), draw.numbers([2, 3])),
    'broadcasting all': (draw) => engine.where(draw.booleans([2, 1]), draw.numbers([3]), draw.numbers([4, 1, 1])),
  },
  Cast: {
    'to every type': (draw) => {
      const x = draw.spread([3, 4]);
      return everyType.filter((dtype) => dtype !== x.dtype).map((dtype) => engine.cast(x, dtype));
    },
    'there and back': (draw) => {
      const x = draw.spread([2, 3]);
      return engine.cast(engine.cast(x, x.dtype === 'f32' ? 'f64' : 'f32'), x.dtype);
    },
  },
  Neg: unary(engine.neg),
  Abs: spreadUnary(engine.abs),
  Sign: spreadUnary(engine.sign),
  Exp: unary(engine.exp),
  Log: unary(engine.log, 0.5, 3),
  Sqrt: unary(engine.sqrt, 0.5, 3),
  Reciprocal: unary(engine.reciprocal, 0.5, 2),
  Erf: { ...unary(engine.erf), 'far out': (draw) => engine.erf(draw.numbers([6], -3, 3)) },
  Tanh: unary(engine.tanh),
  Sigmoid: unary(engine.sigmoid),
  Relu: spreadUnary(engine.relu),
  Clip: {
    'on both sides': (draw) => engine.clip(draw.spread([3, 4]), { low: -0.5, high: 1 }),
    'from below': (draw) => engine.clip(draw.spread([5]), { low: 0.25 }),
    'from above': (draw) => engine.clip(draw.spread([5]), { high: 0 }),
  },

  Transpose: {
    'the last two axes': (draw) => engine.transpose(draw.numbers([2, 3, 4])),
    'a cycle of three': (draw) => engine.transpose(draw.numbers([2, 3, 4]), [1, -1, 0]),
  },
  Reshape: {
    'to a vector': (draw) => engine.reshape(draw.numbers([2, 3]), [-1]),
    'to more axes': (draw) => engine.reshape(draw.numbers([4, 3]), [2, 1, 2, 3]),
    'to a scalar': (draw) => engine.reshape(draw.numbers([1, 1]), []),
  },
  Expand: {
    'a scalar': (draw) => engine.expand(draw.numbers([]), [2, 3]),
    'a middle axis': (draw) => engine.expand(draw.numbers([2, 1, 3]), [2, 4, 3]),
    'with new axes': (draw) => engine.expand(draw.numbers([3, 1]), [2, 3, 2]),
  },
  Slice: {
    'inside both axes': (draw) => engine.slice(draw.numbers([4, 5]), [1, 0], [3, -1]),
    'in steps': (draw) => engine.slice(draw.numbers([5, 7]), [1, 0], [5, 7], [3, 2]),
    'in steps that leave a rest': (draw) => engine.slice(draw.numbers([2, 9]), [0, 1], [2, 6], [1, 3]),
  },
  Pad: {
    'on all sides': (draw) => engine.pad(draw.numbers([2, 3]), [1, 0], [2, 1]),
    'a vector in front': (draw) => engine.pad(draw.numbers([3]), [2], [0]),
  },
  Concat: {
    'along the first axis': (draw) => engine.concat([draw.numbers([1, 2]), draw.numbers([3, 2])], 0),
    'three along the last': (draw) =>
      engine.concat([draw.numbers([2, 1]), draw.numbers([2, 3]), draw.numbers([2, 2])], -1),
    'a value twice': (draw) => {
      const x = draw.numbers([2]);
      return engine.concat([x, x], 0);
    },
  },
  Split: {
    'along the last axis': (draw) => engine.split(draw.numbers([2, 5]), [2, 1, 2], -1),
    'using one part only': (draw) => engine.split(draw.numbers([4, 2]), [1, 3], 0)[1] as Value,
  },

  ReduceSum: reduction(engine.reduceSum),
  ReduceMean: reduction(engine.reduceMean),
  ReduceMax: reduction(engine.reduceMax),
  ReduceL2: {
    ...reduction(engine.reduceL2),
    'over no axis': (draw) => engine.reduceL2(draw.spread([3]), []),
    'of a scalar': (draw) => engine.reduceL2(draw.spread([])),
  },

  MatMul: {
    'of matrices': (draw) => engine.matMul(draw.numbers([2, 3]), draw.numbers([3, 4])),
    'of matrices, all options': (draw) =>
      engine.matMul(draw.numbers([3, 2]), draw.numbers([4, 3]), { transposeA: true, transposeB: true, scale: 0.3 }),
    'of batches': (draw) => engine.matMul(draw.numbers([2, 1, 2, 3]), draw.numbers([4, 3, 2])),
    'of batches, the first transposed': (draw) =>
      engine.matMul(draw.numbers([2, 3, 4]), draw.numbers([2, 3, 2]), { transposeA: true, scale: -0.7 }),
    'of batches, the second transposed': (draw) =>
      engine.matMul(draw.numbers([2, 2, 3]), draw.numbers([1, 4, 3]), { transposeB: true, scale: 0.3 }),
    'of a batch by a matrix': (draw) =>
      engine.matMul(draw.numbers([2, 2, 3]), draw.numbers([4, 3]), { transposeB: true }),
    'of a transposed batch by a matrix': (draw) =>
      engine.matMul(draw.numbers([2, 3, 2]), draw.numbers([3, 4]), { transposeA: true }),
    'of a matrix by a batch': (draw) =>
      engine.matMul(draw.numbers([3, 2]), draw.numbers([2, 3, 4]), { transposeA: true }),
    'of transposed values': (draw) =>
      engine.matMul(engine.transpose(draw.numbers([3, 2])), engine.transpose(draw.numbers([2, 4, 3]))),
    'with an addend': (draw) =>
      apply(ops.MatMul, [draw.numbers([2, 3]), draw.numbers([4, 3]), draw.numbers([2, 4])], {
        transposeA: false,
        transposeB: true,
        scale: -0.5,
      }).outputs,
  },

  Gelu: {
    exact: (draw) => engine.gelu(draw.numbers([3, 4], -3, 3)),
    'by tanh': (draw) => engine.gelu(draw.numbers([3, 4], -3, 3), 'tanh'),
  },
  Softmax: alongAxis(engine.softmax),
  LogSoftmax: alongAxis(engine.logSoftmax),
  LayerNormalization: {
    'all three outputs': (draw) =>
      apply(ops.LayerNormalization, [draw.numbers([2, 3, 4]), draw.numbers([4]), draw.numbers([4])], { epsilon: 0.01 })
        .outputs,
    'a matrix': (draw) => engine.layerNorm(draw.numbers([2, 5]), draw.numbers([5]), draw.numbers([5])),
    'mean alone': (draw) =>
      apply(ops.LayerNormalization, [draw.numbers([2, 4]), draw.numbers([4]), draw.numbers([4])], { epsilon: 0.01 })
        .outputs[1] as Value,
  },

  Gather: {
    'rows, some twice': (draw) => engine.gather(draw.numbers([4, 3]), draw.indices([2, 3], 4)),
    'along the last axis': (draw) => engine.gather(draw.numbers([2, 3]), draw.indices([4], 3, 'i32'), -1),
    'one along a middle axis': (draw) => engine.gather(draw.numbers([2, 3, 2]), draw.indices([], 3), 1),
    'counted from the end': (draw) => engine.gather(draw.numbers([4, 2]), engine.constant([-1, 0, -4], [3], 'i64')),
    'from a table too long for one-hot rows': (draw) =>
      engine.gather(engine.expand(draw.numbers([1]), [2 ** 18]), draw.indices([3], 2 ** 18)),
  },
  GatherElements: {
    'along the last axis': (draw) => engine.gatherElements(draw.numbers([2, 4]), draw.indices([2, 3], 4), -1),
    'along the first axis, fewer columns': (draw) =>
      engine.gatherElements(draw.numbers([4, 3]), draw.indices([5, 2], 4, 'i32'), 0),
  },
  ScatterElements: {
    'along the last axis': (draw) =>
      engine.scatterAdd(draw.numbers([2, 4]), draw.indices([2, 5], 4), draw.numbers([2, 5]), -1),
    'along the first axis, fewer columns': (draw) =>
      engine.scatterAdd(draw.numbers([4, 3]), draw.indices([2, 2], 4, 'i32'), draw.numbers([2, 2]), 0),
  },
  OneHot: {
    'of a matrix': (draw) => engine.oneHot(draw.indices([2, 3], 4), 4),
    'in float64': (draw) => engine.oneHot(draw.indices([5], 3, 'i32'), 3, 'f64'),
    'of indices outside': (draw) =>
      engine.oneHot(engine.constant([0, 3, -1, 7, -4], [5], draw.dtype === 'i32' ? 'i32' : 'i64'), 3),
  },
  ArgMax: alongAxis(engine.argMax),
  TopK: {
    'of a vector': (draw) => Object.values(engine.topK(draw.spread([5]), 2)),
    'of rows': (draw) => Object.values(engine.topK(draw.spread([2, 3, 4]), 4)),
  },
};

/** The element types that an operator's cases run with. Where declares that of its condition. */
export const typesOf = (name: OpName): readonly DType[] => (name === 'Where' ? ops.Add.dtypes : ops[name].dtypes);
