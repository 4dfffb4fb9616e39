// Means at each level over resampled items: the same items at all levels where they are paired.

/** One list of values per level. Equal counts everywhere mean the same items in the same order. */
export type LevelLists = readonly Numbers[];

type Numbers = readonly number[] | Float64Array;

export interface ResampledMeans {
  /** The number of items in each group of a bootstrap. */
  readonly sizes: readonly number[];
  readonly means: (drawn: readonly Uint32Array[]) => number[];
}

export const arePaired = (lists: LevelLists): boolean => lists.every(({ length }) => length === lists[0]?.length);

export function meanOf(values: Numbers): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

export function resampledMeans(lists: LevelLists): ResampledMeans {
  const paired = arePaired(lists);
  return {
    sizes: (paired ? lists.slice(0, 1) : lists).map(({ length }) => length),
    means: (drawn) => lists.map((values, level) => meanAt(values, drawn[paired ? 0 : level] as Uint32Array)),
  };
}

function meanAt(values: Numbers, items: Uint32Array): number {
  let sum = 0;
  for (const item of items) sum += values[item] as number;
  return sum / items.length;
}
