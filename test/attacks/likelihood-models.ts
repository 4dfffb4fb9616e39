// Tiny models for the tests of the likelihood attack, with the losses that a client may train on.

import { join } from 'node:path';
import type { KnownLoss } from '../../src/attacks/likelihood/sentence-products.js';
import { loadModel, type Model, selectParameters } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { type TinyName, writeTiny } from '../models/tiny-models.js';

/** Models and losses: a class of three, each token at its own place (masked BERT), and the next token (GPT-2). */
export const settings: readonly (readonly [TinyName, KnownLoss])[] = [
  ['bert', 'class'],
  ['bert', 'all'],
  ['gpt2', 'class'],
  ['gpt2', 'next'],
];

/** The model with a new classifier, and the parameters that get a gradient from this loss. */
export async function openTiny(root: string, name: TinyName, loss: KnownLoss) {
  const golden = loss === 'all' ? 'tiny-bert-mlm' : `tiny-${name}`;
  const folder = await writeTiny(join(root, `${name} ${loss}`), name, { golden });
  const model: Model = await loadModel(folder, { numLabels: 3, newHead: true, seed: 1 });
  const shared = selectParameters(model as never, 'all', loss === 'class' ? 'classification' : 'lm');
  return { model, shared };
}

/** A random tensor for every one of these parameters. */
export function randomTensors(model: Model, names: readonly string[], seed: string, standardDeviation = 1) {
  const random = seededSource(seed);
  const one = (name: string) => {
    const size = (model.parameters.get(name)?.shape ?? []).reduce((product, axis) => product * axis, 1);
    return fillNormal(random.stream(name), new Float32Array(size), { standardDeviation });
  };
  return Object.fromEntries(names.map((name) => [name, one(name)]));
}
