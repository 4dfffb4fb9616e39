// The frozen part of the model, run once over all texts; later trials find what it computed on disk.

import { openClassifier } from '../../training/index.js';
import type { Work } from './work.js';

export const features: Work<'features'> = async (_, { grounds }) => {
  const { model, trained, train, test } = grounds;
  let cached = false;
  for (const data of [train, test]) {
    const classifier = await openClassifier({ model, trained: trained.names, data });
    cached = classifier.cached;
    await classifier.close();
  }
  return { measurements: [], details: { cached } };
};
