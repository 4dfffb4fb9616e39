// What a client does to its gradients before it shares them, by the same rules as in training. Which numbers are bounded
// together decides how much noise each tensor gets, so it must be said.

import { ArgumentError } from '../../checks/index.js';
import type { RandomSource } from '../../random/index.js';
import type { Tensors } from './batch-gradients.js';
import { type Protection, protectorOf } from './registry.js';
import { joined } from './vectors.js';

export interface Protected {
  readonly gradients: Tensors;
  /** Standard deviation of the noise on each number, by tensor. */
  readonly noise: Readonly<Record<string, number>>;
}

/** The sum over the examples of a batch, each given as the gradient of its own loss. */
export function protect(examples: readonly Tensors[], protection: Protection, random: RandomSource): Protected {
  const [first] = examples;
  if (first === undefined) throw new ArgumentError('expected gradients of at least one example, got none');
  const names = Object.keys(first);
  const together = 'scope' in protection && protection.scope === 'joint';
  const gradients: Record<string, Float32Array> = {};
  const noise: Record<string, number> = {};
  for (const group of together ? [names] : names.map((name) => [name])) {
    const vectors = examples.map((example) => joined(group.map((name) => example[name] as Float32Array)));
    const { sum, deviation } = protectorOf(protection.mechanism).protect(vectors, protection, random);
    let start = 0;
    for (const name of group) {
      const { length } = first[name] as Float32Array;
      gradients[name] = sum.slice(start, start + length);
      noise[name] = deviation;
      start += length;
    }
  }
  return { gradients, noise };
}
