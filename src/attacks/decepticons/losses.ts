// Which losses a client may train on, by what its model can do.

import { ArgumentError } from '../../checks/index.js';
import type { Model } from '../../models/index.js';
import type { ClientLossName } from '../client-loss.js';

const known: Readonly<Record<string, readonly ClientLossName[]>> = {
  bert: ['all', 'masked', 'class'],
  gpt2: ['next', 'class'],
};

/** The usual one first: of tokens where the model predicts them, of the class where it does not. */
export function clientLosses(model: Model): readonly ClientLossName[] {
  const type = `${model.rawConfig.model_type}`;
  const losses = known[type];
  if (losses === undefined) {
    throw new ArgumentError(`Decepticons: expected a model of type ${Object.keys(known).join(' or ')}, got ${type}`);
  }
  return canPredict(model) ? losses : ['class'];
}

function canPredict(model: Model): boolean {
  try {
    return model.parametersOf('lm').length > 0;
  } catch {
    return false;
  }
}
