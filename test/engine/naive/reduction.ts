// Reductions, and the normalisations that are made of them.

import { at, build, forEachIndex, type Index, lineThrough, mapBroadcast, type NdArray } from './array.js';
import { first, type Kernel, second } from './kernel.js';

const total = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0);
const mean = (numbers: readonly number[]) => total(numbers) / numbers.length;

const reduce =
  (summary: (numbers: readonly number[]) => number): Kernel =>
  (inputs, { attributes }) => {
    const x = first(inputs);
    const { axes, keepDims } = attributes as { axes: number[]; keepDims: boolean };
    const isReduced = (axis: number) => axes.includes(axis);
    const counted = x.shape.map((size, axis) => (isReduced(axis) ? size : 1));
    const kept = build(
      x.shape.map((size, axis) => (isReduced(axis) ? 1 : size)),
      (index) => {
        const numbers: number[] = [];
        forEachIndex(counted, (offset) => numbers.push(at(x, sum(index, offset))));
        return summary(numbers);
      },
    );
    return [keepDims ? kept : { shape: x.shape.filter((_, axis) => !isReduced(axis)), data: kept.data }];
  };

const sum = (a: Index, b: Index): Index => a.map((i, axis) => i + (b[axis] ?? 0));

/** One number per element from its own and all along its line. */
const alongAxis =
  (f: (own: number, line: readonly number[]) => number): Kernel =>
  (inputs, { attributes }) => {
    const x = first(inputs);
    return [build(x.shape, (index) => f(at(x, index), lineThrough(x, index, attributes.axis as number)))];
  };

const logSumExp = (line: readonly number[]) => {
  const top = Math.max(...line);
  return top + Math.log(total(line.map((x) => Math.exp(x - top))));
};

export const reductions = {
  ReduceSum: reduce(total),
  ReduceMean: reduce(mean),
  ReduceMax: reduce((numbers) => Math.max(...numbers)),
  ReduceL2: reduce((numbers) => Math.sqrt(total(numbers.map((x) => x * x)))),
  Softmax: alongAxis((own, line) => Math.exp(own - logSumExp(line))),
  LogSoftmax: alongAxis((own, line) => own - logSumExp(line)),
  LayerNormalization: (inputs, { attributes }) => {
    const x = first(inputs);
    const last = x.shape.length - 1;
    const momentShape = x.shape.with(last, 1);
    const lineAt = (index: Index) => lineThrough(x, index, last);
    const means = build(momentShape, (index) => mean(lineAt(index)));
    const inverses = build(momentShape, (index) => {
      const line = lineAt(index);
      const center = mean(line);
      return 1 / Math.sqrt(mean(line.map((own) => (own - center) ** 2)) + (attributes.epsilon as number));
    });
    const normalize = (...[own = 0, center = 0, inverse = 0, gain = 0, shift = 0]: number[]) =>
      (own - center) * inverse * gain + shift;
    return [mapBroadcast(normalize, x, means, inverses, second(inputs), inputs[2] as NdArray), means, inverses];
  },
} satisfies Record<string, Kernel>;
