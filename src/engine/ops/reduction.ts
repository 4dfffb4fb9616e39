// Sums, means, maxima and norms over axes.

import { defineOp, indexList, numbers } from '../op.js';
import { normalizeAxes, reduceShape, sizeOf } from '../shape.js';
import type { DType, Shape, ValueType } from '../types.js';
import { applyOne, type Node, type Op, type Value } from '../value.js';
import { abs, cast, div, equal, mul, where } from './elementwise.js';
import { expand, reshape } from './movement.js';

interface ReduceAttributes {
  readonly axes: readonly number[];
  readonly keepDims: boolean;
}
const reduceAttributes = (node: Node) => node.attributes as unknown as ReduceAttributes;

const reduction = (name: string, gradient: (node: Node, dy: Value) => Value, dtypes?: readonly DType[]): Op =>
  defineOp({
    name,
    ...(dtypes && { dtypes }),
    infer: ([x], attributes) => {
      const { axes, keepDims } = attributes as unknown as ReduceAttributes;
      const { dtype, shape } = x as ValueType;
      return [{ dtype, shape: reduceShape(shape, axes, keepDims) }];
    },
    gradient: (node, [dy]) => [() => gradient(node, dy as Value)],
    lower: ({ axes, keepDims }) => ({
      opType: name,
      attributes: { keepdims: keepDims ? 1 : 0 },
      constants: [indexList(axes as number[])],
    }),
  });

/** A reduced value with its axes restored at size 1, so that it broadcasts against what was reduced. */
function kept(node: Node, reduced: Value): Value {
  const { axes, keepDims } = reduceAttributes(node);
  return keepDims ? reduced : reshape(reduced, reduceShape(inputOf(node).shape, axes, true));
}
const inputOf = (node: Node) => node.inputs[0] as Value;
const outputOf = (node: Node) => node.outputs[0] as Value;

const countOf = (shape: Shape, axes: readonly number[]) => sizeOf(axes.map((axis) => shape[axis] as number));

export const reductions = {
  ReduceSum: reduction('ReduceSum', (node, dy) => expand(kept(node, dy), inputOf(node).shape), numbers),
  ReduceMean: reduction('ReduceMean', (node, dy) => {
    const { shape } = inputOf(node);
    return expand(mul(kept(node, dy), 1 / countOf(shape, reduceAttributes(node).axes)), shape);
  }),
  // Equal maxima share the gradient.
  ReduceMax: reduction('ReduceMax', (node, dy) => {
    const x = inputOf(node);
    const isMax = cast(equal(x, kept(node, outputOf(node))), x.dtype);
    const ties = reduceSum(isMax, reduceAttributes(node).axes, true);
    return mul(isMax, div(kept(node, dy), ties));
  }),
  // x/‖x‖, and 0 where ‖x‖ = 0.
  ReduceL2: reduction('ReduceL2', (node, dy) => {
    const norm = kept(node, outputOf(node));
    const zero = equal(norm, 0);
    return mul(inputOf(node), where(zero, 0, div(kept(node, dy), where(zero, 1, norm))));
  }),
} satisfies Record<string, Op>;

/** Reduces over `axes`, all by default; with `keepDims` (default false) they stay with size 1. */
export type Reduce = (x: Value, axes?: readonly number[], keepDims?: boolean) => Value;
const reduce =
  (op: Op): Reduce =>
  (x, axes, keepDims = false) => {
    const normal = normalizeAxes(axes, x.shape.length);
    // ONNX reads an empty list of axes as all axes.
    if (normal.length === 0) return op === reductions.ReduceL2 ? abs(x) : x;
    return applyOne(op, [x], { axes: normal, keepDims });
  };

/** The sum over the given axes, or over all. */
export const reduceSum: Reduce = reduce(reductions.ReduceSum);
/** The mean over the given axes, or over all. */
export const reduceMean: Reduce = reduce(reductions.ReduceMean);
/** The largest element over the given axes, or over all; equal maxima share the gradient. */
export const reduceMax: Reduce = reduce(reductions.ReduceMax);
/** The Euclidean norm over the given axes, or over all; its slope at 0 is 0. */
export const reduceL2: Reduce = reduce(reductions.ReduceL2);

/** Undoes broadcasting: sums over the axes that were added or stretched. */
export function sumTo(x: Value, shape: Shape): Value {
  const added = x.shape.length - shape.length;
  const axes = x.shape.flatMap((size, axis) =>
    axis < added || (shape[axis - added] === 1 && size !== 1) ? [axis] : [],
  );
  return axes.length === 0 ? x : reshape(reduceSum(x, axes), shape);
}
