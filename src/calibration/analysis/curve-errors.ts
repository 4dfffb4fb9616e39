// How far chance moves what is read from curves of leakage and utility. Chance comes from the attacked items, from the training
// seeds and from the test examples. Each is resampled separately (bootstrap), and its error, widened by √(n/(n − 1)), gets Student's factor, because percentiles
// of three seeds are far too narrow. The half-widths of independent parts add in squares (Zou and Donner 2008).

import { halfWidth, resample } from '../../metrics/index.js';
import type { SeededSource } from '../../random/index.js';
import { arePaired, type LevelLists, meanOf, resampledMeans } from './resampled-means.js';

/** Statistics on the resamples of one source of chance. */
export interface ResampledPart {
  /** The number of items or seeds; the smallest over all levels. */
  readonly size: number;
  /** One list per statistic, all in the same order of resamples. */
  readonly columns: readonly (readonly number[])[];
}

/** Errors, unlike percentiles, need few resamples: with this many they are known to 4 %. */
const resamples = 400;

type Means = readonly number[];

export interface CurveLists {
  /** One value per attacked item or, if it comes from the same runs as utility, per seed. */
  readonly leakage: LevelLists;
  /** One value per seed. */
  readonly utility: LevelLists;
  /** Utility on each test example, mean over the seeds, if it is known at every level. */
  readonly tested?: LevelLists;
}

/** Resamples items and seeds separately, or together where both come from the same runs, and test examples. */
export function resampleCurves(
  source: SeededSource,
  lists: CurveLists,
  sameRuns: boolean,
  statistics: (leakage: Means, utility: Means) => readonly number[],
): ResampledPart[] {
  const [items, seeds] = [resampledMeans(lists.leakage), resampledMeans(lists.utility)];
  const [leakage, utility] = [lists.leakage.map(meanOf), lists.utility.map(meanOf)];
  const part = (name: string, sizes: readonly number[], on: (drawn: readonly Uint32Array[]) => readonly number[]) => ({
    size: Math.min(...sizes),
    columns: resample(source.stream(name), sizes, on, resamples),
  });
  const { tested } = lists;
  const examples = tested && resampledMeans(tested);
  const ofExamples = examples
    ? [part('examples', examples.sizes, (drawn) => statistics(leakage, examples.means(drawn)))]
    : [];
  if (sameRuns && arePaired([...lists.leakage, ...lists.utility])) {
    return [part('runs', seeds.sizes, (drawn) => statistics(items.means(drawn), seeds.means(drawn))), ...ofExamples];
  }
  return [
    part('items', items.sizes, (drawn) => statistics(items.means(drawn), utility)),
    part('seeds', seeds.sizes, (drawn) => statistics(leakage, seeds.means(drawn))),
    ...ofExamples,
  ];
}

/** Half the width of the 95 % interval of the mean of some statistics; undefined if a part has a single value. */
export function halfWidthOf(parts: readonly ResampledPart[], statistics: readonly number[]): number | undefined {
  if (parts.some(({ size }) => size < 2)) return undefined;
  return Math.hypot(
    ...parts.map(({ size, columns }) => {
      const rows = (columns[0] as readonly number[]).map((_, row) =>
        meanOf(statistics.map((column) => columns[column]?.[row] as number)),
      );
      const present = rows.filter((value) => !Number.isNaN(value));
      const mean = meanOf(present);
      const variance = meanOf(present.map((value) => (value - mean) ** 2));
      return halfWidth({ error: Math.sqrt((variance * size) / (size - 1)), degrees: size - 1 });
    }),
  );
}
