import { at, atBroadcast, build, type NdArray } from './array.js';
import { first, type Kernel } from './kernel.js';

/** Cuts `size` elements from `start` on along one axis. */
const part = (x: NdArray, axis: number, start: number, size: number): NdArray =>
  build(x.shape.with(axis, size), (index) => at(x, index.with(axis, start + (index[axis] ?? 0))));

export const movement = {
  // Axis k of the result is axis perm[k] of x.
  Transpose: (inputs, { attributes }) => {
    const x = first(inputs);
    const perm = attributes.perm as number[];
    return [
      build(
        perm.map((axis) => x.shape[axis] ?? 0),
        (index) => {
          const source = x.shape.map(() => 0);
          for (const [place, axis] of perm.entries()) source[axis] = index[place] ?? 0;
          return at(x, source);
        },
      ),
    ];
  },
  Reshape: (inputs, { attributes }) => [{ shape: attributes.shape as number[], data: first(inputs).data }],
  Expand: (inputs, { attributes }) => [
    build(attributes.shape as number[], (index) => atBroadcast(first(inputs), index)),
  ],
  Slice: (inputs, { attributes }) => {
    const x = first(inputs);
    const { starts, ends, steps } = attributes as Record<string, number[]>;
    const kept = x.shape.map((_, axis) => {
      const places: number[] = [];
      for (let i = starts?.[axis] ?? 0; i < (ends?.[axis] ?? 0); i += steps?.[axis] ?? 1) places.push(i);
      return places;
    });
    return [
      build(
        kept.map((places) => places.length),
        (index) =>
          at(
            x,
            index.map((i, axis) => kept[axis]?.[i] ?? -1),
          ),
      ),
    ];
  },
  Pad: (inputs, { attributes }) => {
    const x = first(inputs);
    const { before = [], after = [] } = attributes as Record<string, number[]>;
    return [
      build(
        x.shape.map((size, axis) => (before[axis] ?? 0) + size + (after[axis] ?? 0)),
        (index) => {
          const source = index.map((i, axis) => i - (before[axis] ?? 0));
          const inside = source.every((i, axis) => i >= 0 && i < (x.shape[axis] ?? 0));
          return inside ? at(x, source) : 0;
        },
      ),
    ];
  },
  Concat: (inputs, { attributes }) => {
    const axis = attributes.axis as number;
    const sizes = inputs.map(({ shape }) => shape[axis] ?? 0);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    return [
      build(first(inputs).shape.with(axis, total), (index) => {
        let i = index[axis] ?? 0;
        let which = 0;
        while (i >= (sizes[which] ?? 0)) i -= sizes[which++] ?? 0;
        return at(inputs[which] as NdArray, index.with(axis, i));
      }),
    ];
  },
  Split: (inputs, { attributes }) => {
    const { axis, sizes } = attributes as { axis: number; sizes: number[] };
    let start = 0;
    return sizes.map((size) => {
      const result = part(first(inputs), axis, start, size);
      start += size;
      return result;
    });
  },
} satisfies Record<string, Kernel>;
