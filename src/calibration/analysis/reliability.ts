// Whether the probabilities that an attack states can be believed, over all levels of a mechanism.

import { certainFrom } from '../../attacks/index.js';
import { answersFrom, poolBins, type ReliabilityBin } from '../../metrics/index.js';
import { isOnCurve } from './level.js';
import type { StudyResults } from './results.js';

/** The tokens of all levels on the mechanism's curve, by confidence; undefined if the attack states no probabilities. */
export function pooledReliability(
  { levels }: Pick<StudyResults, 'levels'>,
  attack: string,
  mechanism: string,
): ReliabilityBin[] | undefined {
  const tables = levels.flatMap(({ level, leakage }) => {
    const bins = isOnCurve(level, mechanism) ? leakage[attack]?.reliability : undefined;
    return bins ? [bins] : [];
  });
  return tables.length === 0 ? undefined : poolBins(tables);
}

/** The tokens that the attack is certain of, and how many of them are right. */
export const certainTokens = (bins: readonly ReliabilityBin[]): ReturnType<typeof answersFrom> =>
  answersFrom(bins, certainFrom);
