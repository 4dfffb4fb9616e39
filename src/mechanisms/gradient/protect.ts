// Protects a client's gradients before they are shared, by the same rules as in training. Which numbers are bounded together
// decides how much noise each tensor gets, so the scope is explicit.

import { ArgumentError } from '../../checks/index.js';
import type { RandomSource } from '../../random/index.js';
import type { Tensors } from './batch-gradients.js';
import { type Protection, protectorOf } from './registry.js';
import { cut, joined } from './vectors.js';

/** Gradients after protection. */
export interface Protected {
  readonly gradients: Tensors;
  /** The standard deviation of the noise on each number, by tensor. */
  readonly noise: Readonly<Record<string, number>>;
}

/** Sums the gradients of a batch, one set of tensors per example, with the bound and noise of this protection. */
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
    const parts = cut(
      sum,
      group.map((name) => first[name] as Float32Array),
    );
    for (const [place, name] of group.entries()) {
      gradients[name] = parts[place] as Float32Array;
      noise[name] = deviation;
    }
  }
  return { gradients, noise };
}
