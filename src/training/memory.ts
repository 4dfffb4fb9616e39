// Whether training fits into memory, estimated before anything is loaded: arrays as long as the trainable parameters decide it.

import { ArgumentError, option, say } from '../checks/index.js';
import type { Model } from '../models/index.js';
import { availableMemory } from '../platform/index.js';

/** Arrays per trainable number that every run has, in bytes: start, parameters, gradient of a micro-batch, their sum, and two moments. */
const bytesPerNumber = 6 * 4;

/** Refuses to train more numbers than memory can hold. The estimate is a lower bound: activations and, with noise, sums in float64 come on top. */
export function expectMemory(
  model: Pick<Model, 'name' | 'parameters'>,
  trainable: readonly string[],
  available = availableMemory(),
): void {
  const numbers = trainable.reduce(
    (sum, name) => sum + (model.parameters.get(name)?.shape ?? []).reduce((size, length) => size * length, 1),
    0,
  );
  const needed = numbers * bytesPerNumber;
  if (needed <= available) return;
  throw new ArgumentError(
    say`${model.name}: training ${numbers.toLocaleString('en')} numbers needs at least ${gigabytes(needed)} of memory, and ${gigabytes(available)} are free: train fewer parameters with ${option('trainable')} (head, pooler+classifier), or use a machine with more`,
  );
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;
