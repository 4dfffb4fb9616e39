// The other side: a client that computes gradients on its own sentences, protects them and shares them. What it returns for the
// attacker is a view; what it returns beside that is for who measures.

import { type Protection, protect } from '../mechanisms/index.js';
import type { Model } from '../models/index.js';
import type { RandomSource } from '../random/index.js';
import { type Arrays, type LabelledExamples, openClassifier } from '../training/index.js';
import { cosinesTo, type SharedCosine } from './cosines.js';
import type { GradientView } from './view.js';

export interface ClientOptions {
  readonly model: Model;
  /** The client's sentences. */
  readonly data: LabelledExamples;
  /** Names of the parameters whose gradients are shared. */
  readonly shared: readonly string[];
  /** Where they differ from the model's own. */
  readonly parameters?: Arrays;
}

export interface Shared {
  readonly view: GradientView;
  /** Not for the attacker. */
  readonly cosine: SharedCosine;
}

export interface Client {
  /** Computes, protects and shares the gradients of these sentences. */
  readonly share: (
    indices: readonly number[],
    protection: Protection,
    random: RandomSource,
    options?: { readonly hideLengths?: boolean },
  ) => Promise<Shared>;
  readonly parameters: Arrays;
  readonly close: () => Promise<void>;
}

export async function openClient({ model, data, shared, parameters: given = {} }: ClientOptions): Promise<Client> {
  const classifier = await openClassifier({ model, trainable: shared, data });
  const parameters: Record<string, Float32Array> = {};
  for (const name of shared) {
    parameters[name] = given[name] ?? ((await model.parameters.get(name)?.read()) as Float32Array);
  }
  return {
    parameters,
    share: async (indices, protection, random, { hideLengths = false } = {}) => {
      const examples: Arrays[] = [];
      for (const index of indices) {
        const { gradients } = await classifier.sums(parameters, [index]);
        examples.push(Object.fromEntries(Object.entries(gradients).map(([name, array]) => [name, array.slice()])));
      }
      const { gradients, noise } = protect(examples, protection, random);
      const lengths = indices.map((index) => (data.inputIds[index] as readonly number[]).length);
      return {
        view: { model, parameters, gradients, noise, batchSize: indices.length, ...(!hideLengths && { lengths }) },
        cosine: cosinesTo(examples, gradients),
      };
    },
    close: () => classifier.close(),
  };
}
