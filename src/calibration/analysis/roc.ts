// ROC curves of membership attacks: of one level from its trials, and those of a mechanism that a chart shows.

import { boundOn, isBounded, type MembershipBound } from '../../attacks/index.js';
import { meanRoc, type RocRates } from '../../metrics/index.js';
import { membershipBound } from '../../privacy/index.js';
import type { RocDetails } from '../trials/work/roc-details.js';
import { isNoiseless, isOnCurve, noiseAmount } from './level.js';
import type { Level, LevelGuarantee, LevelRoc, StudyResults } from './results.js';
import { isWeak } from './weak-guarantee.js';

/** The mean curve of trials that have one; undefined if none has. `guarantee` is that of the study's own training, if it covers what was attacked. */
export function rocOf(details: readonly object[], guarantee: LevelGuarantee | undefined): LevelRoc | undefined {
  const known = (details as readonly Partial<RocDetails>[]).filter((one): one is RocDetails => one.roc !== undefined);
  if (known.length === 0) return undefined;
  const bounds = known.map(({ bound, drawnAlike }) =>
    drawnAlike && guarantee ? boundOn(guarantee, 'replaced', false) : bound,
  );
  return {
    points: meanRoc(known.map(({ roc }) => roc)),
    members: Math.min(...known.map(({ members }) => members)),
    others: Math.min(...known.map(({ others }) => others)),
    ...(bounds.every(isBounded) && { bound: weakest(bounds) }),
  };
}

const weakest = (bounds: readonly MembershipBound[]): MembershipBound => ({
  epsilon: Math.max(...bounds.map(({ epsilon }) => epsilon)),
  delta: Math.max(...bounds.map(({ delta }) => delta)),
});

/** A level with its curve and, where it has one that means something, the curve of its guarantee. */
export interface RocLevel extends Omit<LevelRoc, 'bound'> {
  readonly level: Level;
  readonly bound?: MembershipBound & { readonly points: readonly RocRates[] };
}

/** The curves that tell how noise of a mechanism changes an attack: without noise, with the least of it, in the middle, and with the most. */
export function rocLevels(
  { levels, mechanisms }: Pick<StudyResults, 'levels' | 'mechanisms'>,
  attack: string,
  mechanism: string,
): RocLevel[] {
  const found = levels
    .flatMap(({ level, leakage }) => {
      const roc = leakage[attack]?.roc;
      return roc && isOnCurve(level, mechanism) ? [{ level, ...roc }] : [];
    })
    .sort((a, b) => noiseAmount(mechanisms, a.level) - noiseAmount(mechanisms, b.level));
  const noisy = found.filter(({ level }) => !isNoiseless(level));
  const places = new Set([0, Math.floor((noisy.length - 1) / 2), noisy.length - 1]);
  const shown = [
    ...found.filter(({ level }) => isNoiseless(level)).slice(0, 1),
    ...noisy.filter((_, k) => places.has(k)),
  ];
  return shown.map(({ bound, ...one }) => {
    const points = bound && !isWeak(bound) ? membershipBound(1 / one.others, bound.epsilon, bound.delta) : [];
    // If all members but a fraction of one may be found at the lowest rate already, nothing that can be measured is ruled out.
    const isTelling = (points[0]?.truePositiveRate ?? 1) <= 1 - 1 / one.members;
    return { ...one, ...(bound && isTelling && { bound: { ...bound, points } }) };
  });
}
