// The checks before hyparquet reads a Parquet file: harmful headers, run lengths and unpacked sizes.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { unpackerFor } from '../../src/data/parquet-codecs.js';
import { readStruct } from '../../src/data/thrift.js';
import { golden, makeFolder, readAll } from './files.js';

const write = makeFolder();
const bytes = (...parts: (number | readonly number[])[]) => Uint8Array.from(parts.flat());

describe('headers', () => {
  it('are read with their numbers, booleans and structs', () => {
    // 1: i32 -3, 2: true, 4: struct { 1: i64 300 }, 5: text, 6: list of i32, 7: false, 30: double
    const header = bytes(
      0x15,
      0x05,
      0x11,
      0x2c,
      [0x16, 0xd8, 0x04, 0x00],
      0x18,
      0x02,
      0x61,
      0x62,
      0x19,
      0x25,
      0x02,
      0x04,
      0x12,
    );
    const { fields, end } = readStruct(bytes([...header], 0x07, 0x3c, [0, 0, 0, 0, 0, 0, 0, 0], 0x00, 0xff), 0);
    expect(Object.fromEntries(fields)).toEqual({
      1: -3,
      2: true,
      4: new Map([[1, 300]]),
      5: undefined,
      6: undefined,
      7: false,
      30: undefined,
    });
    expect(end).toBe(header.length + 11);
  });

  it.each([
    ['cut off', bytes(0x15), 'ends early'],
    ['without an end', bytes(0x11), 'ends early'],
    [
      'with a list of two thousand million',
      bytes(0x19, 0xf5, [0xff, 0xff, 0xff, 0xff, 0x07], 0),
      'a list longer than the file',
    ],
    [
      'with a text of two thousand million',
      bytes(0x18, [0xff, 0xff, 0xff, 0xff, 0x07], 0),
      'more bytes than there are',
    ],
    ['with an endless number', bytes(0x16, Array(1000).fill(0x80), 0), 'a number that is too long'],
    ['with a number beyond 32 bits', bytes(0x15, [0xff, 0xff, 0xff, 0xff, 0x7f], 0), 'a number that is too long'],
    ['nested without end', bytes(Array(1000).fill(0x1c)), 'nested too deeply'],
    ['of lists without end', bytes(0x19, Array(1000).fill(0x19)), 'nested too deeply'],
    ['with an unknown kind', bytes(0x1d, 0), 'unknown kind of value (13)'],
  ])('are refused %s', (_, header, message) => {
    expect(() => readStruct(header, 0)).toThrow(message);
  });
});

describe('unpacking', () => {
  it('never gives more or less than the declared length', () => {
    const text = Buffer.from('abcabcabc');
    for (const [codec, packed] of [
      ['UNCOMPRESSED', text],
      ['GZIP', gzipSync(text)],
      ['BROTLI', brotliCompressSync(text)],
      ['SNAPPY', bytes(9, 8 << 2, [...text])],
      ['LZ4_RAW', bytes(9 << 4, [...text])],
      ['ZSTD', bytes([0x28, 0xb5, 0x2f, 0xfd, 0x20, 9], [(9 << 3) | 1, 0, 0], [...text])],
    ] as const) {
      expect(Buffer.from(unpackerFor(codec)(packed, 9)), codec).toEqual(text);
      for (const length of [1, 8, 10, 1000]) {
        if (codec !== 'LZ4_RAW') expect(() => unpackerFor(codec)(packed, length), codec).toThrow();
      }
    }
    expect(() => unpackerFor('LZO')).toThrow(
      'compressed with LZO, which is not supported; expected one of UNCOMPRESSED, SNAPPY',
    );
    expect(() => unpackerFor('constructor')).toThrow('not supported');
  });
});

describe('time', () => {
  it('is limited: 24 bytes of Zstandard with 98,000 copies of 65,539 bytes, which fit nowhere', () => {
    const block = [0x00, 0xff, 0xff, 0xff, 0x54, 0, 0, 52, 1, 1, 1, 1];
    const packed = bytes([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 1, 0], [(block.length << 3) | 5, 0, 0], block);
    expect(() => unpackerFor('ZSTD')(packed, 1 << 16)).toThrow('timed out');
  });
});

describe('pages', () => {
  const whole = readFileSync(join(golden, 'parquet', 'plain.parquet'));

  /** Puts bytes over the definition levels of the text column: four bytes of length, a run of 60, the level 1. */
  function overLevels(...levels: number[]): string {
    const copy = Buffer.from(whole);
    const at = copy.indexOf(Buffer.from([2, 0, 0, 0, 60 << 1, 1]), copy.indexOf('row 0: ') - 20);
    expect(at).toBeGreaterThan(0);
    copy.set(levels, at);
    return write('levels.parquet', copy);
  }

  it.each([
    ['a run of a thousand million values', [6, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0x0f, 1]],
    ['a packed run of as many', [6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1]],
    ['a run that is one too long', [2, 0, 0, 0, 61 << 1, 1]],
  ])('are refused for %s', async (_, levels) => {
    const path = overLevels(...levels);
    await expect(readAll(path)).rejects.toThrow('a run of values goes past the 60 of its page');
    await expect(readAll(path)).rejects.toBeInstanceOf(FileError);
  });

  it('are refused for levels longer than themselves', async () => {
    await expect(readAll(overLevels(0xff, 0xff, 0xff, 0x7f))).rejects.toThrow('a page claims more bytes than it has');
  });
});
