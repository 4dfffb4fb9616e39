// Element types and the typed arrays that hold them.

/** Element types that carry gradients: 32 or 64 bits. */
export type FloatType = 'f32' | 'f64';
/** The element type of a value; bool is stored as one byte, 0 or 1. */
export type DType = FloatType | 'i64' | 'i32' | 'bool';
/** One size per axis, outermost first; [] is a scalar. */
export type Shape = readonly number[];

/** What is known of a value before anything runs: element type and static shape. */
export interface ValueType {
  readonly dtype: DType;
  readonly shape: Shape;
}

interface ArrayOf {
  f32: Float32Array;
  f64: Float64Array;
  i64: BigInt64Array;
  i32: Int32Array;
  bool: Uint8Array;
}
/** The array that holds a value's numbers: Float32Array for f32, Float64Array, BigInt64Array, Int32Array, Uint8Array for bool. */
export type TypedArray = ArrayOf[DType];

export const arrayTypes = {
  f32: Float32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  i32: Int32Array,
  bool: Uint8Array,
} as const;

export const isFloat = (dtype: DType): dtype is FloatType => dtype === 'f32' || dtype === 'f64';

export const bytesPerElement = (dtype: DType): number => arrayTypes[dtype].BYTES_PER_ELEMENT;

export const allocate = (dtype: DType, length: number): TypedArray => new arrayTypes[dtype](length);

/** Numbers as an array of the element type; i64 takes whole numbers and holds them as BigInt. */
export function arrayFrom(dtype: DType, numbers: readonly number[]): TypedArray {
  if (dtype === 'i64') return BigInt64Array.from(numbers, BigInt);
  return arrayTypes[dtype].from(numbers);
}

export const describeType = ({ dtype, shape }: ValueType): string => `${dtype}[${shape.join(', ')}]`;
