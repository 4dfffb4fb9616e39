// Checks the pages of one column before hyparquet decodes them: it trusts their counts and run lengths, so a damaged one
// would make it fill the memory or never end. https://parquet.apache.org/docs/file-format/data-pages/

import { crc32 } from 'node:zlib';
import { readStruct, type ThriftStruct } from './thrift.js';

export interface ChunkCheck {
  readonly rows: number;
  /** Whether rows may be null, so that pages begin with definition levels. */
  readonly optional: boolean;
  readonly isTruth: boolean;
  /** Unpacks to a given length; called once per compressed page, in order. */
  readonly unpack: (packed: Uint8Array, length: number) => Uint8Array;
}

type PageCheck = ChunkCheck & { readonly hasDictionary: boolean };

/** In bytes, unpacked: row groups are held whole, so larger ones would not be streamed. */
export const largestColumn = 1 << 29;

const pageKinds = { data: 0, dictionary: 2, dataV2: 3 } as const;
const encodings = {
  plain: 0,
  plainDictionary: 2,
  runs: 3,
  delta: 5,
  deltaLength: 6,
  dictionary: 8,
  byteStreamSplit: 9,
} as const;

/** Throws if the pages of a column chunk do not hold exactly the rows they should, or would unpack to too much. */
export function checkPages(bytes: Uint8Array, check: ChunkCheck): void {
  let unpackedLength = 0;
  let rows = 0;
  const state = { ...check, hasDictionary: false };
  for (let at = 0; rows < check.rows; ) {
    const { fields, end } = readStruct(bytes, at);
    const length = count(fields, 3, bytes.length - end, 'packed length');
    const packed = bytes.subarray(end, end + length);
    at = end + length;
    const sum = fields.get(4);
    if (typeof sum === 'number' && sum >>> 0 !== crc32(packed))
      throw new Error('the checksum of a page does not match');
    unpackedLength += count(fields, 2, largestColumn, 'length');
    if (unpackedLength > largestColumn) throw new Error(`a row group's column is larger than ${largestColumn} bytes`);
    rows += checkPage(fields, packed, state);
    state.hasDictionary ||= fields.get(1) === pageKinds.dictionary;
    if (rows > check.rows) throw new Error(`expected ${check.rows} rows in a row group, got ${rows} or more`);
  }
}

/** Checks one page and returns its number of rows. */
function checkPage(fields: ThriftStruct, packed: Uint8Array, check: PageCheck): number {
  const length = count(fields, 2, largestColumn, 'length');
  switch (fields.get(1)) {
    case pageKinds.dictionary:
      count(header(fields, 7), 1, length / 4, 'dictionary size');
      check.unpack(packed, length);
      return 0;
    case pageKinds.data: {
      const head = header(fields, 5);
      const rows = count(head, 1, check.rows, 'row count');
      const page = check.unpack(packed, length);
      const start = check.optional ? checkPrefixedRuns(page, 0, rows) : 0;
      checkValues(page.subarray(start), head.get(2), rows, check);
      return rows;
    }
    case pageKinds.dataV2: {
      const head = header(fields, 8);
      const rows = count(head, 1, check.rows, 'row count');
      count(head, 2, rows, 'number of nulls');
      const levels = count(head, 5, Math.min(length, packed.length), 'length of levels');
      count(head, 6, 0, 'length of repetition levels');
      if (head.get(3) !== rows) throw new Error('expected one value per row');
      if (check.optional) checkRuns(packed, 0, 1, rows);
      const rest = packed.subarray(levels);
      checkValues(head.get(7) === false ? rest : check.unpack(rest, length - levels), head.get(4), rows, check);
      return rows;
    }
    default:
      throw new Error(`a page is of an unknown kind (${fields.get(1)})`);
  }
}

function checkValues(page: Uint8Array, encoding: unknown, most: number, { isTruth, hasDictionary }: PageCheck) {
  if (encoding === encodings.plain || encoding === encodings.byteStreamSplit) return;
  const isDictionary = encoding === encodings.dictionary || encoding === encodings.plainDictionary;
  if (isDictionary && !hasDictionary) throw new Error('a page refers to a dictionary that is not there');
  if (isDictionary && !isTruth) checkRuns(page, 1, page[0] ?? 0, most);
  else if (encoding === encodings.runs && isTruth) checkPrefixedRuns(page, 0, most);
  else if (encoding === encodings.delta || encoding === encodings.deltaLength) checkDelta(page);
  else throw new Error(`the encoding ${encoding} of a page is not supported; write it in plain or dictionary encoding`);
}

/** Checks runs that follow their own length in four bytes; returns the position after them. */
function checkPrefixedRuns(page: Uint8Array, at: number, most: number): number {
  if (page.length < at + 4) throw new Error('a page ends early');
  const length = new DataView(page.buffer, page.byteOffset + at, 4).getUint32(0, true);
  if (length > page.length - at - 4) throw new Error('a page claims more bytes than it has');
  checkRuns(page, at + 4, 1, most);
  return at + 4 + length;
}

/** Checks run lengths and bit-packed groups of eight: at most `most` values in all; the last group may be partly filled. */
function checkRuns(page: Uint8Array, start: number, width: number, most: number): void {
  if (width > 32) throw new Error(`expected dictionary indices of at most 32 bits, got ${width}`);
  let values = 0;
  for (let at = start; values < most && at < page.length; ) {
    const head = varint(page, at);
    const half = Math.floor(head.value / 2);
    const packed = head.value % 2 === 1;
    values += packed ? 8 * half : half;
    if (values > most + (packed ? 7 : 0)) throw new Error(`a run of values goes past the ${most} of its page`);
    at = head.end + (packed ? half * width : Math.ceil(width / 8));
  }
}

/** Checks the header of a delta-encoded page: values per block, miniblocks per block. */
function checkDelta(page: Uint8Array): void {
  const block = varint(page, 0);
  const mini = varint(page, block.end);
  const each = block.value / mini.value;
  if (block.value > 2 ** 20 || block.value % 128 !== 0 || !(each >= 32) || each % 32 !== 0) {
    throw new Error(`expected delta blocks of whole miniblocks, got ${block.value} values in ${mini.value} miniblocks`);
  }
}

function varint(page: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = page[at + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80 && value < 2 ** 32) return { value, end: at + index + 1 };
  }
  throw new Error('a page ends inside a number');
}

function header(fields: ThriftStruct, field: number): ThriftStruct {
  const found = fields.get(field);
  if (found instanceof Map) return found;
  throw new Error('a page has no header of its kind');
}

function count(fields: ThriftStruct, field: number, most: number, what: string): number {
  const value = fields.get(field);
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw new Error(`expected a ${what} of at most ${Math.floor(most)} in a page, got ${value}`);
}
