// Membership by reference models (Ye et al. 2022, as in Privacy Meter): an example is a member if its loss under the target is below the
// α-quantile of its losses under models that were not trained on it. The score is the α from which that is so, with the sign turned: members
// have small losses.

import { normalCdf } from '../../math/index.js';
import type { WorldAttack } from '../attack.js';
import { lossOfMargin } from './margins.js';
import { membershipMeasure } from './measure.js';
import { expectReferences, mean, referencesAt, squares } from './references.js';

const options = {
  quantile: {
    type: 'choice',
    choices: ['linear', 'normal', 'logit', 'difference'],
    default: 'logit',
    help: 'how the quantiles of an example’s losses are found: by interpolation, by a normal fit to losses, by one to their log-odds; or no quantile but the mean loss less the target’s',
  },
  alpha: {
    type: 'positive',
    below: 1,
    default: 0.5,
    help: 'the quantile below which the attack says “member” (with difference: below the mean)',
  },
} as const;

type Form = (target: number, references: readonly number[]) => number;

/** Scores from margins, larger for members. */
const forms: Readonly<Record<(typeof options)['quantile']['choices'][number], Form>> = {
  linear: (target, references) => 1 - quantileOf(lossOfMargin(target), references.map(lossOfMargin)),
  normal: (target, references) => 1 - normalCdf(distance(lossOfMargin(target), references.map(lossOfMargin))),
  logit: (target, references) => normalCdf(distance(target, references)),
  difference: (target, references) => mean(references.map(lossOfMargin)) - lossOfMargin(target),
};

export const miaR: WorldAttack<typeof options> = {
  name: 'mia-r',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'MIA-R',
    help: 'tell the training data of a classifier from other data by comparing each loss with those of reference models',
    definition:
      'An attacker who sees the trained model’s losses trains reference models on other data, and compares the loss of each example with its losses under those.',
    reference: 'Ye et al. 2022',
  },
  options,
  measure: membershipMeasure,
  references: () => 'outside',
  run: (view, { quantile }) => {
    expectReferences('mia-r', 'outside', view);
    const score = forms[quantile];
    return view.margins.map((margin, k) => score(margin, referencesAt(view.references, k).outside));
  },
  decision: ({ quantile, alpha }) => (quantile === 'difference' ? 0 : 1 - alpha),
};

/** In deviations of the references from their mean; references that are all alike tell smaller from larger only. */
function distance(target: number, references: readonly number[]): number {
  const gap = target - mean(references);
  if (gap === 0) return 0;
  return gap / Math.sqrt(squares(references) / references.length);
}

/** The α whose quantile, interpolated linearly between the sorted numbers, is this number; 0 below all, 1 above all. */
export function quantileOf(number: number, numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  if (number <= least) return 0;
  if (number >= most) return 1;
  const above = sorted.findIndex((one) => one >= number);
  const [lower, upper] = [sorted[above - 1] as number, sorted[above] as number];
  return (above - 1 + (number - lower) / (upper - lower)) / (sorted.length - 1);
}
