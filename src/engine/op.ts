// What the operator families share: defining one with its usual defaults, and common shape rules.

import { ArgumentError } from '../checks/index.js';
import { broadcastShapes, showShape } from './shape.js';
import { arrayFrom, type DType, type ValueType } from './types.js';
import { type Lowered, type Op, scalarLike, type Value } from './value.js';

export const floats: readonly DType[] = ['f32', 'f64'];
export const numbers: readonly DType[] = ['f32', 'f64', 'i64', 'i32'];
export const anything: readonly DType[] = [...numbers, 'bool'];

type Definition = Omit<Op, 'dtypes' | 'lower'> & Partial<Pick<Op, 'dtypes' | 'lower'>>;

/** An operator for floats whose ONNX form is its own name with the given inputs, unless it says otherwise. */
export const defineOp = (definition: Definition): Op => ({
  dtypes: floats,
  lower: () => ({ opType: definition.name }),
  ...definition,
});

/** A tensor of whole numbers as an input of an ONNX node, such as the axes of a reduction. */
export const indexList = (list: readonly number[]): NonNullable<Lowered['constants']>[number] => ({
  dtype: 'i64',
  shape: [list.length],
  data: arrayFrom('i64', list),
});

export const sameType = ([first]: readonly ValueType[]): ValueType[] => [first as ValueType];

/** Broadcast shape; all inputs must have one element type. */
export function broadcastType(inputs: readonly ValueType[]): ValueType[] {
  return [{ dtype: commonType(inputs), shape: broadcastShapes(...inputs.map(({ shape }) => shape)) }];
}

export function commonType(inputs: readonly ValueType[]): DType {
  const [first, ...rest] = inputs.map(({ dtype }) => dtype);
  const other = rest.find((dtype) => dtype !== first);
  if (other !== undefined) throw new ArgumentError(`expected one element type, got ${first} and ${other}`);
  return first as DType;
}

export function expectIndices(type: ValueType): void {
  if (type.dtype !== 'i64' && type.dtype !== 'i32') {
    throw new ArgumentError(`expected indices of type i64 or i32, got ${type.dtype}`);
  }
}

export function expectRank(type: ValueType, least: number): void {
  if (type.shape.length < least) {
    throw new ArgumentError(`expected at least ${least} axes, got shape ${showShape(type.shape)}`);
  }
}

/** A number stands for a scalar of the other operand's element type. */
export type Operand = Value | number;

export function operands(a: Operand, b: Operand): [Value, Value] {
  if (typeof a !== 'number') return [a, typeof b === 'number' ? scalarLike(a, b) : b];
  if (typeof b !== 'number') return [scalarLike(b, a), b];
  throw new ArgumentError(`expected at least one value, got the numbers ${a} and ${b}`);
}
