// Membership by the gradient (Nasr et al. 2019): at the trained parameters, the gradients of training examples are short, because training made them so.

import { ArgumentError } from '../../checks/index.js';
import type { WorldAttack } from '../attack.js';
import type { Insight, LossView } from '../view.js';
import { membershipMeasure } from './measure.js';

export const gradientNorm: WorldAttack<Record<never, never>> = {
  name: 'gradient-norm',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'gradient norm',
    help: 'tell the training data of a classifier from other data by the length of each example’s gradient at the trained parameters',
    definition:
      'An attacker who has the trained model itself computes the gradient of each example’s loss by the trained parameters: those of training examples are shorter.',
    reference: 'after Nasr et al. 2019',
  },
  options: {},
  measure: membershipMeasure,
  references: () => 'none',
  insight: () => ({ steps: 0 }),
  run: (view) => expectInsight('gradient-norm', view).gradientNorms.map((norm) => -norm),
};

/** What parameters and training of the target show; an ArgumentError if only its predictions are known. */
export function expectInsight(name: string, { insight }: LossView): Insight {
  if (insight) return insight;
  throw new ArgumentError(
    `the ${name} attack reads the parameters of the target: expected a model that is trained here, got its predictions only`,
  );
}
