import { at, atBroadcast, build, commonShape, type Index, type NdArray, type Shape } from './array.js';
import { first, type Kernel, second } from './kernel.js';

const swapLast = (list: readonly number[]): number[] => [...list.slice(0, -2), ...list.slice(-2).reverse()];

const transposed = (x: NdArray): NdArray => build(swapLast(x.shape), (index) => at(x, swapLast(index)));

const batchOf = (shape: Shape | Index) => shape.slice(0, -2);

export const linear = {
  // scale · A·B, plus the addend where there is one.
  MatMul: (inputs, { attributes }) => {
    const a = attributes.transposeA ? transposed(first(inputs)) : first(inputs);
    const b = attributes.transposeB ? transposed(second(inputs)) : second(inputs);
    const addend = inputs[2];
    const shape = [...commonShape([batchOf(a.shape), batchOf(b.shape)]), a.shape.at(-2) ?? 0, b.shape.at(-1) ?? 0];
    return [
      build(shape, (index) => {
        const [row = 0, column = 0] = index.slice(-2);
        let dot = 0;
        for (let k = 0; k < (a.shape.at(-1) ?? 0); k++) {
          // The inner axis is no broadcast axis, but a size of 1 reads at 0 either way.
          dot += atBroadcast(a, [...batchOf(index), row, k]) * atBroadcast(b, [...batchOf(index), k, column]);
        }
        return (attributes.scale as number) * dot + (addend === undefined ? 0 : at(addend, index));
      }),
    ];
  },
} satisfies Record<string, Kernel>;
