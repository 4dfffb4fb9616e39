// What every format is first read as, before labels and empty texts are looked at.

import type { ColumnOptions } from './columns.js';

export interface ReadOptions extends ColumnOptions {
  /** Told by the file's ending when absent. */
  readonly format?: DataFormat | undefined;
  /** Whether the first row of a TSV or CSV file names the columns; guessed when absent. */
  readonly header?: boolean | undefined;
  /** What one example of a text file is; paragraphs, which blank lines separate, when absent. */
  readonly textBy?: 'paragraphs' | 'lines' | undefined;
  /** Drops rows without text and counts them; otherwise they are an error. */
  readonly skipEmpty?: boolean | undefined;
}

export const dataFormats = ['tsv', 'csv', 'jsonl', 'parquet', 'text'] as const;
export type DataFormat = (typeof dataFormats)[number];

/** More are not believed: splitting one long line into millions of cells would fill the memory. */
export const mostColumns = 10_000;

/** One row of a table of text. */
export interface TableRecord {
  /** Where it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** One row: undefined where there is no such column, null where there is one and this row leaves it empty. */
export interface RawRow {
  readonly line: number;
  readonly text: string | null;
  readonly label: string | null | undefined;
  readonly group: string | null | undefined;
}

export type RawReader = (path: string, options: ReadOptions) => AsyncGenerator<RawRow>;
