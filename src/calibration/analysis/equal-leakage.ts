// Which of two mechanisms keeps more utility where both leak equally: reads utility at a few leakages on both measured curves.

import type { Interval } from '../../math/index.js';
import type { SeededSource } from '../../random/index.js';
import { halfWidthOf, type ResampledPart, resampleCurves } from './curve-errors.js';
import { readsTrainedModel } from './goals.js';
import { isOnCurve } from './level.js';
import { meanOf } from './resampled-means.js';
import type { AboutAttack, Level, LevelResults, StudyResults } from './results.js';
import { fallingFit, type Reading, readAlong } from './trade-off.js';

/** A measure of utility on test data. */
export type UtilityName = 'accuracy' | 'matthews' | 'macroF1';
/** One value per mechanism of a pair, in the order of the study. */
export type Pair<T> = readonly [T, T];

/** Stands for the winner where the difference is within chance or below half a point. */
export const noClearWinner = 'no clear winner';

/** The utility of two mechanisms at the same leakage. */
export interface UtilityDifference {
  readonly utilities: Pair<number>;
  /** Second − first. */
  readonly difference: number;
  /** 95 % interval of the difference; absent with a single seed or item, which says nothing about chance. */
  readonly interval?: Interval;
  /** The name of a mechanism, or `noClearWinner`. */
  readonly winner: string;
}

/** Utility at one leakage. */
export interface EqualLeakageReading extends UtilityDifference {
  readonly leakage: number;
  /** For each mechanism, the measured levels between which utility was read. */
  readonly between: Pair<Pair<Level>>;
}

/** Two mechanisms compared at equal leakage by one attack. */
export interface EqualLeakage {
  readonly attack: string;
  readonly utility: UtilityName;
  readonly mechanisms: Pair<string>;
  /** From the most to the least leakage. */
  readonly readings: readonly EqualLeakageReading[];
  /** The mean over the readings. It decides, because a single reading may differ by chance. */
  readonly overall: UtilityDifference;
}

/** Where to read, as shares of the range of leakage that both curves have. */
const shares = [0.75, 0.5, 0.25];
/** A reading is left out if a smaller share of the resamples has it on both curves. */
const leastCover = 0.95;
/** Leakages less than a hundredth apart count as equal. */
const leastRange = 0.01;
/** Half a point: nobody chooses a mechanism for less. */
const leastDifference = 0.005;

/** All pairs of the items, each once. */
export const pairsOf = <T>(items: readonly T[]): Pair<T>[] =>
  items.flatMap((first, place) => items.slice(place + 1).map((second) => [first, second] as const));

/** Compares every pair of mechanisms that share a range of leakage, by every attack. */
export function equalLeakagesOf(
  source: SeededSource,
  { levels, attacks, mechanisms }: Pick<StudyResults, 'levels' | 'attacks' | 'mechanisms'>,
): EqualLeakage[] {
  const pairs = pairsOf(mechanisms.map(({ name }) => name));
  return attacks.flatMap((attack) =>
    pairs.flatMap((pair) => compareAtEqualLeakage(source, levels, attack, pair) ?? []),
  );
}

/**
 * Compares two mechanisms by one attack: the utility of both is read where they leak equally. Undefined if the curves share no
 * range of leakage. Levels of other mechanisms change nothing.
 */
export function compareAtEqualLeakage(
  source: SeededSource,
  results: readonly LevelResults[],
  attack: Pick<AboutAttack, 'name' | 'goal'>,
  mechanisms: Pair<string>,
  utility: UtilityName = 'accuracy',
): EqualLeakage | undefined {
  const levels = levelsOf(results, attack.name, mechanisms, utility);
  const places = mechanisms.map((name) =>
    levels.flatMap(({ level }, place) => (isOnCurve(level, name) ? [place] : [])),
  ) as [number[], number[]];
  if (places.some((list) => list.length < 2)) return undefined;

  const lists = { leakage: levels.map((one) => one.leakage), utility: levels.map((one) => one.utility) };
  const [leakages, utilities] = [lists.leakage.map(meanOf), lists.utility.map(meanOf)];
  const targets = targetsOf(places.map((list) => list.map((place) => leakages[place] as number)));
  if (targets.length === 0) return undefined;
  const read = (leakage: readonly number[], gained: readonly number[], target: number): Pair<Reading> | undefined => {
    const [first, second] = places.map((list) => readAlong(list, leakage, gained, target));
    return first && second && [first, second];
  };
  const parts = resampleCurves(source, lists, readsTrainedModel(attack), (leakage, gained) =>
    targets.map((target) => {
      const both = read(leakage, gained, target);
      return both ? both[1].utility - both[0].utility : Number.NaN;
    }),
  );
  const kept = targets.flatMap((leakage, column) => {
    const both = read(leakages, utilities, leakage);
    return both && isCovered(parts, column) ? [{ leakage, column, both }] : [];
  });
  if (kept.length === 0) return undefined;

  const decideOn = (gained: Pair<number>, columns: readonly number[]) =>
    decide(mechanisms, gained, halfWidthOf(parts, columns));
  const levelsAt = ({ between }: Reading) => between.map((place) => levels[place]?.level) as [Level, Level];
  const readings = kept.map(({ leakage, column, both: [first, second] }) => ({
    leakage,
    ...decideOn([first.utility, second.utility], [column]),
    between: [levelsAt(first), levelsAt(second)] as const,
  }));
  const mean = (place: 0 | 1) => meanOf(readings.map(({ utilities: read }) => read[place]));
  const columns = kept.map(({ column }) => column);
  return { attack: attack.name, utility, mechanisms, readings, overall: decideOn([mean(0), mean(1)], columns) };
}

/** The levels without noise, and of both mechanisms, that have leakage and utility. */
const levelsOf = (results: readonly LevelResults[], attack: string, mechanisms: Pair<string>, utility: UtilityName) =>
  results.flatMap(({ level, leakage: { [attack]: leakage }, utility: gained }) =>
    mechanisms.some((name) => isOnCurve(level, name)) && leakage?.main.values.length && gained?.[utility].values.length
      ? [{ level, leakage: leakage.main.values, utility: gained[utility].values }]
      : [],
  );

/** The leakages at which to read, within the range of both curves. */
function targetsOf(curves: readonly (readonly number[])[]): number[] {
  const fitted = curves.map(fallingFit);
  const high = Math.min(...fitted.map((curve) => curve[0] as number));
  const low = Math.max(...fitted.map((curve) => curve.at(-1) as number));
  return high - low < leastRange ? [] : shares.map((share) => low + share * (high - low));
}

const isCovered = (parts: readonly ResampledPart[], column: number): boolean =>
  parts.every(({ columns }) => {
    const draws = columns[column] as readonly number[];
    return draws.filter((value) => !Number.isNaN(value)).length >= leastCover * draws.length;
  });

function decide(mechanisms: Pair<string>, utilities: Pair<number>, half: number | undefined): UtilityDifference {
  const difference = utilities[1] - utilities[0];
  if (half === undefined) return { utilities, difference, winner: noClearWinner };
  const isClear = Math.abs(difference) > Math.max(half, leastDifference);
  const winner = !isClear ? noClearWinner : mechanisms[difference > 0 ? 1 : 0];
  return { utilities, difference, interval: { lower: difference - half, upper: difference + half }, winner };
}
