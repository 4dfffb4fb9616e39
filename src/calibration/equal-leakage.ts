// Which mechanism keeps more utility where both leak the same: utility is read at a few leakages on both measured curves.

import type { Interval } from '../math/index.js';
import type { SeededSource } from '../random/index.js';
import { halfWidthOf, resampleCurves } from './curve-errors.js';
import { meanOf } from './resampled-means.js';
import type { AttackName, Behaviour, Level, LevelResults } from './results.js';
import { fallingFit, type Reading, readAlong } from './trade-off.js';

export type UtilityName = 'accuracy' | 'matthews' | 'macroF1';
export type Winner = Behaviour['mechanism'] | 'no clear winner';

/** Utility of both mechanisms at the same leakage. */
export interface UtilityDifference {
  readonly gaussian: number;
  readonly directional: number;
  /** directional − gaussian. */
  readonly difference: number;
  /** 95 %; absent where a single seed or item says nothing about chance. */
  readonly interval?: Interval;
  readonly winner: Winner;
}

export interface EqualLeakageReading extends UtilityDifference {
  readonly leakage: number;
  /** The measured levels between which utility was read. */
  readonly between: Readonly<Record<Behaviour['mechanism'], readonly [Level, Level]>>;
}

export interface EqualLeakage {
  readonly attack: AttackName;
  readonly utility: UtilityName;
  /** From the most to the least leakage. */
  readonly readings: readonly EqualLeakageReading[];
  /** The mean over the readings: the answer, since one of several readings may differ by chance. */
  readonly overall: UtilityDifference;
}

/** Where to read, within the leakages that both curves have. */
const shares = [0.75, 0.5, 0.25];
/** A reading that fewer resamples have on both curves is left out. */
const leastCover = 0.95;
/** Leakages less than a hundredth apart are the same. */
const leastRange = 0.01;
/** Nobody chooses a mechanism for less than half a point. */
const leastDifference = 0.005;
/** An attack on trained models leaks once for each seed: item and seed are the same run. */
const attacksTrained: Readonly<Record<AttackName, boolean>> = { span: false, decepticons: false, membership: true };

/** Nothing where the curves share no range of leakage. */
export function compareAtEqualLeakage(
  source: SeededSource,
  results: readonly LevelResults[],
  attack: AttackName,
  utility: UtilityName = 'accuracy',
): EqualLeakage | undefined {
  const levels = results.flatMap(({ level, leakage: { [attack]: leakage }, utility: gained }) =>
    leakage?.main.values.length && gained?.[utility].values.length
      ? [{ level, leakage: leakage.main.values, utility: gained[utility].values }]
      : [],
  );
  const placesOf = (mechanism: Behaviour['mechanism']) =>
    levels.flatMap(({ level }, place) => (level.mechanism === 'none' || level.mechanism === mechanism ? [place] : []));
  const places = { gaussian: placesOf('gaussian'), directional: placesOf('directional') };
  if (places.gaussian.length < 2 || places.directional.length < 2) return undefined;

  const lists = { leakage: levels.map((one) => one.leakage), utility: levels.map((one) => one.utility) };
  const [leakages, utilities] = [lists.leakage.map(meanOf), lists.utility.map(meanOf)];
  const targets = targetsOf(Object.values(places).map((list) => list.map((place) => leakages[place] as number)));
  if (targets.length === 0) return undefined;
  const read = (leakage: readonly number[], gained: readonly number[], target: number) => {
    const [gaussian, directional] = [places.gaussian, places.directional].map((list) =>
      readAlong(list, leakage, gained, target),
    );
    return gaussian && directional && { gaussian, directional };
  };
  const parts = resampleCurves(source, lists, attacksTrained[attack], (leakage, gained) =>
    targets.map((target) => {
      const both = read(leakage, gained, target);
      return both ? both.directional.utility - both.gaussian.utility : Number.NaN;
    }),
  );
  const isCovered = (column: number) =>
    parts.every(({ columns }) => {
      const draws = columns[column] as readonly number[];
      return draws.filter((value) => !Number.isNaN(value)).length >= leastCover * draws.length;
    });
  const kept = targets.flatMap((leakage, column) => {
    const both = read(leakages, utilities, leakage);
    return both && isCovered(column) ? [{ leakage, column, ...both }] : [];
  });
  if (kept.length === 0) return undefined;

  const levelsAt = ({ between }: Reading) => between.map((place) => levels[place]?.level) as [Level, Level];
  const readings = kept.map(({ leakage, column, ...both }) => ({
    ...decide(both.gaussian.utility, both.directional.utility, halfWidthOf(parts, [column])),
    leakage,
    between: { gaussian: levelsAt(both.gaussian), directional: levelsAt(both.directional) },
  }));
  const overall = decide(
    meanOf(readings.map((reading) => reading.gaussian)),
    meanOf(readings.map((reading) => reading.directional)),
    halfWidthOf(
      parts,
      kept.map(({ column }) => column),
    ),
  );
  return { attack, utility, readings, overall };
}

/** Leakages within the range of both curves. */
function targetsOf(curves: readonly (readonly number[])[]): number[] {
  const fitted = curves.map(fallingFit);
  const high = Math.min(...fitted.map((curve) => curve[0] as number));
  const low = Math.max(...fitted.map((curve) => curve.at(-1) as number));
  return high - low < leastRange ? [] : shares.map((share) => low + share * (high - low));
}

function decide(gaussian: number, directional: number, half: number | undefined): UtilityDifference {
  const difference = directional - gaussian;
  if (half === undefined) return { gaussian, directional, difference, winner: 'no clear winner' };
  const isClear = Math.abs(difference) > Math.max(half, leastDifference);
  const winner = !isClear ? 'no clear winner' : difference > 0 ? 'directional' : 'gaussian';
  return {
    gaussian,
    directional,
    difference,
    interval: { lower: difference - half, upper: difference + half },
    winner,
  };
}
