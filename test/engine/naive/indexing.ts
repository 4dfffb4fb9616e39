import { at, build, forEachIndex, lineThrough, type NdArray, placeOf } from './array.js';
import { first, type Kernel, second } from './kernel.js';

/** A negative index counts from the end. */
const fromEnd = (i: number, size: number) => (i < 0 ? i + size : i);

/** Places along a line from the largest number to the smallest, the earlier first among equals. */
const ranking = (line: readonly number[]): number[] =>
  line.map((_, place) => place).sort((a, b) => (line[b] ?? 0) - (line[a] ?? 0) || a - b);

export const indexing = {
  Gather: (inputs, { attributes }) => {
    const [data, indices] = [first(inputs), second(inputs)];
    const axis = attributes.axis as number;
    const rank = indices.shape.length;
    const shape = [...data.shape.slice(0, axis), ...indices.shape, ...data.shape.slice(axis + 1)];
    return [
      build(shape, (index) => {
        const row = fromEnd(at(indices, index.slice(axis, axis + rank)), data.shape[axis] ?? 0);
        return at(data, [...index.slice(0, axis), row, ...index.slice(axis + rank)]);
      }),
    ];
  },
  GatherElements: (inputs, { attributes }) => {
    const [data, indices] = [first(inputs), second(inputs)];
    const axis = attributes.axis as number;
    return [
      build(indices.shape, (index) => at(data, index.with(axis, fromEnd(at(indices, index), data.shape[axis] ?? 0)))),
    ];
  },
  ScatterElements: (inputs, { attributes }) => {
    const [data, indices, updates] = inputs as [NdArray, NdArray, NdArray];
    const axis = attributes.axis as number;
    const sums = data.data.slice();
    forEachIndex(indices.shape, (index) => {
      const target = placeOf(data.shape, index.with(axis, fromEnd(at(indices, index), data.shape[axis] ?? 0)));
      sums[target] = (sums[target] ?? 0) + at(updates, index);
    });
    return [{ shape: data.shape, data: sums }];
  },
  OneHot: (inputs, { attributes }) => {
    const indices = first(inputs);
    const depth = attributes.depth as number;
    return [
      build([...indices.shape, depth], (index) =>
        fromEnd(at(indices, index.slice(0, -1)), depth) === index.at(-1) ? 1 : 0,
      ),
    ];
  },
  ArgMax: (inputs, { attributes }) => {
    const x = first(inputs);
    const axis = attributes.axis as number;
    return [
      build(x.shape.toSpliced(axis, 1), (index) => ranking(lineThrough(x, index.toSpliced(axis, 0, 0), axis))[0] ?? -1),
    ];
  },
  TopK: (inputs, { attributes }) => {
    const x = first(inputs);
    const shape = x.shape.with(-1, attributes.count as number);
    const places = build(shape, (index) => {
      const last = shape.length - 1;
      return ranking(lineThrough(x, index, last))[index[last] ?? 0] ?? -1;
    });
    return [build(shape, (index) => at(x, index.with(-1, at(places, index)))), places];
  },
} satisfies Record<string, Kernel>;
