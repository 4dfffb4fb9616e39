// Which losses a client may train on, by what its model and its checkpoint can do.

import type { ClientLossName } from '../client-loss.js';
import { type AttackedModel, isWholeModel } from '../model.js';

/** The usual one first; only that of the class where the checkpoint has no language-model head. */
export const clientLosses = (model: AttackedModel): readonly ClientLossName[] =>
  canPredict(model) ? model.layout.losses : ['class'];

function canPredict(model: AttackedModel): boolean {
  if (!isWholeModel(model)) return true;
  try {
    return model.parametersOf('lm').length > 0;
  } catch {
    return false;
  }
}
