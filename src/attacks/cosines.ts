// How close a shared gradient is to the true one: for measuring, not for the attacker.

import type { Arrays } from '../training/index.js';

/** Cosines between a shared gradient and the true one: 1 is the same direction. */
export interface SharedCosine {
  /** Over all shared tensors as one vector. */
  readonly all: number;
  /** Over the tensors that the attack reads, as one vector. */
  readonly read: number;
}

/** Compares a shared gradient with the sum of the examples' gradients. */
export function sharedCosine(
  examples: readonly Arrays[],
  shared: Arrays,
  reads: readonly string[] = Object.keys(shared),
): SharedCosine {
  const [all, read] = [accumulator(), accumulator()];
  for (const [name, numbers] of Object.entries(shared)) {
    const truth = sum(examples.map((example) => example[name] as Float32Array));
    const products = productsOf(numbers, truth);
    all.add(products);
    if (reads.includes(name)) read.add(products);
  }
  return { all: all.cosine(), read: read.cosine() };
}

/** In float32, in order. A single vector is its own sum. */
function sum(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...others] = vectors as [Float32Array, ...Float32Array[]];
  if (others.length === 0) return first;
  const total = first.slice();
  for (const vector of others)
    for (let i = 0; i < total.length; i++) total[i] = (total[i] as number) + (vector[i] as number);
  return total;
}

interface Products {
  readonly product: number;
  readonly own: number;
  readonly other: number;
}

/** The product of two vectors, and the square of each. Squares of float32 numbers neither overflow nor vanish in float64. */
function productsOf(numbers: Float32Array, others: Float32Array): Products {
  let [product, own, other] = [0, 0, 0];
  for (let i = 0; i < numbers.length; i++) {
    const x = numbers[i] as number;
    const y = others[i] as number;
    product += x * y;
    own += x * x;
    other += y * y;
  }
  return { product, own, other };
}

function accumulator() {
  let [product, own, other] = [0, 0, 0];
  return {
    add: (part: Products) => {
      product += part.product;
      own += part.own;
      other += part.other;
    },
    cosine: () => (own * other > 0 ? product / Math.sqrt(own * other) : 0),
  };
}
