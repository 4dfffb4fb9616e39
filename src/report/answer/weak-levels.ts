// Says where ε promises next to nothing: a level that stops attacks and keeps utility is not offered as the useful one without it.

import {
  type Gap,
  isWeak,
  type Level,
  type LevelGuarantee,
  type MechanismConclusions,
  noiseAmount,
  resultsAt,
  type StudyResults,
  sameLevel,
  weakEpsilon,
} from '../../calibration/index.js';
import { promiseOf } from '../plan-words.js';
import { epsilonOf, equation, levelName } from '../words.js';

const measured = 'protection there is only against these attacks';

/** For the level that stops reconstruction. */
export function weakStopSentences(results: StudyResults, { reconstruction }: MechanismConclusions): string[] {
  return reconstruction?.stopsAt === undefined ? [] : sentenceAt(results, reconstruction.stopsAt);
}

/** For the levels of the gap, as far as the sentence on the level that stops reconstruction has not said it. */
export function weakGapSentences(results: StudyResults, { reconstruction, gap }: MechanismConclusions): string[] {
  if (!gap) return [];
  const within = levelsWithin(results, gap);
  const weak = within.filter(({ guarantee }) => isWeak(guarantee));
  const [first, last] = [weak[0], weak.at(-1)];
  if (!first || !last) return [];
  if (weak.length === 1) {
    const isSaid = reconstruction?.stopsAt !== undefined && sameLevel(first.level, reconstruction.stopsAt);
    return isSaid ? [] : sentenceAt(results, first.level);
  }
  const where = weak.length === within.length ? 'At all of these levels' : `Up to ${levelName(results, last.level)}`;
  return [`${where} ε is above ${weakEpsilon}, which is no meaningful guarantee.`];
}

function sentenceAt(results: StudyResults, level: Level): string[] {
  const at = resultsAt(results, level);
  const guarantee = at && promiseOf(at);
  if (guarantee === undefined || !isWeak(guarantee)) return [];
  return [`Training at ${levelName(results, level)} has ${weakPhrase(guarantee)}: ${measured}.`];
}

const weakPhrase = (guarantee: LevelGuarantee): string =>
  Number.isFinite(guarantee.epsilon)
    ? `${equation('ε', epsilonOf(guarantee))}, which is no meaningful guarantee`
    : 'no finite ε, so no guarantee';

/** Levels of the gap whose guarantee is known, from the least to the most noise. */
function levelsWithin(results: StudyResults, { from, to }: Gap) {
  const { levels, mechanisms } = results;
  const [least, most] = [from, to].map((level) => noiseAmount(mechanisms, level)) as [number, number];
  return levels.flatMap(({ level, ...promised }) => {
    const guarantee = promiseOf(promised);
    const amount = level.mechanism === from.mechanism ? noiseAmount(mechanisms, level) : Number.NaN;
    return guarantee && amount >= least && amount <= most ? [{ level, guarantee }] : [];
  });
}
