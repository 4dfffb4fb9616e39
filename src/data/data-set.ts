// A data set in memory.

/** One text with its label. */
export interface Example {
  readonly text: string;
  /** Index into the data set's `classes`; absent if the file has no label. */
  readonly label?: number;
  /** Examples of one group (a mail thread, a user) stay on one side of a split. */
  readonly group?: string;
}

/** The splits that a data set may have, in this order. */
export const splitNames = ['train', 'validation', 'test'] as const;
/** Name of a split: train, validation or test. */
export type SplitName = (typeof splitNames)[number];

/** Labelled texts in up to three splits, as `loadDataSet` reads them. */
export interface DataSet {
  /** The name of the file or folder, without its ending. */
  readonly name: string;
  /** Class names in the order of their labels; empty for text without labels. */
  readonly classes: readonly string[];
  /** At least one split. */
  readonly splits: Readonly<Partial<Record<SplitName, readonly Example[]>>>;
  /** Names of the columns of the first file, where none was read as the label: one of them may be it. */
  readonly columns?: readonly string[];
  /** How many rows without text were dropped, per split; only with `skipEmpty`, or in bundled data. */
  readonly skipped?: Readonly<Partial<Record<SplitName, number>>>;
}
