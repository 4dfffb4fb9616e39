// RMIA (Zarifzadeh et al. 2024): ratio(x) = p(x|target)/p(x), where p(x) is the mean probability of x's label over models half of which were
// trained on x. The score is the share of population examples z with ratio(x) ≥ γ·ratio(z). Offline, with models that were not trained on x,
// p(x) = ½((1 + a)·p_out(x) + 1 − a).

import { ArgumentError, option, say } from '../../checks/index.js';
import { areaUnderRoc } from '../../metrics/index.js';
import type { WorldAttack } from '../attack.js';
import type { LossView, ReferenceModel } from '../view.js';
import { lossOfMargin } from './margins.js';
import { membershipMeasure } from './measure.js';
import { expectReferences, mean } from './references.js';

const options = {
  mode: {
    type: 'choice',
    choices: ['online', 'offline'],
    default: 'offline',
    help: 'online compares with models that were trained on an example and with models that were not, offline with the latter only',
  },
  gamma: {
    type: 'positive',
    default: 1,
    help: 'how many times likelier an example must have become than one of the population, to be counted as ahead of it; above 1, examples that changed little are all alike',
  },
  offlineA: {
    type: 'positive',
    help: 'offline: a in p = ((1 + a) p_out + 1 − a)/2, at most 1 (default: the one with which a reference model is attacked best)',
  },
} as const;

/** Values of a that are tried on the attacker's own models. */
const grid = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];

export const rmia: WorldAttack<typeof options> = {
  name: 'rmia',
  sees: 'models',
  goal: 'membership',
  words: {
    label: 'RMIA',
    help: 'tell the training data of a classifier from other data by comparing each example with a population, relative to few reference models',
    definition:
      'An attacker who sees the trained model’s predictions compares how much likelier it made an example than reference models do with how much likelier it made others.',
    reference: 'Zarifzadeh et al. 2024',
  },
  options,
  measure: membershipMeasure,
  references: ({ mode }) => (mode === 'online' ? 'both' : 'outside'),
  run: (view, { mode, gamma, offlineA }) => {
    expectReferences('rmia', mode === 'online' ? 'both' : 'outside', view);
    if (offlineA !== undefined && offlineA > 1) {
      throw new ArgumentError(say`invalid ${option('offlineA')}: expected at most 1, got ${offlineA}`);
    }
    const a = mode === 'online' ? undefined : (offlineA ?? chooseA(view.references, gamma));
    return scoresOf(asTarget(view), gamma, a);
  },
};

/** A target, its candidates and the population, each with the models to compare with. */
interface Attacked {
  readonly candidates: Compared;
  readonly population: Compared;
}

interface Compared {
  readonly margins: ArrayLike<number>;
  readonly references: readonly { readonly margins: ArrayLike<number>; readonly inside?: ArrayLike<number> }[];
}

/** Without a population, the candidates serve as one. */
function asTarget({ margins, references, population }: LossView): Attacked {
  const candidates = { margins, references };
  return {
    candidates,
    population: population
      ? { margins: population.margins, references: population.references.map((one) => ({ margins: one })) }
      : candidates,
  };
}

/** `a` is absent online. */
function scoresOf({ candidates, population }: Attacked, gamma: number, a: number | undefined): Float64Array {
  const sorted = logRatios(population, a).sort();
  return logRatios(candidates, a).map((ratio) => upTo(sorted, ratio - Math.log(gamma)) / sorted.length);
}

/** log p(x|target) − log p(x). */
function logRatios({ margins, references }: Compared, a: number | undefined): Float64Array {
  return Float64Array.from(margins, (margin, k) => {
    const [inside, outside]: [number[], number[]] = [[], []];
    for (const one of references)
      (one.inside?.[k] === 1 ? inside : outside).push(Math.exp(-lossOfMargin(one.margins[k] as number)));
    // Examples that are in no training data, or in all, have models of one kind only.
    const without = outside.length > 0 ? outside : inside;
    const probability =
      a !== undefined
        ? ((1 + a) * mean(without) + 1 - a) / 2
        : (mean(inside.length > 0 ? inside : outside) + mean(without)) / 2;
    return -lossOfMargin(margin) - Math.log(probability);
  });
}

/** How many of the sorted numbers are at most this. */
function upTo(sorted: Float64Array, number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Attacks each of the attacker's own models, up to four, with the others, and takes the a with the largest mean AUC. */
function chooseA(references: readonly ReferenceModel[], gamma: number): number {
  const usable = references.filter(({ inside }) => inside.some((one) => one === 1) && inside.some((one) => one === 0));
  if (usable.length < 2) return usual;
  const areas = grid.map((a) =>
    mean(
      usable.slice(0, 4).map((target) => {
        const candidates = { margins: target.margins, references: references.filter((one) => one !== target) };
        const scores = scoresOf({ candidates, population: candidates }, gamma, a);
        const side = (inside: number) => scores.filter((_, k) => target.inside[k] === inside);
        return areaUnderRoc(side(1), side(0));
      }),
    ),
  );
  return grid[areas.indexOf(Math.max(...areas))] as number;
}

/** Where no reference model can be attacked; the value of the paper's experiments on images. */
const usual = 0.3;
