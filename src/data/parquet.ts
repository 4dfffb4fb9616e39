// The doorway to hyparquet, which decodes Parquet files. Row groups are read one after the other, and of them only the
// columns that are asked for. Everything is checked before it is decoded (parquet-pages.ts).

import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type AsyncBuffer, type FileMetaData, parquetMetadata, parquetScan, parquetSchema, type SchemaTree } from 'hyparquet';
import { compressors, decompressZstd } from 'hyparquet-compressors';
import { FileError } from '../math/index.js';
import { openFile } from './chunks.js';
import { findNamed } from './columns.js';
import { longestLine } from './lines.js';
import { checkPages, largestColumn } from './parquet-pages.js';
import type { RawReader, RawRow, ReadOptions } from './record.js';
import { readStruct } from './thrift.js';

const mostRows = 1 << 24;

export const readParquet: RawReader = async function* (path, options) {
  const file = await openFile(path);
  try {
    yield* readGroups(path, file, options);
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(`${path}: damaged Parquet file: ${error instanceof Error ? error.message : error}`);
  } finally {
    await file.close();
  }
};

async function* readGroups(path: string, file: FileHandle, options: ReadOptions): AsyncGenerator<RawRow> {
  const metadata = await readMetadata(path, file);
  const columns = parquetSchema(metadata).children;
  const found = findNamed(
    path,
    columns.map(({ element }) => element.name),
    options,
  );
  const columnAt = (index: number | undefined) => (index === undefined ? undefined : checkColumn(path, columns, index));
  const readers = await Promise.all(
    [found.text, found.label, found.group].map(async (index) => {
      const column = columnAt(index);
      return column && columnReader(file, metadata, column);
    }),
  );
  let start = 0;
  for (const [index, group] of metadata.row_groups.entries()) {
    const rows = Number(group.num_rows);
    if (!(rows >= 0 && rows <= mostRows)) {
      throw new FileError(`${path}: expected row groups of at most ${mostRows} rows, got ${rows}; write smaller ones`);
    }
    const [texts, labels, groups] = [];
    for (let row = 0; row < rows; row += 1) {
    }
    start += rows;
  }
}
