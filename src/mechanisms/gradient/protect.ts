// Protects a client's gradients before they are shared, by the same rules as in training. Which numbers are bounded together
// decides how much noise each tensor gets, so the scope is explicit.

import { ArgumentError } from '../../checks/index.js';
import type { RandomSource } from '../../random/index.js';
import type { Tensors } from './batch-gradients.js';
import type { ReleaseLaw } from './gradient-mechanism.js';
import { type Protection, protectorOf } from './registry.js';
import { cut, joined } from './vectors.js';

/** Tensors that were bounded and noised as one vector, and the law of their release. */
export interface ReleasedGroup extends ReleaseLaw {
  readonly names: readonly string[];
}

/** Gradients after protection. */
export interface Protected {
  readonly gradients: Tensors;
  /** The standard deviation of the noise on each number, by tensor. */
  readonly noise: Readonly<Record<string, number>>;
  /** What was bounded and noised together, and how: public, as part of the protocol. */
  readonly laws: readonly ReleasedGroup[];
}

/**
 * Sums the gradients of a batch, one set of tensors per example, with the bound and noise of this protection. The sum goes into
 * `into`, which is as long as all tensors together, or else into a new array.
 */
export function protect(
  examples: readonly Tensors[],
  protection: Protection,
  random: RandomSource,
  into?: Float32Array,
): Protected {
  const [first] = examples;
  if (first === undefined) throw new ArgumentError('expected gradients of at least one example, got none');
  const names = Object.keys(first);
  const tensors = names.map((name) => first[name] as Float32Array);
  const numbers = tensors.reduce((count, { length }) => count + length, 0);
  const whole = into ?? new Float32Array(numbers);
  if (whole.length !== numbers) throw new ArgumentError(`into: expected ${numbers} numbers, got ${whole.length}`);
  const parts = cut(whole, tensors);
  const noise: Record<string, number> = {};
  const laws: ReleasedGroup[] = [];
  const release = (group: readonly string[], sum: Float32Array) => {
    const vectors = examples.map((example) => joined(group.map((name) => example[name] as Float32Array)));
    const { sum: _, ...law } = protectorOf(protection.mechanism).protect(vectors, protection, random, sum);
    for (const name of group) noise[name] = law.deviation;
    laws.push({ names: group, ...law });
  };
  if ('scope' in protection && protection.scope === 'joint') release(names, whole);
  else for (const [place, name] of names.entries()) release([name], parts[place] as Float32Array);
  const gradients = Object.fromEntries(names.map((name, place) => [name, parts[place] as Float32Array]));
  return { gradients, noise, laws };
}
