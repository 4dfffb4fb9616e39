// Random graph inputs with the numbers to feed them, from a seed.

import { arrayFrom, type DType, isFloat, type Shape, type TypedArray } from '../../src/engine/types.js';
import { input, type Value } from '../../src/engine/value.js';
import type { NaiveFeeds } from './naive/evaluate.js';

/** Uniform on [0, 1). Mulberry32, by Tommy Ettinger. */
function uniformSource(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const countOf = (shape: Shape) => shape.reduce((product, size) => product * size, 1);

export class Draw {
  /** What the inputs drawn so far are to be fed with. */
  readonly feeds: Record<string, TypedArray> = {};
  /** The float inputs to differentiate by. */
  readonly variables: Value[] = [];
  readonly #uniform: () => number;

  constructor(
    seed: number,
    readonly dtype: DType,
  ) {
    this.#uniform = uniformSource(seed);
  }

  /** A random number in [low, high). */
  number(low = -1, high = 1): number {
    return low + (high - low) * this.#uniform();
  }

  whole(count: number): number {
    return Math.floor(this.#uniform() * count);
  }

  list(count: number, low?: number, high?: number): number[] {
    return Array.from({ length: count }, () => this.number(low, high));
  }

  /** An input of the drawn type; the bounds are for floats, whole numbers are -3 … 3 without 0, booleans either. */
  numbers(shape: Shape, low = -1.5, high = 1.5): Value {
    const count = countOf(shape);
    if (isFloat(this.dtype)) return this.variable(shape, this.list(count, low, high));
    if (this.dtype === 'bool') return this.booleans(shape);
    const whole = Array.from({ length: count }, () => (1 + this.whole(3)) * (this.whole(2) === 0 ? 1 : -1));
    return this.variable(shape, whole);
  }

  /** Floats at least 0.25 from one another, at least 0.125 from 0 and from those of the other offset. */
  spread(shape: Shape, offset: 0.0625 | 0.1875 = 0.0625): Value {
    if (this.dtype === 'bool') return this.booleans(shape);
    const count = countOf(shape);
    const order = Array.from({ length: count }, (_, place) => place);
    for (let last = count - 1; last > 0; last--) {
      const other = this.whole(last + 1);
      [order[last], order[other]] = [order[other] as number, order[last] as number];
    }
    const whole = order.map((place) => place - Math.floor(count / 2));
    if (!isFloat(this.dtype)) return this.variable(shape, whole);
    return this.variable(
      shape,
      whole.map((place) => 0.25 * place + offset),
    );
  }

  booleans(shape: Shape): Value {
    return this.#input(
      shape,
      Array.from({ length: countOf(shape) }, () => this.whole(2)),
      'bool',
    );
  }

  /** Whole numbers 0 … count-1. */
  indices(shape: Shape, count: number, dtype: 'i64' | 'i32' = 'i64'): Value {
    return this.#input(
      shape,
      Array.from({ length: countOf(shape) }, () => this.whole(count)),
      dtype,
    );
  }

  /** Given numbers of the drawn type. */
  variable(shape: Shape, numbers: readonly number[]): Value {
    const value = this.#input(shape, numbers, this.dtype);
    if (isFloat(this.dtype)) this.variables.push(value);
    return value;
  }

  /** Random floats that are not differentiated by: weights of a loss, directions. */
  fixed({ shape, dtype }: Pick<Value, 'shape' | 'dtype'>, low?: number, high?: number): Value {
    return this.#input(shape, this.list(countOf(shape), low, high), dtype);
  }

  #input(shape: Shape, numbers: readonly number[], dtype: DType): Value {
    const name = `x${Object.keys(this.feeds).length}`;
    this.feeds[name] = arrayFrom(dtype, numbers);
    return input(name, shape, dtype);
  }

  /** The same numbers as float64, with `step` times a direction added to those that have one. */
  moved(directions: ReadonlyMap<Value, readonly number[]>, step: number): NaiveFeeds {
    const feeds: Record<string, readonly number[]> = {};
    for (const [name, numbers] of Object.entries(this.feeds)) feeds[name] = Array.from(numbers, Number);
    for (const [{ source }, direction] of directions) {
      if (source?.kind !== 'input') throw new Error('only inputs can be moved');
      feeds[source.name] = (feeds[source.name] ?? []).map((x, i) => x + step * (direction[i] ?? 0));
    }
    return feeds;
  }
}
