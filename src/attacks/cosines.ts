// How close a shared gradient is to the true one: for measuring, not for the attacker.

import { normOf } from '../mechanisms/index.js';
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
    let along = 0;
    for (let i = 0; i < truth.length; i++) along += (truth[i] as number) * (numbers[i] as number);
    const part = { product: along, own: normOf(numbers) ** 2, other: normOf(truth) ** 2 };
    all.add(part);
    if (reads.includes(name)) read.add(part);
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

function accumulator() {
  let [product, own, other] = [0, 0, 0];
  return {
    add: (part: { readonly product: number; readonly own: number; readonly other: number }) => {
      product += part.product;
      own += part.own;
      other += part.other;
    },
    cosine: () => (own * other > 0 ? product / Math.sqrt(own * other) : 0),
  };
}
