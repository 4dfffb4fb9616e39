// The losses that a client may train on, given its model and checkpoint.

import type { ClientLossName } from '../client-loss.js';
import { type AttackedModel, isWholeModel } from '../model.js';

/** The default comes first. Without a language-model head in the checkpoint, the class is the only one. */
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
