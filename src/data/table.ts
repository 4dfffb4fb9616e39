// CSV and TSV tables: from cells to rows.

import { FileError } from '../checks/index.js';
import { areNumbered, type Columns, findNamed, findNumbered, looksLikeHeader } from './columns.js';
import { readCsvRecords } from './csv.js';
import { guessDelimiter, readDelimiter } from './delimiters.js';
import { readLineBatches } from './lines.js';
import {
  mostColumns,
  type OnColumns,
  type RawReader,
  type RawRow,
  type ReadOptions,
  type TableRecord,
} from './record.js';

/** TSV as in GLUE: a tab always separates, and a quote is an ordinary character. */
async function* readTsvRecords(path: string, { delimiter, encoding }: ReadOptions): AsyncGenerator<TableRecord> {
  const separator = readDelimiter(delimiter) ?? '\t';
  for await (const { first, text } of readLineBatches(path, encoding)) {
    for (const [index, line] of text.split('\n').entries()) {
      yield { line: first + index, cells: line.replace(/\r$/, '').split(separator, mostColumns + 1) };
    }
  }
}

/** What differs between kinds of tables. */
interface TableKind {
  readonly records: AsyncIterable<TableRecord>;
  readonly isHeader: (cells: readonly string[], options: ReadOptions) => boolean;
  /** What to do about a row with more columns than the first. */
  readonly remedy: string;
}

/** TSV files have a header if the first row holds a usual column name. */
export const readTsv: RawReader = (path, options, onColumns) => {
  const remedy = 'replace tabs inside texts by spaces';
  return readTable(
    path,
    options,
    { records: readTsvRecords(path, options), isHeader: looksLikeHeader, remedy },
    onColumns,
  );
};

/** CSV files have a header unless columns are chosen by number and the first row holds no usual name. */
export const readCsv: RawReader = (path, options, onColumns) => {
  const delimiterOf = (line: string) => readDelimiter(options.delimiter) ?? guessDelimiter(line, options);
  const kind: TableKind = {
    records: readCsvRecords(path, delimiterOf, options.encoding),
    isHeader: (cells) => !areNumbered(options) || looksLikeHeader(cells, options),
    remedy: 'write texts that hold a delimiter in double quotes',
  };
  return readTable(path, options, kind, onColumns);
};

async function* readTable(
  path: string,
  options: ReadOptions,
  { records, isHeader, remedy }: TableKind,
  onColumns: OnColumns | undefined,
): AsyncGenerator<RawRow> {
  let columns: Columns | undefined;
  let count = 0;
  for await (const { line, cells } of records) {
    if (count !== 1 && cells.length === 1 && cells[0] === '') continue;
    if (cells.length > mostColumns) {
      throw new FileError(`${path}: line ${line}: expected at most ${mostColumns} columns, got more`);
    }
    if (columns === undefined) {
      count = cells.length;
      const named = options.header ?? isHeader(cells, options);
      columns = named ? findNamed(path, cells, options) : findNumbered(path, cells, options);
      if (named) onColumns?.(cells);
      if (named) continue;
    }
    if (cells.length !== count) {
      const advice = cells.length > count ? `; ${remedy}` : '';
      throw new FileError(`${path}: line ${line}: expected ${count} columns, got ${cells.length}${advice}`);
    }
    const { text, label, group } = columns;
    const short = (index: number | undefined) =>
      index === undefined ? undefined : (cells[index] as string).trim() || null;
    yield { line, text: cells[text] as string, label: short(label), group: short(group) };
  }
}
