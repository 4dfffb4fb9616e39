// Activations that ONNX Runtime runs as one kernel: GELU, softmax, layer normalisation. Their gradients are written in
// simpler operators, so they can be differentiated again.

import { ArgumentError } from '../../checks/index.js';
import { commonType, defineOp, sameType } from '../op.js';
import { normalizeAxis, reduceShape, sameShape } from '../shape.js';
import type { ValueType } from '../types.js';
import { apply, applyOne, type Node, type Op, type Value } from '../value.js';
import { add, erf, exp, mul, neg, square, sub, tanh } from './elementwise.js';
import { gatherElements, scatterAdd } from './indexing.js';
import { expand } from './movement.js';
import { reduceMean, reduceSum } from './reduction.js';

type GeluForm = 'none' | 'tanh';

export const activations = {
  Gelu: defineOp({
    name: 'Gelu',
    dtypes: ['f32'],
    infer: sameType,
    gradient: ({ inputs: [x], attributes }, [dy]) => [
      // The factor ½ goes with dy: it is usually a product, which takes it up at no cost.
      () =>
        mul(mul(dy as Value, 0.5), attributes.approximate === 'tanh' ? tanhSlope(x as Value) : erfSlope(x as Value)),
    ],
    lower: ({ approximate }) => ({ opType: 'Gelu', attributes: { approximate: approximate as GeluForm } }),
  }),
  // dx = y ∘ (dy − Σ dy∘y)
  Softmax: defineOp({
    name: 'Softmax',
    infer: sameType,
    gradient: ({ outputs: [y], attributes }, [dy]) => [
      () => {
        const product = productWith(y as Value, dy as Value);
        return sub(product, mul(y as Value, reduceSum(product, [attributes.axis as number], true)));
      },
    ],
    lower: ({ axis }) => ({ opType: 'Softmax', attributes: { axis: axis as number } }),
  }),
  LogSoftmax: defineOp({
    name: 'LogSoftmax',
    infer: sameType,
    gradient: ({ outputs: [y], attributes }, [dy]) => [
      () => logSoftmaxGradient(y as Value, dy as Value, attributes.axis as number),
    ],
    lower: ({ axis }) => ({ opType: 'LogSoftmax', attributes: { axis: axis as number } }),
  }),
  // Over the last axis. Outputs: y = x̂∘gain + shift, the mean, and 1/√(variance + epsilon); x̂ = (x − mean)·inverse.
  LayerNormalization: defineOp({
    name: 'LayerNormalization',
    dtypes: ['f32'], // in f64 ONNX keeps the moments in f32
    infer: (inputs) => {
      const [x, gain, shift] = inputs as [ValueType, ValueType, ValueType];
      const last = x.shape.slice(-1);
      if (!sameShape(gain.shape, last) || !sameShape(shift.shape, last)) {
        throw new ArgumentError(`expected gain and shift of shape [${last}]`);
      }
      const moments = { dtype: x.dtype, shape: reduceShape(x.shape, [x.shape.length - 1], true) };
      return [{ dtype: commonType(inputs), shape: x.shape }, moments, moments];
    },
    gradient: layerNormGradient,
    lower: ({ epsilon }) => ({
      opType: 'LayerNormalization',
      attributes: { axis: -1, epsilon: { float: epsilon as number } },
    }),
  }),
} satisfies Record<string, Op>;

/**
 * dy∘y. Behind a mask of dropout, dy is the product of a slope with the mask, and y∘mask is there already from the forward pass: the
 * product with the slope is then one operator instead of two.
 */
function productWith(y: Value, dy: Value): Value {
  const [slope, mask] = dy.node?.op.name === 'Mul' ? dy.node.inputs : [];
  const isMasked = slope && mask?.source?.kind === 'input' && sameShape(mask.shape, y.shape);
  return isMasked ? mul(slope, mul(y, mask)) : mul(dy, y);
}

// dy − e^y·Σdy. The gradient of a cross-entropy comes as one number u per row, scattered into zeros. Its slope at the target is
// then u·(1 − p), which would cancel if the model is sure: in float32, 1 − p is 0 from a margin of 17 between the logits. The sum of
// all other probabilities is the same number, without cancellation.
function logSoftmaxGradient(y: Value, dy: Value, axis: number): Value {
  const { op, inputs, attributes } = dy.node ?? {};
  const base = inputs?.[0]?.node;
  const intoZeros = base?.op.name === 'Expand' && isZero(base.inputs[0]);
  const [, indices, updates] = (inputs ?? []) as [Value, Value, Value];
  const isTarget = op?.name === 'ScatterElements' && attributes?.axis === axis && updates.shape[axis] === 1;
  if (!isTarget || !intoZeros) return sub(dy, mul(exp(y), reduceSum(dy, [axis], true)));
  const others = withoutTarget(exp(y), indices, axis);
  return scatterAdd(mul(others, neg(updates)), indices, mul(updates, reduceSum(others, [axis], true)), axis);
}

/** The same numbers with exactly 0 at the target of each row. */
function withoutTarget(x: Value, indices: Value, axis: number): Value {
  return scatterAdd(x, indices, neg(gatherElements(x, indices, axis)), axis);
}

const isZero = (value: Value | undefined): boolean =>
  value?.source?.kind === 'constant' && value.source.data.length === 1 && Number(value.source.data[0]) === 0;

// Twice d/dx x·Φ(x) = 2Φ(x) + 2x·φ(x), with t = x/√2: 1 + erf t + 2t/√π · e^(−t²)
function erfSlope(x: Value): Value {
  const t = mul(x, Math.SQRT1_2);
  const bell = mul(mul(t, 2 / Math.sqrt(Math.PI)), exp(neg(square(t))));
  return add(add(erf(t), 1), bell);
}

// Twice the slope of ½x(1 + tanh u), u = √(2/π)(x + .044715x³)
function tanhSlope(x: Value): Value {
  const a = Math.sqrt(2 / Math.PI);
  const x2 = square(x);
  const th = tanh(mul(x, add(mul(x2, 0.044715 * a), a)));
  const du = add(mul(x2, 3 * 0.044715 * a), a);
  return add(add(th, 1), mul(mul(x, du), sub(1, square(th))));
}

// With d = dy∘gain: dx = inverse·(d − mean(d) − x̂·mean(d∘x̂)), plus what flows into mean and inverse themselves.
function layerNormGradient(node: Node, [dy, dMean, dInverse]: readonly (Value | undefined)[]) {
  const [x, gain] = node.inputs as [Value, Value];
  const [, mean, inverse] = node.outputs as [Value, Value, Value];
  const size = x.shape.at(-1) as number;
  const normal = () => mul(sub(x, mean), inverse);
  return [
    () => {
      const parts: Value[] = [];
      if (dy !== undefined) {
        const d = mul(dy, gain);
        const along = mul(normal(), reduceMean(mul(d, normal()), [-1], true));
        parts.push(mul(sub(sub(d, reduceMean(d, [-1], true)), along), inverse));
      }
      if (dMean !== undefined) parts.push(expand(mul(dMean, 1 / size), x.shape));
      if (dInverse !== undefined) parts.push(mul(normal(), mul(mul(dInverse, square(inverse)), -1 / size)));
      return parts.reduce((sum, part) => add(sum, part));
    },
    dy && (() => mul(dy, normal())),
    dy && (() => dy),
  ];
}

/** GELU, exact by default or in the tanh form that GPT-2 uses. */
export const gelu = (x: Value, approximate: GeluForm = 'none'): Value =>
  applyOne(activations.Gelu, [x], { approximate });

/** Softmax along `axis`, the last by default. */
export const softmax = (x: Value, axis = -1): Value =>
  applyOne(activations.Softmax, [x], { axis: normalizeAxis(axis, x.shape.length) });

/** The logarithm of softmax along `axis`, the last by default. */
export const logSoftmax = (x: Value, axis = -1): Value =>
  applyOne(activations.LogSoftmax, [x], { axis: normalizeAxis(axis, x.shape.length) });

/** Layer normalisation over the last axis: mean 0, variance 1, then scaled by `gain` and shifted; f32 only. */
export const layerNorm = (x: Value, gain: Value, shift: Value, epsilon = 1e-5): Value =>
  apply(activations.LayerNormalization, [x, gain, shift], { epsilon }).outputs[0] as Value;

/** The value before `layerNorm` scaled and shifted it: its input with mean 0 and variance 1 along the last axis. */
export function normalizedInput(output: Value): Value {
  const { op, inputs, outputs } = output.node ?? {};
  if (op?.name !== 'LayerNormalization') {
    throw new ArgumentError(`normalizedInput: expected a value made by layerNorm, got ${op?.name ?? 'a source'}`);
  }
  const [x, mean, inverse] = [inputs?.[0], outputs?.[1], outputs?.[2]] as [Value, Value, Value];
  return mul(sub(x, mean), inverse);
}
