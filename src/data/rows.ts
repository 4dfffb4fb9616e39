// Streams the rows of one file in any format, and names every problem by file and line.

import { basename } from 'node:path';
import { ArgumentError, advice, check, FileError, type Message, option, say, setting } from '../checks/index.js';
import { checkColumnOptions } from './columns.js';
import { readDelimiter } from './delimiters.js';
import { checkEncoding } from './encodings.js';
import { readJsonl } from './jsonl.js';
import { readParquet } from './parquet-rows.js';
import { type DataFormat, dataFormats, type RawReader, type ReadOptions } from './record.js';
import { readCsv, readTsv } from './table.js';
import { readTextFile } from './text-file.js';

/** One row of a file, before labels become numbers. */
export interface Row {
  readonly text: string;
  /** The label as written in the file; absent without a label column. */
  readonly label?: string;
  /** The group as written in the file; absent unless `groupColumn` is set. */
  readonly group?: string;
  /** The line where the row begins, counted from 1; in Parquet the number of the row. */
  readonly line: number;
}

const skipping = say` or add ${setting('skipEmpty', true)}`;
/** The other remedy for an empty text, where rows can be skipped. */
export const orSkipEmpty: Message = say`${advice(skipping)}`;

interface Format {
  readonly read: RawReader;
  readonly endings: readonly string[];
  readonly place: 'line' | 'row';
}

const formats: Readonly<Record<DataFormat, Format>> = {
  tsv: { read: readTsv, endings: ['tsv'], place: 'line' },
  csv: { read: readCsv, endings: ['csv'], place: 'line' },
  jsonl: { read: readJsonl, endings: ['jsonl', 'ndjson', 'json'], place: 'line' },
  parquet: { read: readParquet, endings: ['parquet'], place: 'row' },
  text: { read: readTextFile, endings: ['txt'], place: 'line' },
};

/** The format that a file's ending stands for, and the name without that ending. */
export function formatOf(path: string): { readonly stem: string; readonly format: DataFormat | undefined } {
  const name = basename(path);
  const [, stem = name, ending = ''] = /^(.*?)(?:\.([^.]*))?(?:\.gz)?$/is.exec(name) ?? [];
  const format = dataFormats.find((key) => formats[key].endings.includes(ending.toLowerCase()));
  return { stem: format === undefined ? name : stem, format };
}

/** Whether places in the file are counted as lines or rows. */
export function placeIn(path: string, options: ReadOptions): Format['place'] {
  const format = options.format ?? formatOf(path).format;
  return format !== undefined && Object.hasOwn(formats, format) ? formats[format].place : 'line';
}

/**
 * Yields the rows of a file in order and returns how many were dropped because they have no text. Memory does not grow with
 * the file (Parquet: one row group is held). `onColumns` is called once with the names of all columns, if there are any. Throws a FileError with file and line on the first row that cannot be used.
 */
export async function* readRows(
  path: string,
  options: ReadOptions = {},
  onColumns?: (names: readonly string[]) => void,
): AsyncGenerator<Row, number> {
  const format = options.format ?? formatOf(path).format;
  checkOptions(path, format, options);
  const { read, place } = formats[format];
  let skipped = 0;
  for await (const { line, text, label, group } of read(path, options, onColumns)) {
    if (text === null || text.trim() === '') {
      if (!options.skipEmpty) {
        throw new FileError(say`${path}: ${place} ${line}: the text is empty; remove the row${orSkipEmpty}`);
      }
      skipped += 1;
      continue;
    }
    if (label === null)
      throw new FileError(`${path}: ${place} ${line}: the label is missing; add one or remove the row`);
    if (group === null)
      throw new FileError(`${path}: ${place} ${line}: the group is missing; add one or remove the row`);
    yield { text, ...(label !== undefined && { label }), ...(group !== undefined && { group }), line };
  }
  return skipped;
}

function checkOptions(
  path: string,
  format: DataFormat | undefined,
  options: ReadOptions,
): asserts format is DataFormat {
  if (format === undefined) {
    const endings = dataFormats.flatMap((key) => formats[key].endings);
    throw new FileError(
      say`${path}: expected a name ending in .${endings.join(', .')} (or these with .gz); set ${option('format')} to one of ${dataFormats.join(', ')}`,
    );
  }
  check({ format }, `one of ${dataFormats.join(', ')}`, (value) => dataFormats.includes(value));
  const { textBy = 'lines' } = options;
  check({ textBy }, 'paragraphs or lines', (value) => ['paragraphs', 'lines'].includes(value));
  checkColumnOptions(options);
  readDelimiter(options.delimiter);
  checkEncoding(options.encoding);
  if (options.delimiter !== undefined && format !== 'csv' && format !== 'tsv') {
    throw new ArgumentError(say`invalid ${option('delimiter')}: ${path} is ${format}, which has none; leave it out`);
  }
  if (options.encoding !== undefined && format === 'parquet') {
    throw new ArgumentError(
      say`invalid ${option('encoding')}: ${path} is Parquet, which is always UTF-8; leave it out`,
    );
  }
  if (
    format === 'text' &&
    [options.textColumn, options.labelColumn, options.groupColumn].some((choice) => choice !== undefined)
  ) {
    throw new ArgumentError(`invalid columns: ${path} is plain text, which has none`);
  }
}
