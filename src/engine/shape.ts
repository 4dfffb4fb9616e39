// Static shapes: sizes, axes, broadcasting.

import { ArgumentError } from '../checks/index.js';
import type { Shape } from './types.js';

/** The number of elements of a shape. */
export const sizeOf = (shape: Shape): number => shape.reduce((product, size) => product * size, 1);

export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

export const showShape = (shape: Shape): string => `[${shape.join(', ')}]`;

/** A possibly negative axis as an index into `rank` axes. */
export function normalizeAxis(axis: number, rank: number): number {
  const index = axis < 0 ? axis + rank : axis;
  if (!Number.isInteger(index) || index < 0 || index >= rank) {
    throw new ArgumentError(`invalid axis: expected one of ${rank} axes, got ${axis}`);
  }
  return index;
}

/** Several axes as sorted indices, all of them by default. */
export function normalizeAxes(axes: readonly number[] | undefined, rank: number): number[] {
  if (axes === undefined) return Array.from({ length: rank }, (_, axis) => axis);
  const normal = axes.map((axis) => normalizeAxis(axis, rank)).sort((a, b) => a - b);
  if (new Set(normal).size !== normal.length) {
    throw new ArgumentError(`invalid axes: expected each axis once, got ${showShape(axes)}`);
  }
  return normal;
}

/** NumPy broadcasting of any number of shapes. */
export function broadcastShapes(...shapes: Shape[]): number[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    let size = 1;
    for (const shape of shapes) {
      const own = shape[axis - rank + shape.length] ?? 1;
      if (own === 1 || own === size) continue;
      if (size !== 1) throw new ArgumentError(`shapes ${shapes.map(showShape).join(' and ')} do not broadcast`);
      size = own;
    }
    return size;
  });
}

/** The shape after reducing `axes`. */
export const reduceShape = (shape: Shape, axes: readonly number[], keepDims: boolean): number[] =>
  keepDims
    ? shape.map((size, axis) => (axes.includes(axis) ? 1 : size))
    : shape.filter((_, axis) => !axes.includes(axis));
