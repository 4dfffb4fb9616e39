// Keeps the classifiers of membership trials open from one trained model to the next: texts and frozen part are the same, and
// opening one costs more than a forward pass of the trainable part.

import { featureBytes } from '../../../models/index.js';
import { type Arrays, type Classifier, openClassifier } from '../../../training/index.js';
import type { StudyInputs } from '../../study/inputs.js';

/** Computes logits of a study's texts; close it when done. */
export interface ClassifierPool {
  /** Logits of the model of this seed with trained parameters, on these texts of the study. */
  readonly logits: (
    inputs: StudyInputs,
    part: 'train' | 'outsiders',
    seed: number,
    trained: Arrays,
  ) => Promise<Float32Array>;
  readonly close: () => Promise<void>;
}

/** Bytes of features kept by default. */
const usualBound = 256 * 2 ** 20;

/** Keeps classifiers of one study at a time, as far as their features take at most `bound` bytes. */
export function openClassifierPool(bound = usualBound): ClassifierPool {
  let study: StudyInputs | undefined;
  let held = 0;
  const kept = new Map<string, Classifier>();
  const close = async () => {
    const classifiers = [...kept.values()];
    kept.clear();
    held = 0;
    for (const one of classifiers) await one.close();
  };
  return {
    logits: async (inputs, part, seed, trained) => {
      if (study !== inputs) await close();
      study = inputs;
      const { model, trainable, [part]: data } = inputs;
      // Where all that depends on the seed is trained, the models of all seeds have the same frozen part.
      const bySeed = model.newlyInitialized.some((name) => !trainable.names.includes(name));
      const key = bySeed ? `${part} ${seed}` : part;
      const known = kept.get(key);
      if (known) return known.logits(trained);
      const opened = await openClassifier({ model: await inputs.modelFor(seed), trainable: trainable.names, data });
      const longest = data.inputIds.reduce((most, { length }) => Math.max(most, length), 0);
      const bytes = featureBytes(model, trainable.names, data.inputIds.length, longest);
      try {
        return await opened.logits(trained);
      } finally {
        // Without features, a classifier holds arrays as large as the model, and opens at no cost.
        if (opened.cached && held + bytes <= bound) {
          held += bytes;
          kept.set(key, opened);
        } else await opened.close();
      }
    },
    close,
  };
}
