// CSV and TSV tables: from cells to rows.

import { FileError } from '../checks/index.js';
import { areNumbered, type Columns, findNamed, findNumbered, looksLikeHeader } from './columns.js';
import { readCsvRecords } from './csv.js';
import { readLineBatches } from './lines.js';
import { mostColumns, type RawReader, type RawRow, type ReadOptions, type TableRecord } from './record.js';

/** TSV as in GLUE: a tab always separates, and a quote is an ordinary character. */
async function* readTsvRecords(path: string): AsyncGenerator<TableRecord> {
  for await (const { first, text } of readLineBatches(path)) {
    for (const [index, line] of text.split('\n').entries()) {
      yield { line: first + index, cells: line.replace(/\r$/, '').split('\t', mostColumns + 1) };
    }
  }
}

/** TSV files have a header if the first row holds a usual column name. */
export const readTsv: RawReader = (path, options) => readTable(path, readTsvRecords(path), options, looksLikeHeader);

/** CSV files have a header unless columns are chosen by number and the first row holds no usual name. */
export const readCsv: RawReader = (path, options) =>
  readTable(
    path,
    readCsvRecords(path),
    options,
    (cells, choices) => !areNumbered(choices) || looksLikeHeader(cells, choices),
  );

async function* readTable(
  path: string,
  records: AsyncIterable<TableRecord>,
  options: ReadOptions,
  isHeader: (cells: readonly string[], options: ReadOptions) => boolean,
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
      if (named) continue;
    }
    if (cells.length !== count) {
      throw new FileError(`${path}: line ${line}: expected ${count} columns, got ${cells.length}`);
    }
    const { text, label, group } = columns;
    const short = (index: number | undefined) =>
      index === undefined ? undefined : (cells[index] as string).trim() || null;
    yield { line, text: cells[text] as string, label: short(label), group: short(group) };
  }
}
