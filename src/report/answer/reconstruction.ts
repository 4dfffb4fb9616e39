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
  return deciding ? [verdict(results, label, found, deciding), ...inconclusive] : inconclusive;
}

/** Attacks without results under noise have nothing to say yet. */
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
          `Without noise ${attack.label} gets ${writeScore(outcome.start.mean)}, which ${plural(outcome.start.count, 'text')} cannot tell from its floor.`,
        ]
      : [],
  );
  return [
    ...(silent.length > 0
      ? [
          `Without noise ${list(silent)} already ${silent.length > 1 ? 'find' : 'finds'} next to nothing, which says nothing about noise.`,
        ]
      : []),
    ...unsure,
    ...(unknown.length > 0
      ? [
          `${capital(list(unknown))} ${unknown.length > 1 ? 'were' : 'was'} not measured without noise, so it cannot be said what ${mechanism} takes away.`,
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
  const measured = `(${scores(results, found, deciding)})`;
  if (deciding.kind === 'never falls') {
    const still = labelsOf(found, 'never falls');
    const gets = still.length > 1 ? 'get' : 'gets';
    const [tried, most] = deciding.partial ? ['measured so far', ''] : ['tried', ', the most'];
    return `${capital(mechanism)} does not stop these attacks from reading text at any level ${tried}: at ${level}${most}, ${list(still)} still ${gets} text back ${measured}.`;
  }
  const least = isNoiseless(deciding.before.level) && !deciding.partial ? ', the least that was tried' : '';
  return `${capital(mechanism)} stops these attacks from reading text at ${level}${least} ${measured}.`;
}

/** Before and after, for each attack that finds something. The measure is named once where all have the same. */
function scores(results: StudyResults, found: readonly TextOutcome[], deciding: ConclusiveOutcome): string {
  const conclusive = found.flatMap(({ attack, outcome }) => (isConclusive(outcome) ? [{ attack, outcome }] : []));
  const measures = [...new Set(conclusive.map(({ attack }) => attack.measure.name))];
  const told = conclusive.map(({ attack, outcome }) => {
    const { level, mean, highest } = decidingPoint(outcome);
    const name = levelName(results, level);
    const same = sameLevel(level, decidingPoint(deciding).level);
    const place = same ? '' : outcome.kind === 'falls' ? ` from ${name} on` : ` at ${name}`;
    const measure = measures.length > 1 ? ` ${attack.measure.name}` : '';
    return `${attack.label}${measure} ${writeScore(outcome.start.mean)} → ${writeScore(mean)}${place}, best text ${writeScore(highest)}`;
  });
  return `${measures.length > 1 ? '' : `${measures[0]}: `}${told.join('; ')}`;
}
