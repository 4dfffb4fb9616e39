// Matrix products. Operands may be read transposed and the result scaled at no cost, so gradients need no copies.

import { ArgumentError } from '../../checks/index.js';
import { commonType, defineOp, expectRank } from '../op.js';
import { broadcastShapes, sameShape, showShape } from '../shape.js';
import type { Shape, ValueType } from '../types.js';
import { applyOne, type Op, type Value } from '../value.js';
import { add, mul } from './elementwise.js';
import { reshape, transpose } from './movement.js';

/** What a matrix product takes up at no cost. */
export interface MatMulOptions {
  /** Whether the last two axes of the first operand are read swapped; false by default. */
  readonly transposeA?: boolean;
  /** The same for the second operand. */
  readonly transposeB?: boolean;
  /** A factor of the product; 1 by default. */
  readonly scale?: number;
}
type MatMulAttributes = Required<MatMulOptions>;

const swapped = (shape: Shape, swap: boolean): Shape =>
  swap ? [...shape.slice(0, -2), ...shape.slice(-2).reverse()] : shape;

export const linear = {
  MatMul: defineOp({
    name: 'MatMul',
    infer: (inputs, attributes) => {
      const { transposeA, transposeB } = attributes as unknown as MatMulAttributes;
      for (const type of inputs.slice(0, 2)) expectRank(type, 2);
      const a = swapped((inputs[0] as ValueType).shape, transposeA);
      const b = swapped((inputs[1] as ValueType).shape, transposeB);
      if (a.at(-1) !== b.at(-2)) throw new ArgumentError(`cannot multiply ${showShape(a)} by ${showShape(b)}`);
      const batch = broadcastShapes(a.slice(0, -2), b.slice(0, -2));
      const shape = [...batch, a.at(-2) as number, b.at(-1) as number];
      if (inputs[2] !== undefined && (batch.length > 0 || !sameShape(inputs[2].shape, shape))) {
        throw new ArgumentError(`expected an addend of shape ${showShape(shape)}`);
      }
      return [{ dtype: commonType(inputs), shape }];
    },
    gradient: ({ inputs: [a, b], attributes }, [dy]) => {
      const { transposeA, transposeB, scale } = attributes as unknown as MatMulAttributes;
      const product = (x: Value | undefined, y: Value | undefined, swapX: boolean, swapY: boolean) =>
        matMul(x as Value, y as Value, { transposeA: swapX, transposeB: swapY, scale });
      return [
        () => (transposeA ? product(b, dy, transposeB, true) : product(dy, b, false, !transposeB)),
        () => (transposeB ? product(dy, a, true, transposeA) : product(a, dy, !transposeA, false)),
        () => dy as Value,
      ];
    },
    // Gemm is the faster of the two for matrices (transposed first operand: 147 against 135 GFLOPS);
    // FusedMatMul takes batches.
    lower: (attributes, [a, b, addend]) => {
      const { transposeA, transposeB, scale } = attributes as unknown as MatMulAttributes;
      if (!transposeA && !transposeB && scale === 1 && !addend) return { opType: 'MatMul' };
      const options = { transA: transposeA ? 1 : 0, transB: transposeB ? 1 : 0, alpha: { float: scale } };
      return a?.shape.length === 2 && b?.shape.length === 2
        ? { opType: 'Gemm', attributes: options }
        : { opType: 'FusedMatMul', domain: 'com.microsoft', attributes: options };
    },
  }),
} satisfies Record<string, Op>;

/** Matrix product over the last two axes; the others broadcast. */
export function matMul(a: Value, b: Value, options: MatMulOptions = {}): Value {
  const { transposeA = false, transposeB = false, scale = 1 } = options;
  // With one matrix on the right, all rows on the left form one tall matrix, and the gradient of b is one product.
  if (b.shape.length === 2 && a.shape.length > 2 && !transposeA) {
    const rows = reshape(a, [-1, a.shape.at(-1) as number]);
    const product = matMul(rows, b, options);
    return reshape(product, [...a.shape.slice(0, -1), product.shape[1] as number]);
  }
  // ONNX Runtime's batched product with options is for f32 only.
  if (a.dtype === 'f64' && a.shape.length + b.shape.length > 4) {
    const plain = { transposeA: false, transposeB: false, scale: 1 };
    const product = applyOne(linear.MatMul, [transposeA ? transpose(a) : a, transposeB ? transpose(b) : b], plain);
    return scale === 1 ? product : mul(product, scale);
  }
  // ONNX stores the scale in f32.
  if (a.dtype === 'f64' && Math.fround(scale) !== scale) return mul(matMul(a, b, { ...options, scale: 1 }), scale);
  return applyOne(linear.MatMul, [a, b], { transposeA, transposeB, scale });
}

/** x·W + bias, with W of shape [in, out], or [out, in] with `transposeB`. */
export const affine = (x: Value, weight: Value, bias: Value, options: MatMulOptions = {}): Value =>
  add(matMul(x, weight, options), bias);
