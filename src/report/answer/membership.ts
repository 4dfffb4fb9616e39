// What the trained models give away about their training data, in sentences: another question than what shared gradients do.

import {
  type AboutAttack,
  type CurveOutcome,
  decidingPoint,
  isConclusive,
  isNoiseless,
  measuredAttacks,
  outcomeOf,
  readsTrainedModel,
  type StudyResults,
} from '../../calibration/index.js';
import { typesetNumber, writeScore } from '../numbers.js';
import { levelName, list, mechanismOf, plural } from '../words.js';

export function membershipSentences(results: StudyResults): string[] {
  const found = measuredAttacks(results).filter(readsTrainedModel);
  const sentences = found.flatMap((attack) => {
    const parts = [...startPhrases(results, attack), ...outcomePhrases(results, attack)];
    return parts.length > 0
      ? [
          `The ${attack.label} attack tries to tell training examples from others by the trained models: ${parts.join('; ')}.`,
          ...kindSentence(results, attack),
        ]
      : [];
  });
  return [...sentences, ...ownModelsSentence(results, found)];
}

/** Attacks that train models of their own do not attack the ones whose accuracy and ε the study shows. */
function ownModelsSentence(results: StudyResults, found: readonly AboutAttack[]): string[] {
  const own = found.filter(({ ownModels }) => ownModels);
  if (own.length === 0) return [];
  const names = (some: readonly AboutAttack[]) => list(some.map(({ label }) => label));
  const verb = (some: readonly AboutAttack[]) => (some.length === 1 ? 'attacks' : 'attack');
  const groups = new Map<string, AboutAttack[]>();
  for (const attack of own) {
    const epsilons = ownEpsilons(results, attack);
    groups.set(epsilons, [...(groups.get(epsilons) ?? []), attack]);
  }
  const theirs = [...groups].flatMap(([epsilons, some]) =>
    epsilons === '' ? [] : [`ε of what ${names(some)} ${verb(some)} is ${epsilons}.`],
  );
  return [
    [
      `${names(own)} ${verb(own)} models trained for that on parts of the data, with the same noise per step, and not the models whose accuracy and ε are shown.`,
      ...theirs,
    ].join(' '),
  ];
}

function ownEpsilons(results: StudyResults, { name }: AboutAttack): string {
  const found = results.levels.flatMap(({ level, leakage }) => {
    const epsilon = leakage[name]?.measures.ownEpsilon?.mean;
    return epsilon === undefined ? [] : [`${typesetNumber(epsilon, 3, 'up')} at ${levelName(results, level)}`];
  });
  return found.length === 0 ? '' : list(found);
}

/** A warning if the others differ from the training data in more than training. All levels compare the same texts. */
function kindSentence({ levels }: StudyResults, { name, label }: AboutAttack): string[] {
  const kind = levels.flatMap(({ leakage }) => leakage[name]?.kind ?? [])[0];
  if (!kind?.different) return [];
  const what = kind.by === 'lengths' ? 'lengths' : 'words and labels';
  return [
    `Those others are of another kind than the training examples: their ${what} alone tell them apart with an AUC of ${writeScore(kind.auc)}, without any model, so the ${label} attack may show the kind instead.`,
  ];
}

function startPhrases({ levels }: StudyResults, { name, measure }: AboutAttack): string[] {
  const clean = levels.find(({ level }) => isNoiseless(level))?.leakage[name];
  if (!clean || !Number.isFinite(clean.main.mean)) return [];
  return [`${measure.name} ${writeScore(clean.main.mean)} without noise (${writeScore(clean.floor)} is guessing)`];
}

function outcomePhrases(results: StudyResults, { name, measure }: AboutAttack): string[] {
  const outcomes = results.conclusions.mechanisms.flatMap((one) => {
    const outcome = outcomeOf(one, name);
    return outcome ? [{ mechanism: one.mechanism, outcome }] : [];
  });
  // All mechanisms start from the same value without noise.
  const [unsure] = outcomes.flatMap(({ outcome }) => (outcome.kind === 'too few to tell' ? [outcome.start] : []));
  if (outcomes.some(({ outcome }) => outcome.kind === 'nothing to lose')) {
    return ['that is too close to guessing to show what noise prevents'];
  }
  if (unsure) return [`${plural(unsure.count, 'seed is', 'seeds are')} too few to tell that from guessing`];
  return outcomes.flatMap(({ mechanism, outcome }) => fallPhrase(results, measure.name, mechanism, outcome));
}

function fallPhrase(results: StudyResults, measure: string, mechanism: string, outcome: CurveOutcome): string[] {
  if (!isConclusive(outcome)) return [];
  const { level, mean } = decidingPoint(outcome);
  const [noise, at] = [mechanismOf(results, mechanism).label, levelName(results, level)];
  const score = `(${measure} ${writeScore(mean)})`;
  return [
    outcome.kind === 'falls'
      ? `with ${noise} from ${at} on, at most a tenth of its margin over guessing is left ${score}`
      : `even with ${noise} at ${at}, more than a tenth of its margin over guessing is left ${score}`,
  ];
}
