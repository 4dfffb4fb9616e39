// Who was in the training data, by the loss of the model that the trial it needs has trained.

import { join } from 'node:path';
import { lossThresholdAttack } from '../../attacks/index.js';
import { openSafetensors, readTensor } from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import { type Arrays, type LabelledExamples, lossesOf, openClassifier } from '../../training/index.js';
import { head } from './train.js';
import type { Work } from './work.js';

export const membership: Work<'membership'> = async ({ settings, needs }, { inputs, folderOf }) => {
  const model = await inputs.modelFor(settings.seed);
  const file = await openSafetensors(join(folderOf(needs[0] as string), head));
  const parameters: Record<string, Float32Array> = {};
  for (const name of inputs.trainable.names) parameters[name] = await readTensor(file, name);
  const losses = async (data: LabelledExamples, at: Arrays) => {
    const classifier = await openClassifier({ model, trainable: inputs.trainable.names, data });
    const logits = await classifier.logits(at);
    await classifier.close();
    return lossesOf(logits, data.labels, model.config.numLabels);
  };
  const view = {
    members: await losses(inputs.train, parameters),
    others: await losses(inputs.outsiders, parameters),
  };
  const { auc, advantage, tprAt1, tprAt01, lossGap, floor } = lossThresholdAttack(
    view,
    seededSource(settings.seed).stream('membership'),
    {
      resamples: 100,
    },
  );
  const figures = { auc, advantage, tprAt1, tprAt01, lossGap };
  return {
    measurements: [
      ...Object.entries(figures).map(([name, { value }]) => ({ item: 0, name, value })),
      { item: 0, name: 'aucLower', value: auc.lower },
      { item: 0, name: 'aucUpper', value: auc.upper },
      { item: 0, name: 'floor', value: floor.auc },
    ],
    details: {},
  };
};
