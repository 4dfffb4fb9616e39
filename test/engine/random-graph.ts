// Random graphs of smooth operators, valid by construction: a step names an operator and gives it a few whole numbers
// to choose its operands and options with, so any list of steps makes a graph and a shorter list a smaller one.

import * as engine from '../../src/engine/index.js';
import { type FloatType, type Op, ops, type Shape, sizeOf, type Value } from '../../src/engine/index.js';
import { broadcastShapes } from '../../src/engine/shape.js';
import { Draw } from './draw.js';

export interface Step {
  readonly kind: keyof typeof steps;
  /** Which value so far it starts from, and two more choices. */
  readonly pick: number;
  readonly option: number;
  readonly other: number;
}

interface Hand {
  readonly draw: Draw;
  readonly option: number;
  readonly flag: boolean;
  /** A value so far that broadcasts with x: x itself if no other does. */
  readonly partner: (x: Value) => Value;
}

const takes = (op: Op, x: Value) => op.dtypes.includes(x.dtype);
const axisOf = (x: Value, option: number) => option % x.shape.length;
const lastOf = (x: Value) => x.shape.at(-1) as number;
const atLeast = (x: Value, rank: number): Value =>
  x.shape.length >= rank ? x : engine.reshape(x, [...Array(rank - x.shape.length).fill(1), ...x.shape]);
const onAxis = (x: Value, axis: number, number: number) => x.shape.map((_, i) => (i === axis ? number : 0));
const mask = (draw: Draw, shape: Shape) =>
  engine.constant(
    Uint8Array.from({ length: sizeOf(shape) }, () => draw.whole(2)),
    shape,
    'bool',
  );
const places = (draw: Draw, shape: Shape, count: number) =>
  engine.constant(
    BigInt64Array.from({ length: sizeOf(shape) }, () => BigInt(draw.whole(count))),
    shape,
  );

/** Far enough apart that no rounding changes which is the largest, and that is near 0: large numbers hide errors. */
const apart = (x: Value, axis: number): Value => {
  const offsets = Array.from({ length: x.shape[axis] as number }, (_, i) => -3 * ((2 * i + 3) % 5) - 0.01 * i);
  const shape = x.shape.map((size, i) => (i === axis ? size : 1));
  return engine.add(engine.tanh(x), engine.constant(offsets, shape, x.dtype));
};

/** A second factor of the shape that the option asks for: batched or not, transposed or not. */
function product(x: Value, { draw, option, flag }: Hand): Value {
  const a = atLeast(x, 2);
  const transposeA = option % 2 === 1;
  const transposeB = option % 4 >= 2;
  const inner = a.shape.at(transposeA ? -2 : -1) as number;
  const batch = flag ? a.shape.slice(0, -2).map((size, axis) => ((option + axis) % 3 === 0 ? 1 : size)) : [];
  const b = draw.numbers([...batch, ...(transposeB ? [2, inner] : [inner, 2])]);
  return engine.matMul(a, b, { transposeA, transposeB, scale: option % 5 === 0 ? 1 : 0.7 / Math.sqrt(inner) });
}

export const steps = {
  add: (x, { partner }) => engine.add(x, partner(x)),
  subtract: (x, { partner, flag }) => (flag ? engine.sub(partner(x), x) : engine.add(partner(x), engine.neg(x))),
  multiply: (x, { partner }) => engine.mul(engine.tanh(x), partner(x)),
  divide: (x, { partner }) => engine.div(x, engine.add(engine.square(partner(x)), 1.5)),
  scale: (x, { option, flag }) => (flag ? engine.mul(0.25 * option, x) : engine.neg(engine.mul(x, 0.25 * option))),
  tanh: (x) => engine.tanh(x),
  sigmoid: (x) => engine.sigmoid(x),
  gelu: (x, { flag }) =>
    takes(ops.Gelu, x) ? engine.gelu(x, flag ? 'tanh' : 'none') : engine.mul(x, engine.sigmoid(x)),
  exponential: (x) => engine.exp(engine.tanh(x)),
  root: (x) => engine.sqrt(engine.add(engine.square(x), 0.5)),
  power: (x) => engine.pow(engine.exp(engine.tanh(x)), 1.7),
  product,
  gram: (x, { flag }) => {
    const factor = atLeast(engine.tanh(x), 2);
    return engine.matMul(factor, factor, { [flag ? 'transposeA' : 'transposeB']: true, scale: 0.5 });
  },
  affine: (x, { draw }) =>
    engine.affine(atLeast(x, 2), draw.numbers([lastOf(x), lastOf(x)]), draw.numbers([lastOf(x)])),
  transpose: (x, { option, flag }) => {
    const rotated = x.shape.map((_, axis) => (axis + option) % x.shape.length);
    const swapped = engine.transpose(x, x.shape.map((_, axis) => axis).reverse());
    return engine.transpose(flag ? swapped : x, rotated);
  },
  reshape: (x, { flag }) => engine.reshape(x, flag ? [-1] : [1, lastOf(x), -1]),
  expand: (x, { option }) => engine.expand(x, [1 + (option % 3), ...x.shape]),
  slice: (x, { option, flag }) => {
    const axis = axisOf(x, option);
    if ((x.shape[axis] as number) < 2) return x;
    const step = x.shape.map((_, i) => (i === axis && flag ? 2 : 1));
    return engine.slice(x, onAxis(x, axis, option % 2), x.shape, step);
  },
  pad: (x, { option }) => engine.pad(x, onAxis(x, axisOf(x, option), 1), onAxis(x, axisOf(x, option), option % 2)),
  concat: (x, { option, flag }) => engine.concat([x, flag ? x : engine.sigmoid(x)], axisOf(x, option)),
  split: (x, { option, flag }) => {
    const axis = axisOf(x, option);
    const size = x.shape[axis] as number;
    if (size < 2) return x;
    const [front, back] = engine.split(x, [1, size - 1], axis) as [Value, Value];
    return flag ? back : engine.concat([back, engine.tanh(front)], axis);
  },
  sum: (x, { option, flag }) => engine.reduceSum(x, [axisOf(x, option)], flag),
  mean: (x, { option, flag }) => engine.reduceMean(x, [axisOf(x, option)], flag),
  largest: (x, { option, flag }) => engine.reduceMax(apart(x, axisOf(x, option)), [axisOf(x, option)], flag),
  norm: (x, { option, flag }) =>
    engine.reduceL2(engine.add(engine.mul(engine.tanh(x), 0.25), 0.5), [axisOf(x, option)], flag),
  softmax: (x, { option, flag }) => (flag ? engine.softmax : engine.logSoftmax)(x, axisOf(x, option)),
  layerNorm: (x, { draw }) =>
    takes(ops.LayerNormalization, x)
      ? engine.layerNorm(x, draw.numbers([lastOf(x)]), draw.numbers([lastOf(x)]), 0.125)
      : engine.sub(x, engine.reduceMean(x, [-1], true)),
  gather: (x, { draw, option, flag }) => {
    const axis = axisOf(x, option);
    return engine.gather(x, places(draw, flag ? [2] : [], x.shape[axis] as number), axis);
  },
  gatherElements: (x, { draw, option }) =>
    engine.gatherElements(x, places(draw, x.shape, x.shape[axisOf(x, option)] as number), axisOf(x, option)),
  scatter: (x, { draw, option }) => {
    const axis = axisOf(x, option);
    return engine.scatterAdd(x, places(draw, x.shape, x.shape[axis] as number), engine.tanh(x), axis);
  },
  where: (x, { draw, partner }) => engine.where(mask(draw, x.shape), x, partner(x)),
} satisfies Record<string, (x: Value, hand: Hand) => Value>;

const tooLarge = ({ shape }: Value) => sizeOf(shape) > 48 || shape.length > 4;

/** The graph that a list of steps makes: its last two values. */
export function graphOf(
  { list, seed }: { list: readonly Step[]; seed: number },
  dtype: FloatType,
): { draw: Draw; outputs: readonly Value[] } {
  const draw = new Draw(seed, dtype);
  const values = [draw.numbers([2, 3]), draw.numbers([3]), draw.numbers([2, 2, 3])];
  for (const { kind, pick, option, other } of list) {
    // Late values are picked more often: that makes graphs deep.
    const x = atLeast(values.at(-1 - (pick % Math.min(3, values.length))) as Value, 1);
    const rotated = values.map((_, i) => values[(i + other) % values.length] as Value);
    const partner = (value: Value) => rotated.find((candidate) => broadcasts(value, candidate)) ?? value;
    const made = steps[kind](x, { draw, option, flag: other % 2 === 0, partner });
    values.push(tooLarge(made) ? engine.reduceMean(made, [0]) : made);
  }
  return { draw, outputs: values.slice(-2) };
}

function broadcasts(a: Value, b: Value): boolean {
  try {
    return sizeOf(broadcastShapes(a.shape, b.shape)) <= 48;
  } catch {
    return false;
  }
}
