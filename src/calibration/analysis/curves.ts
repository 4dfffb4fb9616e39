// Curves from results: one measure along one mechanism, from no noise to the most.

import { isNoiseless, isOnCurve, noiseAmount } from './level.js';
import type { AboutAttack, AboutMechanism, Estimate, Level, LevelResults, StudyResults } from './results.js';

/** The results that curves are made from. */
export type CurveSource = Pick<StudyResults, 'levels' | 'mechanisms' | 'attacks' | 'data'>;

/** A curve at one level. */
export interface Point {
  readonly level: Level;
  readonly value: Estimate;
  /** The value of the measure at this level if nothing was learnt or found. */
  readonly floor: number;
  /** The share of texts in which the attack's search failed; absent for measures without a search. */
  readonly searchFailed?: number;
}

/** One measure along one mechanism's noise levels. */
export interface Curve {
  readonly mechanism: string;
  /** The point without noise, where it was measured. */
  readonly clean?: Point;
  /** From the least noise to the most. */
  readonly noisy: readonly Point[];
  /** The mean floor over all levels, for charts. */
  readonly floor: number;
  /** Whether some level of the mechanism has no value. */
  readonly partial: boolean;
}

/** Accuracy along a mechanism's levels; its floor is the accuracy of always naming the most frequent class. */
export const utilityCurve = (results: CurveSource, mechanism: string): Curve =>
  curveOf(
    results,
    mechanism,
    ({ utility }) => utility && { value: utility.accuracy, floor: results.data.majority },
    results.data.majority,
  );

/** The main measure of an attack along a mechanism's levels. */
export function leakageCurve(results: CurveSource, attack: string, mechanism: string): Curve {
  const floors = results.levels.flatMap(({ leakage }) => leakage[attack]?.floor ?? []);
  const mean = floors.reduce((sum, value) => sum + value, 0) / Math.max(floors.length, 1);
  const measure = ({ leakage }: LevelResults) => {
    const found = leakage[attack];
    if (found === undefined) return undefined;
    const { main: value, floor, search } = found;
    return { value, floor, ...(search && { searchFailed: search.failed / search.texts }) };
  };
  return curveOf(results, mechanism, measure, mean);
}

/** Any measure along a mechanism's levels. */
export function curveOf(
  { levels, mechanisms }: CurveSource,
  mechanism: string,
  measure: (results: LevelResults) => Omit<Point, 'level'> | undefined,
  floor: number,
): Curve {
  const points = levels.flatMap((results): Point[] => {
    const found = measure(results);
    return found && Number.isFinite(found.value.mean) ? [{ level: results.level, ...found }] : [];
  });
  const clean = points.find(({ level }) => isNoiseless(level) && isOnCurve(level, mechanism));
  const noisy = points
    .filter(({ level }) => level.mechanism === mechanism && (level.parameter ?? 0) > 0)
    .sort((a, b) => noiseAmount(mechanisms, a.level) - noiseAmount(mechanisms, b.level));
  const partial = noisy.length < levels.filter(({ level }) => level.mechanism === mechanism).length;
  return { mechanism, floor, partial, noisy, ...(clean && { clean }) };
}

/** All points of a curve, no noise first. */
export const pointsOf = ({ clean, noisy }: Curve): readonly Point[] => (clean ? [clean, ...noisy] : noisy);

/** The mechanisms with at least one level. */
export const triedMechanisms = ({
  mechanisms,
  levels,
}: Pick<CurveSource, 'mechanisms' | 'levels'>): readonly AboutMechanism[] =>
  mechanisms.filter(({ name }) => levels.some(({ level }) => level.mechanism === name));

/** The attacks with at least one result. */
export const measuredAttacks = ({ attacks, levels }: Pick<CurveSource, 'attacks' | 'levels'>): readonly AboutAttack[] =>
  attacks.filter(({ name }) => levels.some(({ leakage }) => leakage[name] !== undefined));
