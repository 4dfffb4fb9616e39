// Which mechanism is better at equal leakage, and what the trained models tell about their training data, in sentences.

import type { EqualLeakage, StudyResults, UtilityDifference } from '../calibration/index.js';
import { comparisonsOf } from './compared.js';
import { attacksOf, leakageCurve, mechanismsOf } from './curves.js';
import { type Fall, isSeen, leakageFall } from './falls.js';
import { writePercent, writePoints, writeScore } from './number.js';
import { attacks, levelName, list, mechanisms, type NoisyMechanism, plural } from './words.js';

export function equalLeakageSentences(results: StudyResults): string[] {
  const found = mechanismsOf(results);
  const [only] = found;
  if (found.length < 2) {
    return only ? [`Only ${mechanisms[only].name} was tried, so there is no comparison of mechanisms.`] : [];
  }
  if (attacksOf(results).length === 0) {
    return ['No attack was run, so the mechanisms cannot be compared at equal leakage.'];
  }
  const equalLeakage = comparisonsOf(results);
  if (equalLeakage.length === 0) {
    return [
      'The mechanisms cannot be compared at equal leakage: no attack leaks equally under both where utility was measured.',
    ];
  }
  const winners = (['gaussian', 'directional'] as const).flatMap((name) => {
    const won = equalLeakage.filter(({ overall }) => overall.winner === name);
    return won.length > 0 ? [winnerSentence(name, won)] : [];
  });
  const open = equalLeakage.filter(({ overall }) => overall.winner === 'no clear winner');
  return [...winners, ...(open.length > 0 ? [openSentence(open, winners.length > 0)] : [])];
}

function winnerSentence(winner: NoisyMechanism, won: readonly EqualLeakage[]): string {
  const other = winner === 'gaussian' ? 'directional' : 'gaussian';
  const figures = won.map(
    ({ attack, overall }) =>
      `${writePercent(overall[winner])} against ${writePercent(overall[other])} accuracy by ${attacks[attack].name}${margin(overall)}`,
  );
  return `At equal leakage, as far as these curves say, ${mechanisms[winner].name} keeps more utility than ${mechanisms[other].name}: ${figures.join('; ')}.`;
}

function openSentence(open: readonly EqualLeakage[], others: boolean): string {
  const names = list(open.map(({ attack }) => attacks[attack].name));
  const start = others
    ? `By ${names} there is no clear winner`
    : `At equal leakage there is no clear winner (by ${names})`;
  if (open.some(({ overall }) => overall.interval === undefined)) {
    return `${start}: with one seed or text at some level, differences cannot be told from chance.`;
  }
  const figures = open.map(
    ({ overall }) =>
      `${writePercent(overall.gaussian)} Gaussian, ${writePercent(overall.directional)} directional${margin(overall)}`,
  );
  return `${start}: ${figures.join('; ')}.`;
}

/** The difference with its interval, with the sign it has in the table. */
const margin = ({ difference, interval }: UtilityDifference): string =>
  interval
    ? ` (directional minus Gaussian: ${writePoints(difference)} points, ${writePoints(interval.lower)} to ${writePoints(interval.upper)})`
    : '';

/** Attacks on the trained model answer another question than those on what is shared. */
export function membershipSentences(results: StudyResults): string[] {
  const names = attacksOf(results).filter((attack) => !attacks[attack].reconstructs);
  return names.flatMap((attack) => {
    const { name, measure } = attacks[attack];
    const { clean } = leakageCurve(results, attack, 'gaussian');
    const start = clean ? [`has ${measure} ${writeScore(clean.value.mean)} without noise (0.50 is guessing)`] : [];
    const falls = mechanismsOf(results).map((mechanism) =>
      leakageFall(leakageCurve(results, attack, mechanism), false),
    );
    const told = falls.some(({ kind }) => kind === 'nothing')
      ? ['that is too little for noise to take away']
      : falls.some(({ kind }) => kind === 'unsure')
        ? [`${plural(clean?.value.values.length ?? 0, 'seed')} cannot tell that from guessing`]
        : mechanismsOf(results).flatMap((mechanism, place) => fallPhrase(falls[place], mechanism));
    const parts = [...start, ...told];
    return parts.length > 0 ? [`The ${name} attack on the trained models ${parts.join('; ')}.`] : [];
  });
}

function fallPhrase(fall: Fall | undefined, mechanism: NoisyMechanism): string[] {
  if (fall === undefined || !isSeen(fall)) return [];
  const { level, value } = fall.kind === 'never' ? fall.last : fall.at;
  const how =
    fall.kind === 'never' ? 'leaves more than a tenth of that lead up to' : 'leaves a tenth of that lead or less from';
  return [
    `${mechanisms[mechanism].name} ${how} ${levelName(level)}${fall.kind === 'falls' ? ' on' : ''} (${writeScore(value.mean)})`,
  ];
}
