// Where an example stands in the data set that it was loaded with, after splits, limits and draws have moved it.

import { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';

/** Where an example stands in its data set. */
export interface RowNumber {
  readonly split: SplitName;
  /** Its place among the examples of the split, as they were loaded; the first is 1. A header is not counted, nor are rows without text that were skipped. */
  readonly row: number;
}

/**
 * Finds examples of a data set again, wherever `pick` took them. They are told by being the same object, so equal texts stay apart; undefined for
 * examples that are not of this data set.
 */
export function numberRows({ splits }: Pick<DataSet, 'splits'>): (example: Example) => RowNumber | undefined {
  const rows = new Map<Example, RowNumber>();
  for (const split of splitNames) {
    for (const [place, example] of (splits[split] ?? []).entries()) rows.set(example, { split, row: place + 1 });
  }
  return (example) => rows.get(example);
}
