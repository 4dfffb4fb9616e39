// Rows of a Parquet file, one row group after the other; only the columns in use are read.

import { FileError } from '../checks/index.js';
import { openFile } from './chunks.js';
import { findNamed } from './columns.js';
import { openParquet, type ParquetFile } from './parquet.js';
import type { RawReader, RawRow, ReadOptions } from './record.js';

export const readParquet: RawReader = async function* (path, options, onColumns) {
  const file = await openFile(path);
  try {
    const opened = await openParquet(file);
    onColumns?.(opened.names);
    yield* readGroups(path, opened, options);
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(`${path}: the Parquet file cannot be read: ${error instanceof Error ? error.message : error}`);
  } finally {
    await file.close();
  }
};

async function* readGroups(path: string, file: ParquetFile, options: ReadOptions): AsyncGenerator<RawRow> {
  const { text, label, group } = findNamed(path, file.names, options);
  let line = 1;
  for (let index = 0; index < file.groups; index += 1) {
    const read = (column: number | undefined) => (column === undefined ? undefined : file.readColumn(column, index));
    const texts = await file.readColumn(text, index);
    const labels = await read(label);
    const groups = await read(group);
    for (let row = 0; row < texts.length; row += 1, line += 1) {
      const value = texts[row];
      if (typeof value !== 'string' && value !== null) {
        throw new Error(`row ${line}: expected text in column ${file.names[text]}, got ${String(value)}`);
      }
      yield { line, text: value, label: shortAt(labels, row, line), group: shortAt(groups, row, line) };
    }
  }
}

function shortAt(values: ArrayLike<unknown> | undefined, row: number, line: number): string | null | undefined {
  if (values === undefined) return undefined;
  const value = values[row];
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null) return null;
  throw new Error(`row ${line}: expected text, a number or a boolean as label or group, got ${String(value)}`);
}
