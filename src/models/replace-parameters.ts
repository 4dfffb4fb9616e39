// A model with other numbers in some of its parameters, such as those that training has found.

import { createHash } from 'node:crypto';
import { ArgumentError } from '../checks/index.js';
import { constant, sizeOf } from '../engine/index.js';
import { buildModel, type Model } from './model.js';
import type { ModelParameter } from './parameters.js';

/**
 * The same model with these numbers in place of its own, by parameter name. The arrays are not copied: do not change them afterwards.
 * The digest changes with the numbers, so that features of the old model are never taken for those of the new one.
 */
export function replaceParameters(model: Model, numbers: Readonly<Record<string, Float32Array>>): Model {
  const parameters = new Map(model.parameters);
  const digests = new Map<string, string>();
  for (const [name, array] of Object.entries(numbers)) {
    const shape = model.parameters.get(name)?.shape;
    if (shape === undefined) throw new ArgumentError(`unknown parameter ${name}: the model has no such tensor`);
    if (array.length !== sizeOf(shape)) {
      throw new ArgumentError(`parameter ${name}: expected ${sizeOf(shape)} numbers, got ${array.length}`);
    }
    parameters.set(name, inMemory(array, shape));
    digests.set(name, createHash('sha256').update(array).digest('hex'));
  }
  const opened = model.architecture.open(model.rawConfig);
  const replacedExcept = (left: readonly string[]) =>
    [...digests]
      .filter(([name]) => !left.includes(name))
      .map(([name, digest]) => ` ${name} ${digest}`)
      .join('');
  return {
    ...model,
    parameters,
    newlyInitialized: model.newlyInitialized.filter((name) => !digests.has(name)),
    digest: `${model.digest}${replacedExcept([])}`,
    // Newly initialized parameters that were replaced do not depend on their seed any more.
    frozenDigest: (trainable) => `${model.frozenDigest([...trainable, ...digests.keys()])}${replacedExcept(trainable)}`,
    build: (options) => buildModel(opened, parameters, options),
  };
}

const inMemory = (numbers: Float32Array, shape: readonly number[]): ModelParameter => ({
  shape,
  read: async () => numbers.slice(),
  constant: () => constant(numbers, shape),
  numbers,
});
