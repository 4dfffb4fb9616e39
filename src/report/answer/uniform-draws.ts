// Says where directions were drawn uniformly because there was no gradient to follow.

import type { MechanismConclusions, StudyResults } from '../../calibration/index.js';
import { writeShare } from '../numbers.js';
import { levelName } from '../words.js';

/** A smaller share is left to the table of levels. */
const leastShare = 0.01;

export function uniformSentences(results: StudyResults, { mechanism }: MechanismConclusions): string[] {
  const shares = results.levels.flatMap(({ level, utility }) =>
    level.mechanism === mechanism ? [{ level, share: utility?.uniformShare ?? 0 }] : [],
  );
  const [most] = shares.toSorted((a, b) => b.share - a.share);
  if (most === undefined || most.share < leastShare) return [];
  return [
    `At ${levelName(results, most.level)} ${writeShare(most.share)} of the directions were drawn at random, because those gradients were zero.`,
  ];
}
