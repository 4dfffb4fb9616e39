// Membership from every release of training: which candidates' gradients are in the noisy sums. It is the attacker that the guarantee of DP-SGD is
// about, who sees all releases and not only the model in the end; a curious server of federated training sees as much.

import type { WorldAttack } from '../attack.js';
import { expectInsight } from './gradient-norm.js';
import { membershipMeasure } from './measure.js';

/** How many releases an attack reads, shared by all that read them. */
export const stepsOption = {
  steps: {
    type: 'integer',
    least: 1,
    default: 200,
    help: 'steps of training whose releases are read, evenly spread; more read more, in as much more time',
  },
} as const;

export const updates: WorldAttack<typeof stepsOption> = {
  name: 'updates',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'updates',
    help: 'tell the training data of a classifier from other data by the releases of its training steps: which gradients are in the noisy sums',
    definition:
      'An attacker who sees the updates of training, such as the server of federated training, computes the gradients of all candidates at each step and asks which of them are in the noisy sum that was released.',
    reference: 'ours: a regression on all candidates’ gradients at once',
  },
  options: stepsOption,
  measure: membershipMeasure,
  references: () => 'none',
  insight: ({ steps }) => ({ steps }),
  run: (view) => expectInsight('updates', view).evidence,
  // In nats for membership, of which half of the candidates are: from even odds on.
  decision: () => 0,
};
