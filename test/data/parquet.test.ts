// Parquet files written by pyarrow, in every compression and encoding that is supported.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { golden, makeFolder, readAll } from './files.js';

const write = makeFolder();
const other = (name: string) => join(golden, 'parquet-other', `${name}.parquet`);

describe('Parquet', () => {
  const rows: [string, string, string][] = JSON.parse(readFileSync(join(golden, 'parquet.json'), 'utf8'));
  const expected = rows.map(([text, label, group], index) => ({ text, label, group, line: index + 1 }));

  it.each(readdirSync(join(golden, 'parquet')))('restores the rows that pyarrow wrote: %s', async (name) => {
    expect(await readAll(join(golden, 'parquet', name), { groupColumn: 'user' })).toEqual(expected);
  });

  it.each(['snappy', 'gzip', 'zstd', 'lz4', 'brotli'])('unpacks a page of 400,000 bytes: %s', async (codec) => {
    const [long, end] = await readAll(other(`long-${codec}`));
    expect(end?.text).toBe('end');
    expect(
      createHash('sha256')
        .update(long?.text ?? '')
        .digest('hex'),
    ).toBe('0f72adeb062bbbf1d2f5bea79bab46e7b5bd76ef531a96fafd13c8bc5ee0f79b');
  });

  it('takes columns by number, and booleans as labels', async () => {
    const path = join(golden, 'parquet', 'snappy.parquet');
    expect((await readAll(path, { textColumn: 3, labelColumn: 0 }))[59]).toEqual({
      text: 'u14',
      label: '59',
      line: 60,
    });
    expect((await readAll(other('booleans'))).map(({ label }) => label)).toEqual(['true', 'false', 'true']);
    expect(await readAll(other('empty'))).toEqual([]);
  });

  it.each([
    ['missing-label', {}, 'row 2: the label is missing'],
    ['missing-text', {}, 'row 2: the text is empty'],
    ['nested', {}, 'expected text, numbers or booleans in column text, got a nested column'],
    ['dates', {}, 'expected text, numbers or booleans in column label, got DATE'],
    ['decimals', {}, 'in column text, got FIXED_LEN_BYTE_ARRAY'],
    ['delta-strings', {}, 'the encoding 7 of a page is not supported; write it in plain or dictionary encoding'],
    ['not-utf8', {}, 'cannot be read'],
    ['booleans', { textColumn: 'label' }, 'row 1: expected text in column label, got true'],
    ['booleans', { textColumn: 'words' }, 'no column "words", got the columns "text","label"'],
  ] as const)('refuses %s', async (name, options, message) => {
    await expect(readAll(other(name), options)).rejects.toThrow(message);
    await expect(readAll(other(name), options)).rejects.toBeInstanceOf(FileError);
  });

  it('drops rows without text if asked', async () => {
    expect((await readAll(other('missing-text'), { skipEmpty: true })).map(({ text }) => text)).toEqual(['a', 'c']);
  });

  it('refuses a file that is not Parquet, or incomplete', async () => {
    const whole = readFileSync(join(golden, 'parquet', 'snappy.parquet'));
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('PAR1'),
      whole.subarray(0, -1),
      whole.subarray(1),
      gzipSync(whole),
    ]) {
      await expect(readAll(write('wrong.parquet', bytes))).rejects.toThrow(FileError);
    }
  });

  it('detects a flipped bit if the file has checksums', async () => {
    const bytes = readFileSync(join(golden, 'parquet', 'checksums.parquet'));
    const at = bytes.indexOf('row 1: na');
    expect(at).toBeGreaterThan(0);
    bytes[at] = (bytes[at] as number) ^ 1;
    await expect(readAll(write('flipped.parquet', bytes))).rejects.toThrow('the checksum of a page does not match');
  });
});
