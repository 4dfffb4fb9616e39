// LiRA (Carlini et al. 2022): for each example, the log-odds of its label are normal over models that were trained on it, and normal with other
// parameters over models that were not. The score is the log-likelihood ratio of the target's log-odds; offline, without models that were trained
// on the example, it is how far the target is above the others.

import type { WorldAttack } from '../attack.js';
import { membershipMeasure } from './measure.js';
import { type CandidateReferences, expectReferences, mean, referencesAt, squares } from './references.js';

const options = {
  mode: {
    type: 'choice',
    choices: ['online', 'offline'],
    default: 'online',
    help: 'online compares with models that were trained on an example and with models that were not, offline with the latter only',
  },
  variance: {
    type: 'choice',
    choices: ['auto', 'shared', 'example'],
    default: 'auto',
    help: 'one variance for all examples, one for each, or (auto) one for each from 32 models of a kind on',
  },
} as const;

/** Models of a kind from which each example has a variance of its own. */
const enough = 32;

/** Variances below this come from models that agree to the last digit. */
const least = 1e-12;

export const lira: WorldAttack<typeof options> = {
  name: 'lira',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'LiRA',
    help: 'tell the training data of a classifier from other data by a likelihood ratio, per example, over models trained with it and without it',
    definition:
      'An attacker who sees the trained model’s predictions trains models of the same kind with and without each example, and asks which of the two the target is like.',
    reference: 'Carlini et al. 2022; with few models, the shared variance is that within examples',
  },
  options,
  measure: membershipMeasure,
  references: ({ mode }) => (mode === 'online' ? 'both' : 'outside'),
  run: (view, { mode, variance }) => {
    expectReferences('lira', mode === 'online' ? 'both' : 'outside', view);
    const all = Array.from(view.margins, (_, k) => referencesAt(view.references, k));
    const outside = variancesOf(all, 'outside', variance);
    if (mode === 'offline') {
      return view.margins.map((margin, k) => (margin - mean(at(all, k).outside)) / Math.sqrt(outside(k)));
    }
    const inside = variancesOf(all, 'inside', variance);
    return view.margins.map(
      (margin, k) =>
        logNormal(margin, mean(at(all, k).inside), inside(k)) - logNormal(margin, mean(at(all, k).outside), outside(k)),
    );
  },
  decision: () => 0,
};

const at = (all: readonly CandidateReferences[], k: number) => all[k] as CandidateReferences;

/** The variance of each candidate over models of one kind: its own, or that within all candidates, without bias. */
function variancesOf(all: readonly CandidateReferences[], kind: keyof CandidateReferences, wanted: string) {
  const fewest = all.reduce((count, one) => Math.min(count, one[kind].length), Number.POSITIVE_INFINITY);
  if (wanted === 'example' || (wanted === 'auto' && fewest >= enough)) {
    return (k: number) => Math.max(least, squares(at(all, k)[kind]) / (at(all, k)[kind].length - 1));
  }
  let [sum, freedom] = [0, 0];
  for (const one of all) {
    sum += squares(one[kind]);
    freedom += one[kind].length - 1;
  }
  const shared = Math.max(least, sum / freedom);
  return () => shared;
}

const logNormal = (x: number, middle: number, variance: number): number =>
  -((x - middle) ** 2 / variance + Math.log(variance)) / 2;
