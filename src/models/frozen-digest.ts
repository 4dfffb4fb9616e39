// A digest of the frozen part of a classifier, by its numbers and not by the files that hold them: a fine-tuned model has the
// frozen part of the model it started from, so the features cached in training serve it too.

import { createHash } from 'node:crypto';
import type { Model } from './model.js';
import type { ModelParameter } from './parameters.js';

/** SHA-256 over the names and numbers of all parameters of the classifier that are not trainable. */
export async function digestFrozen(model: Model, trainable: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const name of model.parametersOf('classification')) {
    if (trainable.includes(name)) continue;
    hash.update(`${name} ${await digestNumbers(model.parameters.get(name) as ModelParameter)}\n`);
  }
  return hash.digest('hex');
}

/** The digest of a model's weights files, whatever was newly initialized or replaced after they were read. */
export const digestOfFiles = (model: Model): string => model.frozenDigest([...model.parameters.keys()]);

const known = new WeakMap<ModelParameter, string>();

/** Numbers do not change once they are in a parameter, so each is read once per process. */
async function digestNumbers(parameter: ModelParameter): Promise<string> {
  const found = known.get(parameter);
  if (found !== undefined) return found;
  const numbers = parameter.numbers ?? (await parameter.read());
  const digest = createHash('sha256').update(numbers).digest('hex');
  known.set(parameter, digest);
  return digest;
}
