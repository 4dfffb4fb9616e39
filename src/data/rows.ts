// Rows of one file, whatever its format: streamed, with every problem named by file and line.

import { basename } from 'node:path';
import { ArgumentError, check, FileError } from '../checks/index.js';
import { checkColumnOptions } from './columns.js';
import { readJsonl } from './jsonl.js';
import { withFlag } from './option-names.js';
import { readParquet } from './parquet-rows.js';
import { type DataFormat, dataFormats, type RawReader, type ReadOptions } from './record.js';
import { readCsv, readTsv } from './table.js';
import { readTextFile } from './text-file.js';

export interface Row {
  readonly text: string;
  readonly label?: string;
  readonly group?: string;
  /** Counted from 1, where the row begins; in Parquet the number of the row. */
  readonly line: number;
}

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

/** The format that a file's name tells, and the name without the ending that tells it. */
export function formatOf(path: string): { readonly stem: string; readonly format: DataFormat | undefined } {
  const name = basename(path);
  const [, stem = name, ending = ''] = /^(.*?)(?:\.([^.]*))?(?:\.gz)?$/is.exec(name) ?? [];
  const format = dataFormats.find((key) => formats[key].endings.includes(ending.toLowerCase()));
  return { stem: format === undefined ? name : stem, format };
}

/** What a place in the file is called. */
export function placeIn(path: string, options: ReadOptions): Format['place'] {
  const format = options.format ?? formatOf(path).format;
  return format !== undefined && Object.hasOwn(formats, format) ? formats[format].place : 'line';
}

/** Yields the rows of a file in order; returns how many were dropped for want of text. */
export async function* readRows(path: string, options: ReadOptions = {}): AsyncGenerator<Row, number> {
  const format = options.format ?? formatOf(path).format;
  checkOptions(path, format, options);
  const { read, place } = formats[format];
  let skipped = 0;
  for await (const { line, text, label, group } of read(path, options)) {
    if (text === null || text.trim() === '') {
      if (!options.skipEmpty) {
        throw new FileError(
          `${path}: ${place} ${line}: the text is empty; remove the row or set ${withFlag('skipEmpty')}`,
        );
      }
      skipped += 1;
      continue;
    }
    if (label === null)
      throw new FileError(`${path}: ${place} ${line}: the label is missing; give it one or remove the row`);
    if (group === null)
      throw new FileError(`${path}: ${place} ${line}: the group is missing; give it one or remove the row`);
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
      `${path}: expected a name ending in .${endings.join(', .')} (or these with .gz); set ${withFlag('format')} to one of ${dataFormats.join(', ')}`,
    );
  }
  check({ format }, `one of ${dataFormats.join(', ')}`, (value) => dataFormats.includes(value));
  const { textBy = 'lines' } = options;
  check({ textBy }, 'paragraphs or lines', (value) => ['paragraphs', 'lines'].includes(value));
  checkColumnOptions(options);
  if (
    format === 'text' &&
    [options.textColumn, options.labelColumn, options.groupColumn].some((choice) => choice !== undefined)
  ) {
    throw new ArgumentError(`invalid columns: ${path} is plain text, which has none`);
  }
}
