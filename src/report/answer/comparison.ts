// Which mechanism is better at equal leakage, in sentences.

import {
  type AboutMechanism,
  type EqualLeakage,
  measuredAttacks,
  noClearWinner,
  type Pair,
  pairsOf,
  type StudyResults,
  triedMechanisms,
  type UtilityDifference,
} from '../../calibration/index.js';
import { writePercent, writePoints } from '../numbers.js';
import { attackOf, differenceName, list } from '../words.js';
import { orderSentences, sameOrderClause } from './order-by-settings.js';
import { edgeSentences, trainingPhrase, tunedKeys } from './tuning.js';

/** The conclusive comparisons of two mechanisms, one per attack. */
export interface PairComparison {
  readonly mechanisms: Pair<AboutMechanism>;
  readonly compared: readonly EqualLeakage[];
}

/** In the order of the study. */
export function comparisonsOf(results: StudyResults): PairComparison[] {
  const { comparisons } = results.conclusions;
  return pairsOf(results.mechanisms)
    .map((mechanisms) => ({
      mechanisms,
      compared: results.equalLeakage.filter(
        (one) =>
          isOfPair(one, mechanisms) &&
          comparisons.some((pair) => pair.attack === one.attack && isOfPair(pair, mechanisms)),
      ),
    }))
    .filter(({ compared }) => compared.length > 0);
}

const isOfPair = ({ mechanisms }: { readonly mechanisms: Pair<string> }, pair: Pair<AboutMechanism>): boolean =>
  pair.every(({ name }, place) => name === mechanisms[place]);

export function equalLeakageSentences(results: StudyResults): string[] {
  const tried = triedMechanisms(results);
  const [only] = tried;
  if (tried.length < 2) {
    return only
      ? [`Only ${only.label} was tried, so there is no comparison of mechanisms.`, ...edgeSentences(results)]
      : [];
  }
  if (measuredAttacks(results).length === 0) {
    return ['No attack was run, so the mechanisms cannot be compared at equal leakage.'];
  }
  const pairs = comparisonsOf(results);
  if (pairs.length === 0) {
    const under = tried.length === 2 ? 'both' : 'two of them';
    return [
      `The mechanisms cannot be compared at equal leakage: no attack gets equally much under ${under} at levels where utility was measured.`,
    ];
  }
  return [
    ...pairs.flatMap((pair, place) => [
      ...pairSentences(results, pair, { named: tried.length > 2, terms: place === 0 }),
      ...orderSentences(results, pair.mechanisms, pair.compared),
    ]),
    ...(tunedKeys(results).includes('learningRate') ? [] : [untuned]),
    ...edgeSentences(results),
  ];
}

const untuned = 'The order of mechanisms can follow the learning rate, and none was tuned here.';

interface Wording {
  /** Whether both mechanisms are named where there is no winner. */
  readonly named: boolean;
  /** Whether to say what is compared; once is enough. */
  readonly terms: boolean;
}

function pairSentences(results: StudyResults, pair: PairComparison, { named, terms }: Wording): string[] {
  const start = terms
    ? `At equal leakage (an attack gets as much under both mechanisms, read between the levels tried) and ${trainingPhrase(results)},`
    : 'Compared in the same way,';
  const winners = ([0, 1] as const).flatMap((place) => {
    const { name } = pair.mechanisms[place];
    const won = pair.compared.filter(({ overall }) => overall.winner === name);
    return won.length > 0 ? [`${start} ${winnerClause(results, pair.mechanisms, place, won)}.`] : [];
  });
  const open = pair.compared.filter(({ overall }) => overall.winner === noClearWinner);
  if (open.length === 0) return winners;
  const labels = list(open.map(({ attack }) => attackOf(results, attack).label));
  const between = named ? ` between ${list(pair.mechanisms.map(({ label }) => label))}` : '';
  const none =
    winners.length > 0
      ? `By ${labels} there is no clear winner${between}`
      : `${start} there is no clear winner${between} (by ${labels})`;
  return [...winners, `${none}: ${openReason(pair.mechanisms, open)}.`];
}

function winnerClause(
  results: StudyResults,
  mechanisms: Pair<AboutMechanism>,
  winner: 0 | 1,
  won: readonly EqualLeakage[],
): string {
  const other = winner === 0 ? 1 : 0;
  const figures = won.map(
    ({ attack, overall }) =>
      `by ${attackOf(results, attack).label}, ${writePercent(overall.utilities[winner])} against ${writePercent(overall.utilities[other])} accuracy${margin(mechanisms, overall)}`,
  );
  return `${mechanisms[winner].label} keeps more utility than ${mechanisms[other].label}: ${figures.join('; ')}${sameOrderClause(results, won)}`;
}

function openReason(mechanisms: Pair<AboutMechanism>, open: readonly EqualLeakage[]): string {
  if (open.some(({ overall }) => overall.interval === undefined)) {
    return 'some level has only one seed or text, so the difference cannot be distinguished from chance';
  }
  return open
    .map(({ overall }) => {
      const figures = overall.utilities.map((value, place) => `${writePercent(value)} ${mechanisms[place]?.short}`);
      return `${figures.join(', ')}${margin(mechanisms, overall)}`;
    })
    .join('; ');
}

const margin = (mechanisms: Pair<AboutMechanism>, { difference, interval }: UtilityDifference): string =>
  interval
    ? ` (${differenceName(mechanisms)}: ${writePoints(difference)} points, 95\u00a0% interval ${writePoints(interval.lower)} to ${writePoints(interval.upper)})`
    : '';
