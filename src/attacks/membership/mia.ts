// Membership by shadow models (Shokri et al. 2017, on the loss alone): a logistic regression learns from the attacker's own models how losses of
// members differ from those of others, and is applied to the target.

import type { WorldAttack } from '../attack.js';
import { fitLogistic, probabilityOf } from './logistic.js';
import { lossOfMargin } from './margins.js';
import { membershipMeasure } from './measure.js';
import { expectReferences } from './references.js';

export const mia: WorldAttack<Record<never, never>> = {
  name: 'mia',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'MIA',
    help: 'tell the training data of a classifier from other data by the loss, with a threshold learnt from shadow models',
    definition:
      'An attacker who sees the trained model’s losses trains shadow models like it, and learns from them how losses of training examples differ from others.',
    reference: 'Shokri et al. 2017, on losses',
  },
  options: {},
  measure: membershipMeasure,
  references: () => 'own',
  run: (view) => {
    expectReferences('mia', 'own', view);
    const pooled = (side: 'members' | 'others') =>
      view.references.flatMap(({ own }) => Array.from(own[side], (margin) => [lossOfMargin(margin)]));
    const fit = fitLogistic(pooled('members'), pooled('others'));
    return view.losses.map((loss) => probabilityOf(fit, [loss]));
  },
  decision: () => 0.5,
};
