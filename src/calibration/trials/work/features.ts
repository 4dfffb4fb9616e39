// Runs the frozen part of the model once over all texts; later trials read the features from disk.

import { openClassifier } from '../../../training/index.js';
import type { Work } from './work.js';

export const features: Work<'features'> = async (_, { inputs }) => {
  const { model, trainable: trained, train, test } = inputs;
  let cached = false;
  for (const data of [train, test]) {
    const classifier = await openClassifier({ model, trainable: trained.names, data });
    cached = classifier.cached;
    await classifier.close();
  }
  return { measurements: [], details: { cached } };
};
