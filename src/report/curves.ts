// Curves from results: one measure along one mechanism, from no noise to the most.

import type { AttackName, Estimate, Level, LevelResults, StudyResults } from '../calibration/index.js';
import { attackNames, mechanismNames, mechanisms, type NoisyMechanism } from './words.js';

export interface Point {
  readonly level: Level;
  readonly value: Estimate;
  /** What the measure is at this level where nothing was learnt or found. */
  readonly floor: number;
}

export interface Curve {
  readonly mechanism: NoisyMechanism;
  /** Without noise, where that was measured. */
  readonly clean?: Point;
  /** From the least noise to the most. */
  readonly noisy: readonly Point[];
  /** For charts: the mean over all levels. */
  readonly floor: number;
  /** Some level of the mechanism has no value. */
  readonly partial: boolean;
}

export const utilityCurve = (results: StudyResults, mechanism: NoisyMechanism): Curve =>
  curveOf(
    results,
    mechanism,
    ({ utility }) => utility && { value: utility.accuracy, floor: results.data.majority },
    results.data.majority,
  );

export function leakageCurve(results: StudyResults, attack: AttackName, mechanism: NoisyMechanism): Curve {
  const floors = results.levels.flatMap(({ leakage }) => leakage[attack]?.floor ?? []);
  const mean = floors.reduce((sum, value) => sum + value, 0) / Math.max(floors.length, 1);
  const measure = ({ leakage }: LevelResults) => {
    const found = leakage[attack];
    return found && { value: found.main, floor: found.floor };
  };
  return curveOf(results, mechanism, measure, mean);
}

function curveOf(
  { levels }: StudyResults,
  mechanism: NoisyMechanism,
  measure: (results: LevelResults) => Omit<Point, 'level'> | undefined,
  floor: number,
): Curve {
  const points = (of: string) =>
    levels.flatMap((results) => {
      const found = results.level.mechanism === of ? measure(results) : undefined;
      return found && Number.isFinite(found.value.mean) ? [{ level: results.level, ...found }] : [];
    });
  const [clean] = points('none');
  const noisy = points(mechanism)
    .filter(({ level }) => (level.parameter ?? 0) > 0)
    .sort((a, b) => amount(a.level) - amount(b.level));
  const partial = noisy.length < levels.filter(({ level }) => level.mechanism === mechanism).length;
  return { mechanism, floor, partial, noisy, ...(clean && { clean }) };
}

/** Logarithm of the noise, growing with it for every mechanism. */
export const amount = ({ mechanism, parameter: noise = 0 }: Level): number =>
  mechanism === 'none' ? Number.NEGATIVE_INFINITY : mechanisms[mechanism].sign * Math.log10(noise);

/** Mechanisms with at least one level. */
export const mechanismsOf = ({ levels }: StudyResults): NoisyMechanism[] =>
  mechanismNames.filter((name) => levels.some(({ level }) => level.mechanism === name));

/** Attacks with at least one result. */
export const attacksOf = ({ levels }: StudyResults): AttackName[] =>
  attackNames.filter((name) => levels.some(({ leakage }) => leakage[name] !== undefined));
