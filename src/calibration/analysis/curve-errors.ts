// How much chance moves what is read from curves of leakage and utility. Chance comes from the attacked items and from the seeds
// of training. Each is resampled by itself (bootstrap), and its error, widened by √(n/(n − 1)), gets Student's factor, because
// percentiles of three seeds are far too narrow. The half-widths of independent parts add in squares (Zou and Donner 2008).

import { halfWidth, resample } from '../../metrics/index.js';
import type { SeededSource } from '../../random/index.js';
import { arePaired, type LevelLists, meanOf, resampledMeans } from './resampled-means.js';

/** Statistics on the resamples of one source of chance. */
export interface ResampledPart {
  /** How many items or seeds were drawn from; the fewest of all levels. */
  readonly size: number;
  /** One list for each statistic, in the same order of resamples. */
  readonly columns: readonly (readonly number[])[];
}

/** Errors, unlike percentiles, need few: this many know them to 4 %. */
const resamples = 400;

type Means = readonly number[];

/** Items and seeds apart, or as one where both are the same runs. */
export function resampleCurves(
  source: SeededSource,
  lists: { readonly leakage: LevelLists; readonly utility: LevelLists },
  sameRuns: boolean,
  statistics: (leakage: Means, utility: Means) => readonly number[],
): ResampledPart[] {
  const [items, seeds] = [resampledMeans(lists.leakage), resampledMeans(lists.utility)];
  const [leakage, utility] = [lists.leakage.map(meanOf), lists.utility.map(meanOf)];
  const part = (name: string, sizes: readonly number[], on: (drawn: readonly Uint32Array[]) => readonly number[]) => ({
    size: Math.min(...sizes),
    columns: resample(source.stream(name), sizes, on, resamples),
  });
  if (sameRuns && arePaired([...lists.leakage, ...lists.utility])) {
    return [part('runs', seeds.sizes, (drawn) => statistics(items.means(drawn), seeds.means(drawn)))];
  }
  return [
    part('items', items.sizes, (drawn) => statistics(items.means(drawn), utility)),
    part('seeds', seeds.sizes, (drawn) => statistics(leakage, seeds.means(drawn))),
  ];
}

/** Half the 95 % interval of the mean of some statistics. Unknown where a part has one value only. */
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
