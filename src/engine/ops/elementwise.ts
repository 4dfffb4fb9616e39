// Operators that work element by element: arithmetic with broadcasting, comparisons, functions of one number. Gradient rules
// may return the broadcast shape; the reverse walk sums it back to the input's.

import { ArgumentError } from '../../checks/index.js';
import {
  anything,
  broadcastType,
  commonType,
  defineOp,
  floats,
  numbers,
  type Operand,
  operands,
  sameType,
} from '../op.js';
import { broadcastShapes } from '../shape.js';
import type { DType, ValueType } from '../types.js';
import { applyOne, type GradientRule, type Node, type Op, type Value } from '../value.js';

/** A gradient rule as one function per input of (output gradient, inputs, output). */
type Partial = (dy: Value, inputs: readonly Value[], y: Value) => Value;
const partials =
  (...rules: (Partial | undefined)[]): GradientRule =>
  (node: Node, [dy]) =>
    rules.map((rule) => rule && (() => rule(dy as Value, node.inputs, node.outputs[0] as Value)));

const binary = (name: string, gradient: Op['gradient'], dtypes = numbers) =>
  defineOp({ name, dtypes, infer: broadcastType, gradient });
const unary = (name: string, gradient: Op['gradient'], dtypes = floats) =>
  defineOp({ name, dtypes, infer: sameType, gradient });
const comparison = (name: string, dtypes = numbers) =>
  defineOp({
    name,
    dtypes,
    infer: (inputs) => broadcastType(inputs).map(({ shape }) => ({ dtype: 'bool', shape })),
    gradient: 'zero',
  });
const logical = (name: string, infer: Op['infer']) => defineOp({ name, dtypes: ['bool'], infer, gradient: 'zero' });

const at = (inputs: readonly Value[], index: number) => inputs[index] as Value;

// Where two operands are equal, each gets half of the gradient.
const share = (dy: Value, mine: Value, other: Value, wins: (a: Value, b: Value) => Value) =>
  where(equal(mine, other), mul(dy, 0.5), where(wins(mine, other), dy, 0));

export const elementwise = {
  Add: binary(
    'Add',
    partials(
      (dy) => dy,
      (dy) => dy,
    ),
  ),
  Sub: binary(
    'Sub',
    partials(
      (dy) => dy,
      (dy) => neg(dy),
    ),
  ),
  Mul: binary(
    'Mul',
    partials(
      (dy, x) => mul(dy, at(x, 1)),
      (dy, x) => mul(dy, at(x, 0)),
    ),
  ),
  Div: binary(
    'Div',
    partials(
      (dy, x) => div(dy, at(x, 1)),
      (dy, x, y) => neg(div(mul(dy, y), at(x, 1))),
    ),
  ),
  Max: binary(
    'Max',
    partials(
      (dy, x) => share(dy, at(x, 0), at(x, 1), greater),
      (dy, x) => share(dy, at(x, 1), at(x, 0), greater),
    ),
  ),
  Min: binary(
    'Min',
    partials(
      (dy, x) => share(dy, at(x, 0), at(x, 1), less),
      (dy, x) => share(dy, at(x, 1), at(x, 0), less),
    ),
  ),
  Pow: binary(
    'Pow',
    partials(
      (dy, x) => mul(dy, mul(at(x, 1), pow(at(x, 0), sub(at(x, 1), 1)))),
      (dy, x, y) => mul(dy, mul(y, log(at(x, 0)))),
    ),
    floats,
  ),

  Equal: comparison('Equal', anything),
  Greater: comparison('Greater'),
  GreaterOrEqual: comparison('GreaterOrEqual'),
  Less: comparison('Less'),
  LessOrEqual: comparison('LessOrEqual'),
  And: logical('And', broadcastType),
  Or: logical('Or', broadcastType),
  Not: logical('Not', sameType),
  Where: defineOp({
    name: 'Where',
    dtypes: ['bool'],
    infer: ([condition, ...branches]) => [
      {
        dtype: branchType(branches),
        shape: broadcastShapes(...[condition, ...branches].map((type) => type?.shape ?? [])),
      },
    ],
    gradient: partials(
      undefined,
      (dy, x) => where(at(x, 0), dy, 0),
      (dy, x) => where(at(x, 0), 0, dy),
    ),
  }),
  Cast: defineOp({
    name: 'Cast',
    dtypes: anything,
    infer: ([x], { to }) => [{ dtype: to as DType, shape: x?.shape ?? [] }],
    gradient: partials((dy, x) => cast(dy, at(x, 0).dtype)),
    lower: ({ to }) => ({ opType: 'Cast', attributes: { to: onnxType[to as DType] } }),
  }),

  Neg: unary(
    'Neg',
    partials((dy) => neg(dy)),
    numbers,
  ),
  Abs: unary(
    'Abs',
    partials((dy, x) => mul(dy, sign(at(x, 0)))),
    numbers,
  ),
  Sign: unary('Sign', 'zero', numbers),
  Exp: unary(
    'Exp',
    partials((dy, _, y) => mul(dy, y)),
  ),
  Log: unary(
    'Log',
    partials((dy, x) => div(dy, at(x, 0))),
  ),
  Sqrt: unary(
    'Sqrt',
    partials((dy, _, y) => div(mul(dy, 0.5), y)),
  ),
  Reciprocal: unary(
    'Reciprocal',
    partials((dy, _, y) => neg(mul(dy, mul(y, y)))),
  ),
  // erf'(x) = 2/√π · e^(−x²)
  Erf: unary(
    'Erf',
    partials((dy, x) => mul(mul(dy, 2 / Math.sqrt(Math.PI)), exp(neg(square(at(x, 0)))))),
    ['f32'],
  ),
  Tanh: unary(
    'Tanh',
    partials((dy, _, y) => mul(dy, sub(1, square(y)))),
  ),
  Sigmoid: unary(
    'Sigmoid',
    partials((dy, _, y) => mul(dy, mul(y, sub(1, y)))),
  ),
  // y > 0 exactly where x > 0, and using y lets x be freed.
  Relu: unary(
    'Relu',
    partials((dy, _, y) => mul(dy, sign(y))),
  ),
  Clip: defineOp({
    name: 'Clip',
    infer: sameType,
    gradient: (node, [dy]) => [
      () => {
        const { low, high } = node.attributes as { low: number; high: number };
        const x = at(node.inputs, 0);
        return where(and(greaterOrEqual(x, low), lessOrEqual(x, high)), dy as Value, 0);
      },
    ],
    lower: ({ low, high }, [x]) => ({
      opType: 'Clip',
      constants: [low, high].map((bound) => ({
        dtype: x?.dtype ?? 'f32',
        shape: [],
        data: x?.dtype === 'f64' ? Float64Array.of(bound as number) : Float32Array.of(bound as number),
      })),
    }),
  }),
} satisfies Record<string, Op>;

function branchType(branches: readonly ValueType[]): DType {
  const dtype = commonType(branches);
  if (dtype === 'bool') throw new ArgumentError('expected branches of numbers, got bool (use and, or, not)');
  return dtype;
}

/** Numbers of ONNX TensorProto.DataType. */
export const onnxType: Record<DType, number> = { f32: 1, i32: 6, i64: 7, bool: 9, f64: 11 };

const two = (op: Op) => (a: Operand, b: Operand) => applyOne(op, operands(a, b));
const one = (op: Op) => (x: Value) => applyOne(op, [x]);

/** The sum a + b, broadcast as in NumPy; a number stands for a scalar. */
export const add = two(elementwise.Add);
/** The difference a − b, broadcast as in NumPy. */
export const sub = two(elementwise.Sub);
/** The product a∘b, element by element, broadcast as in NumPy. `matMul` multiplies matrices. */
export const mul = two(elementwise.Mul);
/** The quotient a / b, broadcast as in NumPy. */
export const div = two(elementwise.Div);
/** The larger of two, element by element; where they are equal, each gets half of the gradient. */
export const max = two(elementwise.Max);
/** The smaller of two, element by element; where they are equal, each gets half of the gradient. */
export const min = two(elementwise.Min);
/** Where a = b, as bool. */
export const equal = two(elementwise.Equal);
/** Where a > b, as bool. */
export const greater = two(elementwise.Greater);
/** Where a ≥ b, as bool. */
export const greaterOrEqual = two(elementwise.GreaterOrEqual);
/** Where a < b, as bool. */
export const less = two(elementwise.Less);
/** Where a ≤ b, as bool. */
export const lessOrEqual = two(elementwise.LessOrEqual);
/** Where both bool values hold. */
export const and = two(elementwise.And);
/** Where at least one of two bool values holds. */
export const or = two(elementwise.Or);
/** Where a bool value does not hold. */
export const not = one(elementwise.Not);
/** −x. */
export const neg = one(elementwise.Neg);
/** |x|; its slope at 0 is 0. */
export const abs = one(elementwise.Abs);
/** −1, 0 or 1; flat, so that no gradient passes. */
export const sign = one(elementwise.Sign);
/** e to the power of x. */
export const exp = one(elementwise.Exp);
/** The natural logarithm. */
export const log = one(elementwise.Log);
/** The square root. */
export const sqrt = one(elementwise.Sqrt);
/** 1 / x. */
export const reciprocal = one(elementwise.Reciprocal);
/** The error function; f32 only. */
export const erf = one(elementwise.Erf);
/** The hyperbolic tangent. */
export const tanh = one(elementwise.Tanh);
/** 1 / (1 + e^(−x)). */
export const sigmoid = one(elementwise.Sigmoid);
/** max(x, 0); its slope at 0 is 0. */
export const relu = one(elementwise.Relu);

/** x∘x. */
export const square = (x: Value): Value => mul(x, x);

/** x to the power of a number or value. Squares and roots use their own, faster operators. */
export function pow(x: Value, exponent: Operand): Value {
  if (exponent === 1) return x;
  if (exponent === 2) return square(x);
  if (exponent === 0.5) return sqrt(x);
  return applyOne(elementwise.Pow, operands(x, exponent));
}

/** `yes` where the bool `condition` holds and `no` elsewhere, broadcast together. */
export function where(condition: Value, yes: Operand, no: Operand): Value {
  return applyOne(elementwise.Where, [condition, ...operands(yes, no)]);
}

/** The same numbers in another element type; gradients come back in the first. */
export const cast = (x: Value, to: DType): Value => (x.dtype === to ? x : applyOne(elementwise.Cast, [x], { to }));

/** Limits x to [low, high]; a bound that is left out does not limit. The gradient passes within the bounds, ends included. */
export const clip = (x: Value, { low = -Infinity, high = Infinity }: { low?: number; high?: number }): Value =>
  applyOne(elementwise.Clip, [x], { low, high });
