// Arrays for the naive evaluator: every result is built index by index, in float64. Whole numbers and booleans are
// plain numbers here.

export type Shape = readonly number[];

export interface NdArray {
  readonly shape: Shape;
  readonly data: Float64Array;
}

export type Index = readonly number[];

const countOf = (shape: Shape) => shape.reduce((product, size) => product * size, 1);

/** The array whose element at each index is what `element` says, in row-major order. */
export function build(shape: Shape, element: (index: Index) => number): NdArray {
  const data = new Float64Array(countOf(shape));
  const index = shape.map(() => 0);
  for (let place = 0; place < data.length; place++) {
    data[place] = element(index);
    advance(index, shape);
  }
  return { shape, data };
}

/** Calls `visit` for each index of a shape. */
export function forEachIndex(shape: Shape, visit: (index: Index) => void): void {
  const index = shape.map(() => 0);
  for (let left = countOf(shape); left > 0; left--) {
    visit(index);
    advance(index, shape);
  }
}

function advance(index: number[], shape: Shape): void {
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const next = (index[axis] ?? 0) + 1;
    if (next < (shape[axis] ?? 0)) {
      index[axis] = next;
      return;
    }
    index[axis] = 0;
  }
}

export function placeOf(shape: Shape, index: Index): number {
  if (index.length !== shape.length) throw new Error(`index ${index} does not fit shape ${shape}`);
  let place = 0;
  for (const [axis, size] of shape.entries()) {
    const own = index[axis] ?? 0;
    if (own < 0 || own >= size) throw new Error(`index ${index} is outside shape ${shape}`);
    place = place * size + own;
  }
  return place;
}

export const at = ({ shape, data }: NdArray, index: Index): number => data[placeOf(shape, index)] ?? Number.NaN;

/** Reads an array as if broadcast to the shape that `index` belongs to: aligned at the last axis, size 1 repeats. */
export function atBroadcast(array: NdArray, index: Index): number {
  const own = index.slice(index.length - array.shape.length);
  return at(
    array,
    own.map((i, axis) => (array.shape[axis] === 1 ? 0 : i)),
  );
}

/** The common shape of arrays that broadcast. */
export function commonShape(shapes: readonly Shape[]): number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    const sizes = shapes.map((shape) => shape[axis - rank + shape.length] ?? 1);
    return sizes.find((size) => size !== 1) ?? 1;
  });
}

export const mapBroadcast = (f: (...numbers: number[]) => number, ...arrays: NdArray[]): NdArray =>
  build(commonShape(arrays.map(({ shape }) => shape)), (index) =>
    f(...arrays.map((array) => atBroadcast(array, index))),
  );

/** The numbers along one axis through `index`. */
export function lineThrough(array: NdArray, index: Index, axis: number): number[] {
  return Array.from({ length: array.shape[axis] ?? 0 }, (_, i) => at(array, index.with(axis, i)));
}
