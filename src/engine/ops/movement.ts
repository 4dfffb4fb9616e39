// Operators that move numbers without changing them.

import { ArgumentError } from '../../checks/index.js';
import { anything, commonType, defineOp, indexList } from '../op.js';
import { broadcastShapes, normalizeAxis, sameShape, showShape, sizeOf } from '../shape.js';
import type { Shape, ValueType } from '../types.js';
import { apply, applyOne, constant, type Op, type Value } from '../value.js';

interface SliceAttributes {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly steps: readonly number[];
}

export const movement = {
  Transpose: defineOp({
    name: 'Transpose',
    dtypes: anything,
    infer: ([x], { perm }) => [{ dtype: dtypeOf(x), shape: permuted(shapeOf(x), perm as number[]) }],
    gradient: ({ attributes }, [dy]) => [() => transpose(dy as Value, inverse(attributes.perm as number[]))],
    lower: ({ perm }) => ({ opType: 'Transpose', attributes: { perm: perm as number[] } }),
  }),
  Reshape: defineOp({
    name: 'Reshape',
    dtypes: anything,
    infer: ([x], { shape }) => {
      if (sizeOf(shape as Shape) !== sizeOf(shapeOf(x))) {
        throw new ArgumentError(`expected ${sizeOf(shapeOf(x))} elements, got shape ${showShape(shape as Shape)}`);
      }
      return [{ dtype: dtypeOf(x), shape: shape as Shape }];
    },
    gradient: ({ inputs }, [dy]) => [() => reshape(dy as Value, shapeOf(inputs[0]))],
    lower: ({ shape }) => ({
      opType: 'Reshape',
      attributes: { allowzero: 1 },
      constants: [indexList(shape as number[])],
    }),
  }),
  Expand: defineOp({
    name: 'Expand',
    dtypes: anything,
    infer: ([x], { shape }) => {
      if (!sameShape(broadcastShapes(shapeOf(x), shape as Shape), shape as Shape)) {
        throw new ArgumentError(`does not expand to ${showShape(shape as Shape)}`);
      }
      return [{ dtype: dtypeOf(x), shape: shape as Shape }];
    },
    gradient: (_, [dy]) => [() => dy as Value],
    lower: ({ shape }) => ({ opType: 'Expand', constants: [indexList(shape as number[])] }),
  }),
  Slice: defineOp({
    name: 'Slice',
    dtypes: anything,
    infer: ([x], attributes) => {
      const { starts, ends, steps } = attributes as unknown as SliceAttributes;
      const shape = shapeOf(x).map((size, axis) => {
        const [start, end, step] = [starts[axis] ?? 0, ends[axis] ?? size, steps[axis] ?? 1];
        if (!(start >= 0 && start <= end && end <= size && step >= 1)) {
          throw new ArgumentError(`axis ${axis} has ${size} elements, got ${start}:${end} by ${step}`);
        }
        return Math.ceil((end - start) / step);
      });
      return [{ dtype: dtypeOf(x), shape }];
    },
    gradient: ({ inputs, attributes }, [dy]) => [
      () => unslice(dy as Value, shapeOf(inputs[0]), attributes as unknown as SliceAttributes),
    ],
    lower: (attributes, [x]) => {
      const { starts, ends, steps } = attributes as unknown as SliceAttributes;
      const cut = (axis: number) => starts[axis] !== 0 || ends[axis] !== x?.shape[axis] || steps[axis] !== 1;
      const axes = starts.map((_, axis) => axis).filter(cut);
      const of = (list: readonly number[]) => indexList(axes.map((axis) => list[axis] as number));
      return { opType: 'Slice', constants: [of(starts), of(ends), indexList(axes), of(steps)] };
    },
  }),
  Pad: defineOp({
    name: 'Pad',
    dtypes: anything,
    infer: ([x], attributes) => {
      const { before, after } = attributes as { before: number[]; after: number[] };
      const shape = shapeOf(x).map((size, axis) => (before[axis] ?? 0) + size + (after[axis] ?? 0));
      if (before.length !== shape.length || after.length !== shape.length || [...before, ...after].some((n) => n < 0)) {
        throw new ArgumentError(
          `expected ${shape.length} widths >= 0, got ${showShape(before)} and ${showShape(after)}`,
        );
      }
      return [{ dtype: dtypeOf(x), shape }];
    },
    gradient: ({ inputs, attributes }, [dy]) => [
      () => {
        const before = attributes.before as number[];
        return slice(
          dy as Value,
          before,
          shapeOf(inputs[0]).map((size, axis) => (before[axis] ?? 0) + size),
        );
      },
    ],
    lower: ({ before, after }) => ({
      opType: 'Pad',
      constants: [indexList([...(before as number[]), ...(after as number[])])],
    }),
  }),
  Concat: defineOp({
    name: 'Concat',
    dtypes: anything,
    infer: (inputs, attributes) => {
      const [first = [], ...rest] = inputs.map(({ shape }) => shape);
      const axis = attributes.axis as number;
      for (const shape of rest) {
        if (shape.length !== first.length || shape.some((size, other) => other !== axis && size !== first[other])) {
          throw new ArgumentError(
            `expected equal shapes except on axis ${axis}, got ${showShape(first)} and ${showShape(shape)}`,
          );
        }
      }
      const total = inputs.reduce((sum, { shape }) => sum + (shape[axis] ?? 0), 0);
      return [{ dtype: commonType(inputs), shape: first.with(axis, total) }];
    },
    gradient: ({ inputs, attributes }, [dy]) => {
      const axis = attributes.axis as number;
      let end = 0;
      return inputs.map(({ shape }) => {
        const start = end;
        end += shape[axis] ?? 0;
        const stop = end;
        return () => sliceAxis(dy as Value, axis, start, stop);
      });
    },
    lower: ({ axis }) => ({ opType: 'Concat', attributes: { axis: axis as number } }),
  }),
  Split: defineOp({
    name: 'Split',
    dtypes: anything,
    infer: ([x], attributes) => {
      const { axis, sizes } = attributes as { axis: number; sizes: number[] };
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (total !== x?.shape[axis]) {
        throw new ArgumentError(`expected sizes that add up to ${x?.shape[axis]}, got ${showShape(sizes)}`);
      }
      return sizes.map((size) => ({ dtype: dtypeOf(x), shape: shapeOf(x).with(axis, size) }));
    },
    gradient: ({ outputs, attributes }, gradients) => [
      () =>
        concat(
          outputs.map((output, i) => gradients[i] ?? zeros(output)),
          attributes.axis as number,
        ),
    ],
    lower: ({ axis, sizes }) => ({
      opType: 'Split',
      attributes: { axis: axis as number },
      constants: [indexList(sizes as number[])],
    }),
  }),
} satisfies Record<string, Op>;

const shapeOf = (type: ValueType | undefined): Shape => type?.shape ?? [];
const dtypeOf = (type: ValueType | undefined) => type?.dtype ?? 'f32';

function permuted(shape: Shape, perm: readonly number[]): number[] {
  if (perm.length !== shape.length || new Set(perm).size !== shape.length || perm.some((axis) => !(axis in shape))) {
    throw new ArgumentError(`expected a permutation of ${shape.length} axes, got ${showShape(perm)}`);
  }
  return perm.map((axis) => shape[axis] as number);
}

const inverse = (perm: readonly number[]): number[] => perm.map((_, axis) => perm.indexOf(axis));

/** Reorders axes; without `perm` the last two change places. */
export function transpose(x: Value, perm?: readonly number[]): Value {
  const rank = x.shape.length;
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const swapped = [...axes.slice(0, -2), ...axes.slice(-2).reverse()];
  return applyOne(movement.Transpose, [x], { perm: perm?.map((axis) => normalizeAxis(axis, rank)) ?? swapped });
}

/** A new shape for the same elements; one size may be -1. */
export function reshape(x: Value, shape: Shape): Value {
  const known = shape.reduce((product, size) => (size === -1 ? product : product * size), 1);
  const full = shape.map((size) => (size === -1 ? sizeOf(x.shape) / known : size));
  return applyOne(movement.Reshape, [x], { shape: full });
}

/** Broadcasts x to `shape`, repeating what has size 1. */
export const expand = (x: Value, shape: Shape): Value => applyOne(movement.Expand, [x], { shape: [...shape] });

/** A value of the given type full of one number, made when the graph runs. */
export const fill = (type: ValueType, number: number): Value =>
  type.shape.length === 0 ? constant(number, [], type.dtype) : expand(constant(number, [], type.dtype), type.shape);
/** Zeros of the given type, made when the graph runs. */
export const zeros = (type: ValueType): Value => fill(type, 0);

/** Adds an axis of size 1. */
export function unsqueeze(x: Value, axis: number): Value {
  const place = normalizeAxis(axis, x.shape.length + 1);
  return reshape(x, x.shape.toSpliced(place, 0, 1));
}

/** Drops axes of size 1: those given, or all. */
export function squeeze(x: Value, ...axes: number[]): Value {
  const named = axes.map((axis) => normalizeAxis(axis, x.shape.length));
  const wrong = named.find((axis) => x.shape[axis] !== 1);
  if (wrong !== undefined) {
    throw new ArgumentError(`squeeze: expected axis ${wrong} of size 1, got shape ${showShape(x.shape)}`);
  }
  const drops = (size: number, axis: number) => (named.length === 0 ? size === 1 : named.includes(axis));
  return reshape(
    x,
    x.shape.filter((size, axis) => !drops(size, axis)),
  );
}

/** Elements from `starts` to before `ends` in steps, one entry per axis; negative bounds count from the end. */
export function slice(x: Value, starts: readonly number[], ends: readonly number[], steps?: readonly number[]): Value {
  if (starts.length !== x.shape.length || ends.length !== x.shape.length) {
    throw new ArgumentError(`slice: expected ${x.shape.length} bounds, got ${showShape(starts)} to ${showShape(ends)}`);
  }
  const fromEnd = (bound: number, axis: number) => (bound < 0 ? bound + (x.shape[axis] ?? 0) : bound);
  return applyOne(movement.Slice, [x], {
    starts: starts.map(fromEnd),
    ends: ends.map(fromEnd),
    steps: steps ?? starts.map(() => 1),
  });
}

/** The elements start … end-1 of one axis. */
export function sliceAxis(x: Value, axis: number, start: number, end: number): Value {
  const place = normalizeAxis(axis, x.shape.length);
  const none = x.shape.map(() => 0);
  return slice(x, none.with(place, start), x.shape.with(place, end));
}

/** Puts zeros before and after, one width per axis. */
export const pad = (x: Value, before: readonly number[], after: readonly number[]): Value =>
  applyOne(movement.Pad, [x], { before: [...before], after: [...after] });

/** Joins values along `axis`; all other sizes must agree. */
export function concat(values: readonly Value[], axis: number): Value {
  if (values.length === 0) throw new ArgumentError('concat: expected at least one value, got none');
  if (values.length === 1) return values[0] as Value;
  return applyOne(movement.Concat, values, { axis: normalizeAxis(axis, shapeOf(values[0]).length) });
}

/** Cuts x into parts of the given sizes along `axis`. */
export const split = (x: Value, sizes: readonly number[], axis: number): readonly Value[] =>
  apply(movement.Split, [x], { axis: normalizeAxis(axis, x.shape.length), sizes: [...sizes] }).outputs;

/** The transpose of Slice: puts dy back where it was cut from, with zeros elsewhere. */
function unslice(dy: Value, shape: Shape, { starts, steps }: SliceAttributes): Value {
  let spread = dy;
  for (const [axis, step] of steps.entries()) {
    if (step === 1) continue;
    // Each element gets step − 1 zeros behind it; the overhang past the end is cut off.
    const count = dy.shape[axis] as number;
    const apart = unsqueeze(spread, axis + 1);
    const padded = pad(
      apart,
      apart.shape.map(() => 0),
      apart.shape.map((_, i) => (i === axis + 1 ? step - 1 : 0)),
    );
    const joined = reshape(padded, spread.shape.with(axis, count * step));
    spread = sliceAxis(joined, axis, 0, Math.min(count * step, (shape[axis] as number) - (starts[axis] as number)));
  }
  return pad(
    spread,
    starts,
    shape.map((size, axis) => size - (starts[axis] as number) - (spread.shape[axis] as number)),
  );
}
