// Which of two mechanisms keeps more utility where some quantity, such as leakage, is the same under both: reads utility at a few
// values of that quantity on both measured curves.

import type { Interval } from '../../math/index.js';
import type { SeededSource } from '../../random/index.js';
import { halfWidthOf, type ResampledPart, resampleCurves } from './curve-errors.js';
import { isOnCurve } from './level.js';
import { arePaired, meanOf } from './resampled-means.js';
import type { Level } from './results.js';
import { fallingFit, type Reading, readAlong } from './trade-off.js';

/** One value per mechanism of a pair, in the order of the study. */
export type Pair<T> = readonly [T, T];

/** Stands for the winner where the difference is within chance or below half a point. */
export const noClearWinner = 'no clear winner';

/** The utility of two mechanisms where they are alike. */
export interface UtilityDifference {
  readonly utilities: Pair<number>;
  /** Second − first. */
  readonly difference: number;
  /** 95 % interval of the difference; absent with a single seed or item, which says nothing about chance. */
  readonly interval?: Interval;
  /** The name of a mechanism, or `noClearWinner`. */
  readonly winner: string;
}

/** Utility at one value of the quantity. */
export interface EqualReading extends UtilityDifference {
  readonly at: number;
  /** For each mechanism, the measured levels between which utility was read. */
  readonly between: Pair<Pair<Level>>;
}

/** Two mechanisms compared where a quantity is the same under both. */
export interface EqualComparison {
  /** From the highest value of the quantity to the lowest. */
  readonly readings: readonly EqualReading[];
  /** The mean over the readings. It decides, because a single reading may differ by chance. */
  readonly overall: UtilityDifference;
}

/** A level on a curve: the quantity, which falls as noise grows, and utility, one value per item or seed. */
export interface CurveLevel {
  readonly level: Level;
  readonly quantity: readonly number[];
  readonly utility: readonly number[];
  /** Utility on each test example, mean over the seeds, if known. */
  readonly tested?: Float64Array;
}

/** Finds the utility on each test example at a level, mean over the seeds; undefined if it is not known. */
export type TestedAt = (level: Level) => Float64Array | undefined;

/** Adds to levels what is known of each test example there. */
export const withTested = (levels: readonly CurveLevel[], testedAt: TestedAt | undefined): CurveLevel[] =>
  levels.map((one) => {
    const tested = testedAt?.(one.level);
    return { ...one, ...(tested && { tested }) };
  });

/** Where to read, as shares of the range of the quantity that both curves have. */
const shares = [0.75, 0.5, 0.25];
/** A reading is left out if a smaller share of the resamples has it on both curves. */
const leastCover = 0.95;
/** Values less than a hundredth apart count as equal. */
const leastRange = 0.01;
/** Half a point: nobody chooses a mechanism for less. */
export const leastDifference = 0.005;

/** Undefined if the curves share no range of the quantity. `sameRuns`: quantity and utility come from the same training runs. */
export function compareCurves(
  source: SeededSource,
  levels: readonly CurveLevel[],
  mechanisms: Pair<string>,
  sameRuns: boolean,
): EqualComparison | undefined {
  const places = mechanisms.map((name) =>
    levels.flatMap(({ level }, place) => (isOnCurve(level, name) ? [place] : [])),
  ) as [number[], number[]];
  if (places.some((list) => list.length < 2)) return undefined;

  const tested = levels.flatMap((one) => one.tested ?? []);
  const lists = {
    leakage: levels.map(({ quantity }) => quantity),
    utility: levels.map(({ utility }) => utility),
    ...(tested.length === levels.length && arePaired(tested) && { tested }),
  };
  const [quantities, utilities] = [lists.leakage.map(meanOf), lists.utility.map(meanOf)];
  const targets = targetsOf(places.map((list) => list.map((place) => quantities[place] as number)));
  if (targets.length === 0) return undefined;
  const read = (quantity: readonly number[], gained: readonly number[], target: number): Pair<Reading> | undefined => {
    const [first, second] = places.map((list) => readAlong(list, quantity, gained, target));
    return first && second && [first, second];
  };
  const parts = resampleCurves(source, lists, sameRuns, (quantity, gained) =>
    targets.map((target) => {
      const both = read(quantity, gained, target);
      return both ? both[1].utility - both[0].utility : Number.NaN;
    }),
  );
  const kept = targets.flatMap((at, column) => {
    const both = read(quantities, utilities, at);
    return both && isCovered(parts, column) ? [{ at, column, both }] : [];
  });
  if (kept.length === 0) return undefined;

  const decideOn = (gained: Pair<number>, columns: readonly number[]) =>
    decide(mechanisms, gained, halfWidthOf(parts, columns));
  const levelsAt = ({ between }: Reading) => between.map((place) => levels[place]?.level) as [Level, Level];
  const readings = kept.map(({ at, column, both: [first, second] }) => ({
    at,
    ...decideOn([first.utility, second.utility], [column]),
    between: [levelsAt(first), levelsAt(second)] as const,
  }));
  const mean = (place: 0 | 1) => meanOf(readings.map(({ utilities: read }) => read[place]));
  const columns = kept.map(({ column }) => column);
  return { readings, overall: decideOn([mean(0), mean(1)], columns) };
}

/** The values at which to read, within the range of both curves. */
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
