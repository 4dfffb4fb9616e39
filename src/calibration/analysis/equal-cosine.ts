// Which of two mechanisms keeps more utility where the noise turns the releases of training equally far. In many dimensions every noise
// is nearly isotropic, so mechanisms that bound gradients in the same way should then be equal; what is left is due to the bounding.

import type { SeededSource } from '../../random/index.js';
import {
  compareCurves,
  type EqualComparison,
  type EqualReading,
  type Pair,
  type TestedAt,
  withTested,
} from './compare-curves.js';
import { pairsOf } from './equal-leakage.js';
import { isNoiseless, isOnCurve, sameLevel } from './level.js';
import type { StudyResults } from './results.js';

/** Utility at one cosine. */
export interface EqualCosineReading extends Omit<EqualReading, 'at'> {
  readonly cosine: number;
}

/** Two mechanisms compared at equal cosines between the releases of training and their own sums before noise. */
export interface EqualCosine extends Omit<EqualComparison, 'readings'> {
  readonly mechanisms: Pair<string>;
  /** Whether both become the same as their noise vanishes, so that they differ in nothing but the noise. */
  readonly sameStart: boolean;
  /** From the highest cosine to the lowest. */
  readonly readings: readonly EqualCosineReading[];
}

/** Compares every pair of mechanisms whose releases share a range of cosines. Cosines are read on a logarithmic scale. */
export function equalCosinesOf(
  source: SeededSource,
  { levels, mechanisms }: Pick<StudyResults, 'levels' | 'mechanisms'>,
  testedAt?: TestedAt,
): EqualCosine[] {
  const measured = levels.flatMap(({ level, utility }) => {
    const cosines = utility?.cosineToSum?.values ?? [];
    // Where noise leaves nothing of the sum, the mean cosine may be below 0 by chance: it has no logarithm and says no more than 0.
    if (cosines.length === 0 || cosines.some((cosine) => cosine <= 0)) return [];
    return [{ level, quantity: cosines.map(Math.log10), utility: utility?.accuracy.values ?? [] }];
  });
  return pairsOf(mechanisms.map(({ name }) => name)).flatMap((pair) => {
    const own = measured.filter(({ level }) => pair.some((name) => isOnCurve(level, name)));
    const found = compareCurves(source, withTested(own, testedAt), pair, true);
    if (found === undefined) return [];
    const readings = found.readings.map(({ at, ...reading }) => ({ cosine: 10 ** at, ...reading }));
    return [{ mechanisms: pair, sameStart: haveSameStart(levels, pair), readings, overall: found.overall }];
  });
}

/** Whether the curves of both mechanisms begin at the same level without noise. */
export function haveSameStart(levels: StudyResults['levels'], [first, second]: Pair<string>): boolean {
  const startOf = (name: string) => levels.find(({ level }) => isNoiseless(level) && isOnCurve(level, name))?.level;
  const [one, other] = [startOf(first), startOf(second)];
  return one !== undefined && other !== undefined && sameLevel(one, other);
}
