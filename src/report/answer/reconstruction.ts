// Whether a mechanism stops attacks that get text back, in sentences.

import {
  type AboutAttack,
  type ConclusiveOutcome,
  type CurveOutcome,
  decidingPoint,
  isConclusive,
  isNoiseless,
  type MechanismConclusions,
  outcomeOf,
  reconstructionOutcome,
  recoversText,
  type StudyResults,
  sameLevel,
} from '../../calibration/index.js';
import { writeScore } from '../numbers.js';
import { capital, levelName, list, mechanismOf, plural } from '../words.js';

interface TextOutcome {
  readonly attack: AboutAttack;
  readonly outcome: CurveOutcome;
}

export function reconstructionSentences(results: StudyResults, one: MechanismConclusions): string[] {
  const { label } = mechanismOf(results, one.mechanism);
  const found = textOutcomes(results, one);
  if (found.length === 0) {
    return [
      results.attacks.some(recoversText)
        ? `No attack that gets text back has results under ${label}.`
        : `No attack of this study tries to get text back under ${label}.`,
    ];
  }
  const deciding = reconstructionOutcome(one);
  const inconclusive = inconclusiveSentences(found, label);
  return deciding
    ? [verdict(results, label, found, deciding), ...scoreSentences(results, found, deciding), ...inconclusive]
    : inconclusive;
}

/** Leaves out attacks that have no results under noise yet. */
const textOutcomes = ({ attacks }: StudyResults, one: MechanismConclusions): TextOutcome[] =>
  attacks.filter(recoversText).flatMap((attack) => {
    const outcome = outcomeOf(one, attack.name);
    const silent = outcome?.kind === 'not measured' && outcome.where === 'under noise';
    return outcome && !silent ? [{ attack, outcome }] : [];
  });

const labelsOf = (found: readonly TextOutcome[], kind: CurveOutcome['kind']): string[] =>
  found.filter(({ outcome }) => outcome.kind === kind).map(({ attack }) => attack.label);

function inconclusiveSentences(found: readonly TextOutcome[], mechanism: string): string[] {
  const [silent, unknown] = [labelsOf(found, 'nothing to lose'), labelsOf(found, 'not measured')];
  const unsure = found.flatMap(({ attack, outcome }) =>
    outcome.kind === 'too few to tell'
      ? [
          `Without noise ${attack.label} scores ${writeScore(outcome.start.mean)} (${attack.measure.name}); ${plural(outcome.start.count, 'text is', 'texts are')} too few to tell that from ${writeScore(outcome.start.floor)}, its score when there is nothing to find.`,
        ]
      : [],
  );
  return [
    ...(silent.length > 0
      ? [
          `Without noise ${list(silent)} already ${silent.length > 1 ? 'find' : 'finds'} next to nothing, so ${silent.length > 1 ? 'they cannot' : 'it cannot'} show what noise prevents.`,
        ]
      : []),
    ...unsure,
    ...(unknown.length > 0
      ? [
          `${capital(list(unknown))} ${unknown.length > 1 ? 'were' : 'was'} not measured without noise, so this study cannot say what ${mechanism} prevents.`,
        ]
      : []),
  ];
}

function verdict(
  results: StudyResults,
  mechanism: string,
  found: readonly TextOutcome[],
  deciding: ConclusiveOutcome,
): string {
  const level = levelName(results, decidingPoint(deciding).level);
  if (deciding.kind === 'never falls') {
    const still = labelsOf(found, 'never falls');
    const gets = still.length > 1 ? 'get' : 'gets';
    const [tried, most] = deciding.partial ? ['measured so far', ''] : ['tried', ', the most'];
    return `${capital(mechanism)} does not stop these attacks from reading text at any level ${tried}: ${list(still)} still ${gets} text back at ${level}${most}.`;
  }
  const least = isNoiseless(deciding.before.level) && !deciding.partial ? ', the least that was tried' : '';
  return `${capital(mechanism)} stops these attacks from reading text at ${level}${least}.`;
}

/** Scores without noise and at the deciding level, for each attack that finds something: one sentence per measure. */
function scoreSentences(results: StudyResults, found: readonly TextOutcome[], deciding: ConclusiveOutcome): string[] {
  const conclusive = found.flatMap(({ attack, outcome }) => (isConclusive(outcome) ? [{ attack, outcome }] : []));
  const measures = new Map(conclusive.map(({ attack: { measure } }) => [measure.name, measure]));
  return [...measures.values()].map(({ name, scale }) => {
    const changes = conclusive
      .filter(({ attack }) => attack.measure.name === name)
      .map(({ attack, outcome }) => {
        const { level, mean, highest } = decidingPoint(outcome);
        const isSame = sameLevel(level, decidingPoint(deciding).level);
        const place = isSame ? '' : `${outcome.kind === 'falls' ? ' already' : ''} at ${levelName(results, level)}`;
        return `from ${writeScore(outcome.start.mean)} to ${writeScore(mean)}${place} for ${attack.label} (most exposed text: ${writeScore(highest)})`;
      });
    return `The ${name} (${scale}) goes ${list(changes)}.`;
  });
}
