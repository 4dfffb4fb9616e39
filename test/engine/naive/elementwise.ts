import type { DType } from '../../../src/engine/types.js';
import { mapBroadcast } from './array.js';
import type { Kernel } from './kernel.js';
import { erf, exactGelu, sigmoid, tanhGelu } from './special.js';

const each =
  (f: (...numbers: number[]) => number): Kernel =>
  (inputs) => [mapBroadcast(f, ...inputs)];

const truth = (f: (...numbers: number[]) => boolean): Kernel => each((...numbers) => (f(...numbers) ? 1 : 0));

const number = (x: number | undefined): number => x ?? Number.NaN;
const one = (f: (x: number) => number): Kernel => each((x) => f(number(x)));
const two = (f: (a: number, b: number) => number): Kernel => each((a, b) => f(number(a), number(b)));

const isWhole = (dtype: DType | undefined) => dtype === 'i64' || dtype === 'i32';

// From float to float nothing is rounded: a step function has no finite differences.
const castTo: Record<DType, (x: number) => number> = {
  f32: (x) => x,
  f64: (x) => x,
  i64: Math.trunc,
  i32: Math.trunc,
  bool: (x) => (x === 0 ? 0 : 1),
};

export const elementwise = {
  Add: two((a, b) => a + b),
  Sub: two((a, b) => a - b),
  Mul: two((a, b) => a * b),
  Div: (inputs, { outputs }) => [
    mapBroadcast(
      (a, b) => {
        const quotient = number(a) / number(b);
        return isWhole(outputs[0]?.dtype) ? Math.trunc(quotient) : quotient;
      },
      ...inputs,
    ),
  ],
  Max: two(Math.max),
  Min: two(Math.min),
  Pow: two((a, b) => a ** b),

  Equal: truth((a, b) => a === b),
  Greater: truth((a, b) => number(a) > number(b)),
  GreaterOrEqual: truth((a, b) => number(a) >= number(b)),
  Less: truth((a, b) => number(a) < number(b)),
  LessOrEqual: truth((a, b) => number(a) <= number(b)),
  And: truth((a, b) => a !== 0 && b !== 0),
  Or: truth((a, b) => a !== 0 || b !== 0),
  Not: truth((a) => a === 0),
  Where: each((condition, yes, no) => number(condition === 0 ? no : yes)),
  Cast: (inputs, { attributes }) => [mapBroadcast((x) => castTo[attributes.to as DType](number(x)), ...inputs)],

  Neg: one((x) => -x),
  Abs: one(Math.abs),
  Sign: one(Math.sign),
  Exp: one(Math.exp),
  Log: one(Math.log),
  Sqrt: one(Math.sqrt),
  Reciprocal: one((x) => 1 / x),
  Erf: one(erf),
  Tanh: one(Math.tanh),
  Sigmoid: one(sigmoid),
  Relu: one((x) => (x > 0 ? x : 0)),
  Clip: (inputs, { attributes }) => {
    const { low, high } = attributes as { low: number; high: number };
    return [mapBroadcast((x) => Math.min(Math.max(number(x), low), high), ...inputs)];
  },
  Gelu: (inputs, { attributes }) => [
    mapBroadcast((x) => (attributes.approximate === 'tanh' ? tanhGelu : exactGelu)(number(x)), ...inputs),
  ],
} satisfies Record<string, Kernel>;
