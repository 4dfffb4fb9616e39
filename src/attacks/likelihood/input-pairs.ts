// The inputs of tokens at places, by number, and the products of pairs of them, each computed once: a search asks for the same ones many
// thousand times.

import { dotRange, multiplyRows } from '../../math/index.js';
import type { FirstInputs } from '../span/inputs.js';

export interface InputPairs {
  /** Numbers of the inputs of these tokens at a place. */
  readonly find: (place: number, tokens: readonly number[]) => number[];
  /** The product of two inputs. */
  readonly own: (one: number, other: number) => number;
  /** The product of what a gradient G shows of them, xᵀGᵀGy. */
  readonly seen: (one: number, other: number) => number;
  /** Products with each of these. */
  readonly ownAll: (all: readonly number[], input: number) => Float64Array;
  readonly seenAll: (all: readonly number[], input: number) => Float64Array;
}

/** The squared products of an input x with the rows of `root` sum to xᵀGᵀGx. */
export function openInputPairs(
  { unit, vocabulary, hidden }: Pick<FirstInputs, 'unit' | 'vocabulary' | 'hidden'>,
  root: Float64Array,
): InputPairs {
  const numbers = new Map<number, number>();
  const [inputs, shown]: [Float64Array[], Float64Array[]] = [[], []];
  const [own, seen] = [lookup(inputs), lookup(shown)];
  const size = root.length / hidden;
  const find: InputPairs['find'] = (place, tokens) => {
    const keyOf = (token: number) => place * vocabulary + token;
    const missing = tokens.filter((token) => !numbers.has(keyOf(token)));
    if (missing.length > 0) {
      const some = new Float64Array(missing.length * hidden);
      for (const [k, token] of missing.entries()) unit(token, place, some, k * hidden);
      const products = multiplyRows(root, some, hidden);
      for (const [k, token] of missing.entries()) {
        numbers.set(keyOf(token), inputs.length);
        inputs.push(some.subarray(k * hidden, (k + 1) * hidden));
        shown.push(products.subarray(k * size, (k + 1) * size));
      }
    }
    return tokens.map((token) => numbers.get(keyOf(token)) as number);
  };
  return { find, own: own.one, seen: seen.one, ownAll: own.all, seenAll: seen.all };
}

/** Products of vectors by their numbers; those of a vector with all others are kept in one array, which grows with them. */
function lookup(vectors: readonly Float64Array[]) {
  const rows = new Map<number, Float64Array>();
  const rowOf = (number: number): Float64Array => {
    const row = rows.get(number);
    if (row !== undefined && row.length >= vectors.length) return row;
    const grown = new Float64Array(2 * vectors.length).fill(Number.NaN);
    if (row !== undefined) grown.set(row);
    rows.set(number, grown);
    return grown;
  };
  const squares: number[] = [];
  const times = (first: number, second: number): number => {
    const a = vectors[first] as Float64Array;
    return dotRange(a, 0, vectors[second] as Float64Array, 0, a.length);
  };
  const one = (first: number, second: number): number => {
    if (first === second) {
      squares[first] ??= times(first, first);
      return squares[first];
    }
    const row = rowOf(first);
    const known = row[second] as number;
    if (!Number.isNaN(known)) return known;
    const product = times(first, second);
    row[second] = product;
    return product;
  };
  return {
    one,
    all: (numbers: readonly number[], number: number): Float64Array => {
      const products = new Float64Array(numbers.length);
      for (let k = 0; k < numbers.length; k++) products[k] = one(numbers[k] as number, number);
      return products;
    },
  };
}
