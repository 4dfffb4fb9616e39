// Membership by the loss (Yeom et al. 2018): a model fits its training examples better than others.

import type { LossAttack } from '../attack.js';
import { membershipMeasure } from './measure.js';

export const membership: LossAttack<Record<never, never>> = {
  name: 'membership',
  sees: 'losses',
  goal: 'membership',
  words: {
    label: 'membership',
    help: 'tell the training data of a classifier from other data by the loss',
    definition:
      'An attacker who sees the trained model’s losses tells training examples from others, because the model fits its training examples better.',
    reference: 'Yeom et al. 2018',
  },
  options: {},
  measure: membershipMeasure,
  // The log-odds rank examples as the loss does, but losses near 0 are rounded, and many would be equal.
  run: ({ margins }) => margins,
};
