// Compares noise levels: which are equal, and which has more noise.

import { ArgumentError } from '../../checks/index.js';
import type { AboutMechanism, Level, LevelResults, StudyResults } from './results.js';

/** Whether a level has no noise: its mechanism has no parameter. */
export const isNoiseless = ({ parameter }: Level): boolean => parameter === undefined;

/** Whether a level is on the curve of a mechanism: one of its own, or that without noise from which it begins. */
export const isOnCurve = (level: Level, mechanism: string): boolean =>
  isNoiseless(level) ? (level.startOf?.includes(mechanism) ?? true) : level.mechanism === mechanism;

/** Whether two levels have the same noise, whatever targets it was found from. A control is a level of its own. */
export const sameLevel = (a: Level, b: Level): boolean =>
  a.mechanism === b.mechanism && a.parameter === b.parameter && a.dropout === b.dropout;

export function mechanismNamed(mechanisms: readonly AboutMechanism[], name: string): AboutMechanism {
  const found = mechanisms.find((one) => one.name === name);
  if (!found) throw new ArgumentError(`invalid results: expected a description of the mechanism ${name}, got none`);
  return found;
}

/** The logarithm of the noise, growing with it for every mechanism. */
export function noiseAmount(mechanisms: readonly AboutMechanism[], level: Level): number {
  if (isNoiseless(level)) return Number.NEGATIVE_INFINITY;
  const { moreNoise } = mechanismNamed(mechanisms, level.mechanism);
  return (moreNoise === 'higher' ? 1 : -1) * Math.log10(level.parameter ?? 0);
}

/** The results of a study at a level. */
export const resultsAt = ({ levels }: Pick<StudyResults, 'levels'>, level: Level): LevelResults | undefined =>
  levels.find((one) => sameLevel(one.level, level));
