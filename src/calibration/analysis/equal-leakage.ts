// Which of two mechanisms keeps more utility where both leak equally, and whether that depends on how they were trained.

import type { SeededSource } from '../../random/index.js';
import type { TunedSettings } from '../study/tuning.js';
import {
  compareCurves,
  type EqualComparison,
  type EqualReading,
  leastDifference,
  type Pair,
  type TestedAt,
  type UtilityDifference,
  withTested,
} from './compare-curves.js';
import { readsTrainedModel } from './goals.js';
import { isOnCurve, resultsAt } from './level.js';
import type { AboutAttack, LevelResults, StudyResults, TuningResults } from './results.js';

/** A measure of utility on test data. */
export type UtilityName = 'accuracy' | 'matthews' | 'macroF1';

/** Utility at one leakage. */
export interface EqualLeakageReading extends Omit<EqualReading, 'at'> {
  readonly leakage: number;
}

/** Two mechanisms compared at equal leakage by one attack. */
export interface EqualLeakage extends Omit<EqualComparison, 'readings'> {
  readonly attack: string;
  readonly utility: UtilityName;
  readonly mechanisms: Pair<string>;
  /** From the most to the least leakage. */
  readonly readings: readonly EqualLeakageReading[];
  /** The mean over the readings. It decides, because a single reading may differ by chance. */
  readonly overall: UtilityDifference;
  /** The comparison with each of the settings that were tried, the same for both mechanisms; absent if nothing was tuned. */
  readonly bySettings?: OrderBySettings;
}

/** How a comparison at equal leakage depends on settings of training that both mechanisms share. */
export interface OrderBySettings {
  /** Differences of accuracy on validation data, second − first, at the levels at which settings were tried. */
  readonly differences: readonly (Pick<UtilityDifference, 'difference' | 'interval'> & {
    readonly settings: TunedSettings;
  })[];
  /** Whether one mechanism is ahead with some settings, and the other with others: by half a point and, with several seeds, beyond chance. */
  readonly changes: boolean;
}

/** All pairs of the items, each once. */
export const pairsOf = <T>(items: readonly T[]): Pair<T>[] =>
  items.flatMap((first, place) => items.slice(place + 1).map((second) => [first, second] as const));

type Compared = Pick<StudyResults, 'levels' | 'attacks' | 'mechanisms' | 'tuning'>;

/** Compares every pair of mechanisms that share a range of leakage, by every attack. */
export function equalLeakagesOf(source: SeededSource, results: Compared, testedAt?: TestedAt): EqualLeakage[] {
  const { levels, attacks, mechanisms, tuning } = results;
  const pairs = pairsOf(mechanisms.map(({ name }) => name));
  // Models that an attack trains itself have other batches and steps than those whose utility is measured.
  return attacks
    .filter(({ ownModels }) => !ownModels)
    .flatMap((attack) =>
      pairs.flatMap((pair) => {
        const found = compareAtEqualLeakage(source, levels, attack, pair, 'accuracy', testedAt);
        if (found === undefined) return [];
        const bySettings = readsTrainedModel(attack)
          ? undefined
          : orderBySettings(source, levels, attack, pair, tuning);
        return [{ ...found, ...(bySettings && { bySettings }) }];
      }),
    );
}

/**
 * Compares two mechanisms by one attack: the utility of both is read where they leak equally. Undefined if the curves share no
 * range of leakage. Levels of other mechanisms change nothing. With `testedAt`, which is for accuracy, the interval covers the choice of
 * the test examples too.
 */
export function compareAtEqualLeakage(
  source: SeededSource,
  results: readonly LevelResults[],
  attack: Pick<AboutAttack, 'name' | 'goal'>,
  mechanisms: Pair<string>,
  utility: UtilityName = 'accuracy',
  testedAt?: TestedAt,
): EqualLeakage | undefined {
  const levels = withTested(levelsOf(results, attack.name, mechanisms, utility), testedAt);
  const found = compareCurves(source, levels, mechanisms, readsTrainedModel(attack));
  if (found === undefined) return undefined;
  const readings = found.readings.map(({ at, ...reading }) => ({ leakage: at, ...reading }));
  return { attack: attack.name, utility, mechanisms, readings, overall: found.overall };
}

/** The levels without noise, and of both mechanisms, that have leakage and utility. */
const levelsOf = (results: readonly LevelResults[], attack: string, mechanisms: Pair<string>, utility: UtilityName) =>
  results.flatMap(({ level, leakage: { [attack]: leakage }, utility: gained }) =>
    mechanisms.some((name) => isOnCurve(level, name)) && leakage?.main.values.length && gained?.[utility].values.length
      ? [{ level, quantity: leakage.main.values, utility: gained[utility].values }]
      : [],
  );

/** The same comparison with each of the tried settings for both mechanisms. An attack on shared gradients does not depend on them. */
function orderBySettings(
  source: SeededSource,
  levels: readonly LevelResults[],
  attack: AboutAttack,
  pair: Pair<string>,
  tuning: readonly TuningResults[],
): OrderBySettings | undefined {
  const differences = (tuning[0]?.tried ?? []).flatMap(({ settings }) => {
    const found = compareAtEqualLeakage(source, withSettings(levels, tuning, settings), attack, pair);
    if (found === undefined) return [];
    const { difference, interval } = found.overall;
    return [{ settings, difference, ...(interval && { interval }) }];
  });
  if (differences.length === 0) return undefined;
  const ahead = (sign: number) =>
    differences.some(
      ({ difference, interval }) =>
        sign * difference >= leastDifference &&
        (!interval || Math.min(sign * interval.lower, sign * interval.upper) > 0),
    );
  return { differences, changes: ahead(1) && ahead(-1) };
}

/** The levels at which settings were tried, with the accuracy on validation data that these settings gave. */
const withSettings = (
  levels: readonly LevelResults[],
  tuning: readonly TuningResults[],
  settings: TunedSettings,
): LevelResults[] =>
  tuning.flatMap(({ level, tried }) => {
    const [at, run] = [resultsAt({ levels }, level), tried.find((one) => sameSettings(one.settings, settings))];
    return at?.utility && run ? [{ ...at, utility: { ...at.utility, accuracy: run.accuracy } }] : [];
  });

const sameSettings = (a: TunedSettings, b: TunedSettings): boolean =>
  a.learningRate === b.learningRate && a.epochs === b.epochs;
