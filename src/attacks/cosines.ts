// How near what was shared is to the truth: for who measures, not for the attacker.

import { normOf } from '../mechanisms/index.js';
import type { Arrays } from '../training/index.js';

export interface SharedCosine {
  /** Of all tensors as one vector. */
  readonly all: number;
  readonly tensors: Readonly<Record<string, number>>;
}

/** Cosines of what was shared to the sum of the examples' gradients, over some tensors or all. */
export function cosinesTo(
  examples: readonly Arrays[],
  shared: Arrays,
  names: readonly string[] = Object.keys(shared),
): SharedCosine {
  let [product, own, other] = [0, 0, 0];
  const tensors: Record<string, number> = {};
  for (const name of names) {
    const numbers = shared[name] as Float32Array;
    const truth = new Float32Array(numbers.length);
    for (const example of examples) {
      const part = example[name] as Float32Array;
      for (let i = 0; i < truth.length; i++) truth[i] = (truth[i] as number) + (part[i] as number);
    }
    let along = 0;
    for (let i = 0; i < truth.length; i++) along += (truth[i] as number) * (numbers[i] as number);
    const [a, b] = [normOf(numbers), normOf(truth)];
    tensors[name] = a * b > 0 ? along / (a * b) : 0;
    product += along;
    own += a * a;
    other += b * b;
  }
  return { all: own * other > 0 ? product / Math.sqrt(own * other) : 0, tensors };
}
