// Operators that look up and add up by index.

import { ArgumentError } from '../../checks/index.js';
import { anything, commonType, defineOp, expectIndices, numbers } from '../op.js';
import { normalizeAxis, sameShape, showShape, sizeOf } from '../shape.js';
import { arrayFrom, type DType, type FloatType, type ValueType } from '../types.js';
import { apply, applyOne, type Op, type Value } from '../value.js';
import { cast } from './elementwise.js';
import { matMul } from './linear.js';
import { expand, reshape, transpose, zeros } from './movement.js';

// The cost of adding up rows by index, in nanoseconds per index on two cores: ScatterElements takes about 20 per number of
// the row; a product with the one-hot matrix takes 8 per entry of that matrix and 1/50 per multiplication.
const oneHotIsFaster = (rows: number, width: number): boolean => rows * (8 + width / 50) <= 20 * width;

export const indexing = {
  // Takes slices of `data` along one axis, which is replaced by the shape of the indices.
  Gather: defineOp({
    name: 'Gather',
    dtypes: anything,
    infer: ([data, indices], { axis }) => {
      expectIndices(indices as ValueType);
      const { dtype, shape } = data as ValueType;
      return [{ dtype, shape: shape.toSpliced(axis as number, 1, ...(indices as ValueType).shape) }];
    },
    gradient: ({ inputs: [data, indices], attributes }, [dy]) => [
      () => scatterRows(data as Value, indices as Value, dy as Value, attributes.axis as number),
    ],
    lower: ({ axis }) => ({ opType: 'Gather', attributes: { axis: axis as number } }),
  }),
  GatherElements: defineOp({
    name: 'GatherElements',
    dtypes: anything,
    infer: ([data, indices], { axis }) => {
      const { dtype } = data as ValueType;
      expectInside(data as ValueType, indices as ValueType, axis as number);
      return [{ dtype, shape: (indices as ValueType).shape }];
    },
    gradient: ({ inputs: [data, indices], attributes }, [dy]) => [
      () => scatterAdd(zeros(data as Value), indices as Value, dy as Value, attributes.axis as number),
    ],
    lower: ({ axis }) => ({ opType: 'GatherElements', attributes: { axis: axis as number } }),
  }),
  // Equal indices add up.
  ScatterElements: defineOp({
    name: 'ScatterElements',
    dtypes: numbers,
    infer: ([data, indices, updates], { axis }) => {
      expectInside(data as ValueType, indices as ValueType, axis as number);
      if (!sameShape((indices as ValueType).shape, (updates as ValueType).shape)) {
        throw new ArgumentError('expected indices and updates of one shape');
      }
      return [{ dtype: commonType([data as ValueType, updates as ValueType]), shape: (data as ValueType).shape }];
    },
    gradient: ({ inputs: [, indices], attributes }, [dy]) => [
      () => dy as Value,
      undefined,
      () => gatherElements(dy as Value, indices as Value, attributes.axis as number),
    ],
    lower: ({ axis }) => ({ opType: 'ScatterElements', attributes: { axis: axis as number, reduction: 'add' } }),
  }),
  // 1 at the index along a new last axis, 0 elsewhere. A negative index counts from the end; one outside
  // -depth … depth-1 gives a row of zeros.
  OneHot: defineOp({
    name: 'OneHot',
    dtypes: ['i64', 'i32'],
    infer: ([indices], { depth }) => [{ dtype: 'f32', shape: [...(indices as ValueType).shape, depth as number] }],
    gradient: 'zero',
    lower: ({ depth }, [indices]) => ({
      opType: 'OneHot',
      constants: [
        scalarOf(indices?.dtype ?? 'i64', depth as number),
        { dtype: 'f32', shape: [2], data: arrayFrom('f32', [0, 1]) },
      ],
    }),
  }),
  // Returns the first of equal maxima.
  ArgMax: defineOp({
    name: 'ArgMax',
    infer: ([x], { axis }) => [{ dtype: 'i64', shape: (x as ValueType).shape.toSpliced(axis as number, 1) }],
    gradient: 'none',
    lower: ({ axis }) => ({ opType: 'ArgMax', attributes: { axis: axis as number, keepdims: 0 } }),
  }),
  TopK: defineOp({
    name: 'TopK',
    infer: ([x], { count }) => {
      const { dtype, shape } = x as ValueType;
      const size = shape.at(-1) ?? 0;
      if (!(Number.isInteger(count) && (count as number) >= 1 && (count as number) <= size)) {
        throw new ArgumentError(`expected a count from 1 to ${size}, got ${count}`);
      }
      const kept = shape.with(-1, count as number);
      return [
        { dtype, shape: kept },
        { dtype: 'i64', shape: kept },
      ];
    },
    gradient: 'none',
    lower: ({ count }) => ({
      opType: 'TopK',
      attributes: { axis: -1 },
      constants: [{ dtype: 'i64', shape: [1], data: arrayFrom('i64', [count as number]) }],
    }),
  }),
} satisfies Record<string, Op>;

const scalarOf = (dtype: DType, number: number) => ({ dtype, shape: [], data: arrayFrom(dtype, [number]) });

function expectInside(data: ValueType, indices: ValueType, axis: number): void {
  expectIndices(indices);
  const fits = (size: number, other: number) => other === axis || size <= (data.shape[other] ?? 0);
  if (indices.shape.length !== data.shape.length || !indices.shape.every(fits)) {
    throw new ArgumentError(`expected indices within ${showShape(data.shape)} except on axis ${axis}`);
  }
}

/** The transpose of gather: zeros like `data`, with each row of dy added to the row it was taken from. */
export function scatterRows(data: ValueType, indices: Value, dy: Value, axis = 0): Value {
  const rows = data.shape[axis] as number;
  const count = sizeOf(indices.shape);
  const before = sizeOf(data.shape.slice(0, axis));
  const after = sizeOf(data.shape.slice(axis + 1));
  const flat = reshape(indices, [count]);
  const updates = reshape(dy, [before, count, after]);
  if (oneHotIsFaster(rows, after)) {
    const hot = oneHot(flat, rows, data.dtype as FloatType); // [count, rows]
    return reshape(matMul(transpose(hot), updates), data.shape);
  }
  const places = expand(reshape(flat, [1, count, 1]), updates.shape);
  const sum = scatterAdd(zeros({ dtype: data.dtype, shape: [before, rows, after] }), places, updates, 1);
  return reshape(sum, data.shape);
}

/** Looks up whole slices along `axis`: an embedding is gather(table, tokens). */
export const gather = (data: Value, indices: Value, axis = 0): Value =>
  applyOne(indexing.Gather, [data, indices], { axis: normalizeAxis(axis, data.shape.length) });

/** Picks one element per index along `axis`; `indices` has the shape of `data` on all other axes. */
export const gatherElements = (data: Value, indices: Value, axis: number): Value =>
  applyOne(indexing.GatherElements, [data, indices], { axis: normalizeAxis(axis, data.shape.length) });

/** `data` with each update added at its index along one axis; equal indices add up. */
export const scatterAdd = (data: Value, indices: Value, updates: Value, axis: number): Value =>
  applyOne(indexing.ScatterElements, [data, indices, updates], { axis: normalizeAxis(axis, data.shape.length) });

/** A row of `depth` numbers per index: 1 at the index, 0 elsewhere. */
export const oneHot = (indices: Value, depth: number, dtype: FloatType = 'f32'): Value =>
  cast(applyOne(indexing.OneHot, [indices], { depth }), dtype);

/** The index of the largest element along `axis`, the last by default, as i64; that axis is gone. */
export const argMax = (x: Value, axis = -1): Value =>
  applyOne(indexing.ArgMax, [x], { axis: normalizeAxis(axis, x.shape.length) });

/** The `count` largest elements along the last axis, in falling order, and their indices. Not differentiable. */
export function topK(x: Value, count: number): { values: Value; indices: Value } {
  const [values, indices] = apply(indexing.TopK, [x], { count }).outputs as [Value, Value];
  return { values, indices };
}
