// What a data set is once it has been read.

export interface Example {
  readonly text: string;
  /** Index into the data set's `classes`; absent where the file gives none. */
  readonly label?: number;
  /** Examples of one group (a mail thread, a user) stay on one side of a split. */
  readonly group?: string;
}

export const splitNames = ['train', 'validation', 'test'] as const;
export type SplitName = (typeof splitNames)[number];

export interface DataSet {
  readonly name: string;
  /** Class names in the order of their labels; empty for text without labels. */
  readonly classes: readonly string[];
  /** At least one part. */
  readonly splits: Readonly<Partial<Record<SplitName, readonly Example[]>>>;
  /** How many rows without text were dropped, where any were. */
  readonly skipped?: Readonly<Partial<Record<SplitName, number>>>;
}
