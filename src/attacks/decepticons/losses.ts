// Which losses a client may train on, by what its model and its checkpoint can do.

import type { Model, ModelLayout } from '../../models/index.js';

export type LossName = ModelLayout['losses'][number];

/** The usual one first; only that of the class where the checkpoint has no language-model head. */
export const clientLosses = (model: Model): readonly LossName[] =>
  canPredict(model) ? model.layout.losses : ['class'];

function canPredict(model: Model): boolean {
  try {
    return model.parametersOf('lm').length > 0;
  } catch {
    return false;
  }
}
