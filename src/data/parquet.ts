// The doorway to hyparquet, which decodes Parquet files. Whatever it would trust is checked first: the footer (thrift.ts)
// and the pages of each column (parquet-pages.ts).

import type { FileHandle } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadata, parquetScan, parquetSchema } from 'hyparquet';
import { longestLine } from './lines.js';
import { unpackerFor } from './parquet-codecs.js';
import { checkPages, largestColumn } from './parquet-pages.js';
import { readStruct } from './thrift.js';

const mostRows = 1 << 24;
const readable = ['BOOLEAN', 'INT32', 'INT64', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY'];
/** Logical types that need no conversion; the others (dates, decimals and the like) are refused. */
const plainMeaning = /^(UTF8|STRING|ENUM|INTEGER|U?INT_\d+)$/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface ParquetFile {
  readonly names: readonly string[];
  /** The number of row groups. */
  readonly groups: number;
  /** The values of a column in one row group, one per row: text, numbers, booleans or null. */
  readColumn(column: number, group: number): Promise<ArrayLike<unknown>>;
}

/** Reads and checks the footer. A file ends in the footer's length (four bytes) and the mark PAR1. */
export async function openParquet(file: FileHandle): Promise<ParquetFile> {
  const { size } = await file.stat();
  const tail = await readBytes(file, Math.max(0, size - 8), Math.min(8, size));
  if (size < 12 || tail.subarray(4).toString('latin1') !== 'PAR1') throw new Error('it does not end in PAR1');
  const length = tail.readUInt32LE(0);
  if (length > Math.min(longestLine, size - 12)) throw new Error(`its footer cannot be ${length} bytes long`);
  const footer = await readBytes(file, size - 8 - length, length + 8);
  readStruct(footer, 0);
  const metadata = parquetMetadata(footer, { geoparquet: false });
  checkRowCounts(metadata);
  return {
    names: parquetSchema(metadata).children.map(({ element }) => element.name),
    groups: metadata.row_groups.length,
    readColumn: (column, group) => readColumn(file, metadata, column, group),
  };
}

function checkRowCounts(metadata: FileMetaData): void {
  const rows = metadata.row_groups.map((group) => Number(group.num_rows));
  const wrong = rows.find((count) => !(count >= 0 && count <= mostRows));
  if (wrong !== undefined) throw new Error(`expected at most ${mostRows} rows in a row group, got ${wrong}`);
  const sum = rows.reduce((total, count) => total + count, 0);
  if (sum !== Number(metadata.num_rows))
    throw new Error(`expected ${metadata.num_rows} rows in its groups, got ${sum}`);
}

async function readColumn(file: FileHandle, metadata: FileMetaData, column: number, group: number) {
  const { name, type, optional } = describeColumn(metadata, column);
  const rowGroup = metadata.row_groups[group] as FileMetaData['row_groups'][number];
  const rows = Number(rowGroup.num_rows);
  const chunks = rowGroup.columns.filter(({ meta_data: found }) => found?.path_in_schema[0] === name);
  const meta = chunks[0]?.meta_data;
  if (chunks.length !== 1 || meta?.type !== type) throw new Error(`expected column ${name} once in every row group`);
  const start = Number(meta.dictionary_page_offset || meta.data_page_offset);
  const bytes = await readBytes(file, start, Number(meta.total_compressed_size));
  const unpack = unpackerFor(meta.codec);
  const pages: Uint8Array[] = [];
  checkPages(bytes, {
    rows,
    optional,
    isTruth: type === 'BOOLEAN',
    unpack: (packed, length) => pages[pages.push(unpack(packed, length)) - 1] as Uint8Array,
  });
  if (rows === 0) return [];
  const scan = await parquetScan({
    file: window(bytes, start),
    metadata: { ...metadata, row_groups: [rowGroup], num_rows: rowGroup.num_rows },
    columns: [name],
    useOffsetIndex: false,
    geoparquet: false,
    parsers: { stringFromBytes },
    compressors: { [meta.codec]: () => pages.shift() as Uint8Array }, // in the order of the check
  });
  const values = await scan.readColumn({ column: name, rowStart: 0, rowEnd: rows });
  if (values.length !== rows) throw new Error(`expected ${rows} rows in column ${name}, got ${values.length}`);
  return values;
}

function describeColumn(metadata: FileMetaData, column: number) {
  const { element, children = [] } = parquetSchema(metadata).children[column] ?? {};
  const { name = '', type = 'a nested column', repetition_type: repetition } = element ?? {};
  const meanings = [element?.converted_type, element?.logical_type?.type].filter((meaning) => meaning !== undefined);
  const isFlat = children.length === 0 && repetition !== 'REPEATED' && readable.includes(type);
  if (!isFlat || !meanings.every((meaning) => plainMeaning.test(meaning))) {
    const got = isFlat ? meanings.join(', ') : type;
    throw new Error(`expected text, numbers or booleans in column ${name}, got ${got}`);
  }
  return { name, type, optional: repetition !== 'REQUIRED' };
}

function stringFromBytes(bytes: Uint8Array): string {
  if (bytes.length > longestLine) throw new Error(`a text of ${bytes.length} bytes, more than ${longestLine}`);
  return decoder.decode(bytes);
}

/** The file as hyparquet sees it: only these bytes, which passed the check. */
const window = (bytes: Buffer, offset: number): AsyncBuffer => ({
  byteLength: offset + bytes.length,
  slice(start, end = offset + bytes.length) {
    if (start < offset || end > offset + bytes.length) throw new Error('a column extends beyond its bytes');
    return new Uint8Array(bytes.subarray(start - offset, end - offset)).buffer;
  },
});

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (!(start >= 0 && length >= 0 && start + length <= size)) throw new Error('it refers to bytes outside the file');
  if (length > largestColumn) throw new Error(`a row group's column is larger than ${largestColumn} bytes`);
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) throw new Error('it became shorter while it was read');
    done += bytesRead;
  }
  return bytes;
}
