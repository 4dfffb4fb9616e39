// Values and the nodes that make them. The graph is whatever can be reached from a value: nothing else holds it, so unused
// nodes are not part of it.

import { realpathSync, statSync } from 'node:fs';
import { ArgumentError } from '../checks/index.js';
import { sizeOf } from './shape.js';
import {
  allocate,
  arrayFrom,
  arrayTypes,
  bytesPerElement,
  type DType,
  describeType,
  isFloat,
  type Shape,
  type TypedArray,
  type ValueType,
} from './types.js';

/** Attributes are plain data: they are compared and hashed as JSON. */
export type Attributes = Readonly<Record<string, unknown>>;

/** One thunk per input, called only when that input's gradient is wanted; undefined if there is none. */
type InputGradients = readonly ((() => Value) | undefined)[];

export type GradientRule = (node: Node, outputGradients: readonly (Value | undefined)[]) => InputGradients;

/** How a node is written in ONNX; `constants` are appended to the inputs, because ONNX passes shapes and axes as tensors. */
export interface Lowered {
  readonly opType: string;
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, number | string | readonly number[] | { float: number }>>;
  readonly constants?: readonly { readonly dtype: DType; readonly shape: Shape; readonly data: TypedArray }[];
}

/** An operator: its ONNX name, its input and output types, its gradient, and how it is written in ONNX. */
export interface Op {
  readonly name: string;
  /** Element types of the first input for which ONNX Runtime has a kernel. */
  readonly dtypes: readonly DType[];
  readonly infer: (inputs: readonly ValueType[], attributes: Attributes) => readonly ValueType[];
  /** `zero`: flat almost everywhere. `none`: not differentiable, asking is an error. */
  readonly gradient: GradientRule | 'zero' | 'none';
  readonly lower: (attributes: Attributes, inputs: readonly ValueType[]) => Lowered;
}

/** Where the numbers of a leaf come from: every run, an array, or a file. */
type Source =
  | { readonly kind: 'input'; readonly name: string }
  | { readonly kind: 'constant'; readonly data: TypedArray }
  /** `stamp` distinguishes the file from a later one of the same name. */
  | { readonly kind: 'file'; readonly path: string; readonly offset: number; readonly stamp: string };

export interface Node {
  readonly op: Op;
  readonly inputs: readonly Value[];
  readonly attributes: Attributes;
  readonly outputs: readonly Value[];
  readonly label: string;
}

/** A node's result or a leaf of the graph. Operators make new values from it and compute nothing. */
export interface Value extends ValueType {
  readonly id: number;
  /** Leaves have a source; all others have a node and their index among its outputs. */
  readonly source?: Source;
  readonly node?: Node;
  readonly index: number;
}

let lastId = 0;
let currentLabel = '';

/** Names what `build` makes, for error messages and profiles: `labelled('layer 3', () => …)`; labels nest. */
export const labelled = <T>(label: string, build: () => T): T =>
  withLabel(currentLabel === '' ? label : `${currentLabel}/${label}`, build);

/** Names what `build` makes by exactly this label, whatever is around it. */
export function withLabel<T>(label: string, build: () => T): T {
  const outer = currentLabel;
  currentLabel = label;
  try {
    return build();
  } finally {
    currentLabel = outer;
  }
}

function leaf(type: ValueType, source: Source): Value {
  for (const size of type.shape) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new ArgumentError(`invalid shape: expected whole numbers >= 0, got [${type.shape.join(', ')}]`);
    }
  }
  return { id: ++lastId, dtype: type.dtype, shape: [...type.shape], source, index: 0 };
}

/** A value that every run is given, under this name. */
export const input = (name: string, shape: Shape, dtype: DType = 'f32'): Value =>
  leaf({ dtype, shape }, { kind: 'input', name });

/** A value that never changes: a number, a list, or a typed array, which is not copied, so do not write to it afterwards. */
export function constant(
  data: number | readonly number[] | TypedArray,
  shape?: Shape,
  dtype: DType = dtypeOf(data),
): Value {
  const numbers = typeof data === 'number' ? [data] : data;
  const array = Array.isArray(numbers) ? arrayFrom(dtype, numbers) : (numbers as TypedArray);
  const type = { dtype, shape: shape ?? (typeof data === 'number' ? [] : [array.length]) };
  if (!(array instanceof arrayTypes[dtype]) || array.length !== sizeOf(type.shape)) {
    throw new ArgumentError(`invalid constant: expected ${describeType(type)}, got ${describeArray(array)}`);
  }
  return leaf(type, { kind: 'constant', data: array });
}

/** A constant that stays in its file, which is mapped, not copied: raw little-endian numbers from byte `offset` on. */
export function fileConstant(
  file: { readonly path: string; readonly offset: number },
  shape: Shape,
  dtype: DType = 'f32',
): Value {
  const { path, offset } = file;
  if (!Number.isSafeInteger(offset) || offset < 0) {
    throw new ArgumentError(`${path}: invalid offset: expected a whole number >= 0, got ${offset}`);
  }
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new ArgumentError(`${path}: no such file`);
  const needed = offset + sizeOf(shape) * bytesPerElement(dtype);
  if (stats.size < needed) {
    const type = describeType({ dtype, shape });
    throw new ArgumentError(`${path}: expected ${needed} bytes or more for ${type} at ${offset}, got ${stats.size}`);
  }
  // ONNX Runtime refuses symbolic links, which are common in model caches.
  const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
  return leaf({ dtype, shape }, { kind: 'file', path: realpathSync(path), offset, stamp });
}

function dtypeOf(data: number | readonly number[] | TypedArray): DType {
  const known = Object.entries(arrayTypes).find(([, type]) => data instanceof type);
  return (known?.[0] as DType | undefined) ?? 'f32';
}

export const describeArray = (array: TypedArray): string => `${array.constructor.name} of length ${array.length}`;

/** A scalar of the same element type as `like`. */
export const scalarLike = (like: ValueType, number: number): Value => constant(number, [], like.dtype);

/** Applies an operator. Shape errors name the operator, the shapes and the label. */
export function apply(op: Op, inputs: readonly Value[], attributes: Attributes = {}, label = currentLabel): Node {
  const first = inputs[0];
  const where = label === '' ? op.name : `${op.name} in ${label}`;
  if (first !== undefined && !op.dtypes.includes(first.dtype)) {
    const advice = isFloat(first.dtype) ? ' (ONNX Runtime has no kernel for it)' : '';
    throw new ArgumentError(`${where}: expected ${op.dtypes.join(' or ')}, got ${first.dtype}${advice}`);
  }
  let types: readonly ValueType[];
  try {
    types = op.infer(inputs, attributes);
  } catch (error) {
    const shapes = inputs.map(describeType).join(', ');
    throw new ArgumentError(`${where}(${shapes}): ${error instanceof Error ? error.message : error}`);
  }
  const outputs: Value[] = [];
  const node: Node = { op, inputs, attributes, outputs, label };
  for (const [index, { dtype, shape }] of types.entries()) outputs.push({ id: ++lastId, dtype, shape, node, index });
  return node;
}

/** Applies an operator with one output. */
export const applyOne = (op: Op, inputs: readonly Value[], attributes?: Attributes): Value =>
  apply(op, inputs, attributes).outputs[0] as Value;

/** All values that `outputs` depend on and themselves, in topological order. */
export function inOrder(outputs: readonly Value[]): Value[] {
  const order: Value[] = [];
  const seen = new Set<number>();
  const stack: { value: Value; next: number }[] = [];
  const enter = (value: Value) => {
    if (seen.has(value.id)) return;
    seen.add(value.id);
    stack.push({ value, next: 0 });
  };
  for (const output of outputs) {
    enter(output);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const child = top.value.node?.inputs[top.next++];
      if (child !== undefined) enter(child);
      else order.push((stack.pop() as { value: Value }).value);
    }
  }
  return order;
}

/** A new array of zeros for a value of this type, to be used as a feed or a buffer. */
export const emptyLike = (type: ValueType): TypedArray => allocate(type.dtype, sizeOf(type.shape));
