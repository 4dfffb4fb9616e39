// Where a genie that knows every other token of a text is no better than guessing: a bound on every attacker who sees one gradient,
// under the likelihood and the prior of the attack.

import type { GenieResult } from '../../attacks/index.js';
import { noiseAmount } from './level.js';
import type { Level, StudyResults } from './results.js';
import { stoppedShare } from './shares.js';

/** `too few to tell`: the interval includes guessing, and also much more than that. */
export type GenieVerdict = 'at chance' | 'above chance' | 'too few to tell';

/** What a genie could read under one mechanism. */
export interface GenieConclusion {
  /** The attack whose likelihood and prior the genie uses. */
  readonly attack: string;
  /** From the least noise to the most; levels at which the genie was not asked are left out. */
  readonly levels: readonly { readonly level: Level; readonly verdict: GenieVerdict }[];
  /** The level from which on the genie is at chance; absent if it is not at the most noise. */
  readonly atChanceFrom?: Level;
}

/**
 * The genie is at chance where the 95 % interval of its accuracy includes guessing, and its upper end gains at most a tenth of what
 * could be gained over guessing. Few places have wide intervals, so they prove nothing.
 */
export function genieVerdict({ lower, upper, chance }: GenieResult): GenieVerdict {
  if (lower > chance) return 'above chance';
  return (upper - chance) / (1 - chance) <= stoppedShare ? 'at chance' : 'too few to tell';
}

/** One entry per attack whose genie was asked under this mechanism. */
export function genieConclusions(
  { levels, mechanisms, attacks }: Pick<StudyResults, 'levels' | 'mechanisms' | 'attacks'>,
  mechanism: string,
): GenieConclusion[] {
  const own = levels
    .filter(({ level }) => level.mechanism === mechanism)
    .toSorted((a, b) => noiseAmount(mechanisms, a.level) - noiseAmount(mechanisms, b.level));
  return attacks.flatMap(({ name }) => {
    const judged = own.flatMap(({ level, leakage }) => {
      const genie = leakage[name]?.genie;
      return genie ? [{ level, verdict: genieVerdict(genie) }] : [];
    });
    if (judged.length === 0) return [];
    const from = judged[judged.findLastIndex(({ verdict }) => verdict !== 'at chance') + 1]?.level;
    return [{ attack: name, levels: judged, ...(from && { atChanceFrom: from }) }];
  });
}
