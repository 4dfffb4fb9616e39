// The rows that every format is first read as, before labels and empty texts are checked.

import type { ColumnOptions } from './columns.js';
import type { TextEncoding } from './encodings.js';

/** How a file is read. */
export interface ReadOptions extends ColumnOptions {
  /** Default: decided by the file's ending. */
  readonly format?: DataFormat | undefined;
  /**
   * Whether the first row of a TSV or CSV file names the columns. Default: true if it holds a usual name, and in CSV also if
   * `textColumn` is not a number.
   */
  readonly header?: boolean | undefined;
  /**
   * What separates the columns of a CSV or TSV file: one character, or `tab`. Default: a tab in TSV; in CSV a comma, or a
   * semicolon, tab or | if the header shows it.
   */
  readonly delimiter?: string | undefined;
  /** Default: UTF-8, or UTF-16 if the file begins with its byte-order mark. */
  readonly encoding?: TextEncoding | undefined;
  /** Whether an example of a text file is a paragraph (default; blank lines separate them) or a line. */
  readonly textBy?: 'paragraphs' | 'lines' | undefined;
  /** Drops rows without text and counts them. Default: such a row is an error. */
  readonly skipEmpty?: boolean | undefined;
}

/** The formats that can be read. */
export const dataFormats = ['tsv', 'csv', 'jsonl', 'parquet', 'text'] as const;
/** Name of a file format: tsv, csv, jsonl, parquet or text. */
export type DataFormat = (typeof dataFormats)[number];

/** A limit against damaged files: splitting one long line into millions of cells would fill the memory. */
export const mostColumns = 10_000;

/** One row of a CSV or TSV table. */
export interface TableRecord {
  /** The line where it begins. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** One row. A field is undefined if the file has no such column, and null if this row leaves it empty. */
export interface RawRow {
  readonly line: number;
  readonly text: string | null;
  readonly label: string | null | undefined;
  readonly group: string | null | undefined;
}

/** Called once with the names of the columns, if the file has them. */
export type OnColumns = (names: readonly string[]) => void;

/** Reads the rows of one format in order. */
export type RawReader = (path: string, options: ReadOptions, onColumns?: OnColumns) => AsyncGenerator<RawRow>;
