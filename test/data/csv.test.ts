// CSV against Python's csv module, a minimal writer, and RFC 4180.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { readCsvRecords } from '../../src/data/csv.js';
import { golden, makeFolder, readAll } from './files.js';

const write = makeFolder();

async function records(path: string) {
  const all = [];
  for await (const record of readCsvRecords(path, () => ',')) all.push(record);
  return all;
}
const cellsOf = async (content: string) => (await records(write('cells.csv', content))).map(({ cells }) => cells);

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const written = (rows: readonly (readonly string[])[], end: string) =>
  rows
    .map((row) => row.map((cell) => (/[",\r\n]/.test(cell) || cell === '' ? quoted(cell) : cell)).join(',') + end)
    .join('');

describe('CSV', () => {
  it.each(['crlf', 'lf', 'all-quoted'])('reads what Python wrote: %s', async (name) => {
    const expected = JSON.parse(readFileSync(`${golden}/csv.json`, 'utf8'));
    expect((await records(`${golden}/${name}.csv`)).map(({ cells }) => cells)).toEqual(expected);
  });

  it('restores any cells', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ') }),
    );
    const rows = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width })));
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom('\n', '\r\n'), async (cells, end) => {
        const wellFormed = cells.map((row) => row.map((text) => text.replace(/\p{Surrogate}|^\ufeff/gu, '')));
        expect(await cellsOf(written(wellFormed, end))).toEqual(wellFormed);
        expect(await cellsOf(written(wellFormed, end).slice(0, -end.length))).toEqual(wellFormed);
      }),
      { numRuns: 500 },
    );
  });

  it('restores cells longer than the chunks a file is read in, with the right line numbers', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => [
      `${index}`,
      'a "b",\r\nç\n'.repeat((index * 97) % 1500),
      'end',
    ]);
    const found = await records(write('large.csv', written(rows, '\r\n')));
    expect(found.map(({ cells }) => cells)).toEqual(rows);
    let line = 1;
    for (const [index, record] of found.entries()) {
      expect(record.line).toBe(line);
      line += `${rows[index]}`.split('\n').length;
    }
  });

  it('keeps spaces, and quotes inside unquoted fields, as Python does', async () => {
    expect(await cellsOf('a"b, "c" ,d""\n')).toEqual([['a"b', ' "c" ', 'd""']]);
    expect(await cellsOf('a,\n,b\n""\n')).toEqual([['a', ''], ['', 'b'], ['']]);
    expect(await cellsOf('a\rb,c\r\n')).toEqual([['a\rb', 'c']]);
  });

  it.each([
    ['"a"b,c\n', 'line 1: expected a comma after a closing quote, got "b"; double the quotes inside'],
    ['x\n"a\nb"\r,c', 'line 3: expected a comma after a closing quote, got "\\r"'],
    ['x\ny\n"a\nb\n', 'line 3: a quote is opened and never closed'],
    ['"', 'line 1: a quote is opened and never closed'],
    [','.repeat(20_000), 'line 1: expected at most 10000 columns'],
  ])('refuses %j', async (content, message) => {
    const path = write('wrong.csv', content);
    await expect(records(path)).rejects.toThrow(`${path}: ${message}`);
    await expect(records(path)).rejects.toBeInstanceOf(FileError);
  });

  it('has a header unless columns are chosen by number', async () => {
    const path = write('told.csv', 'hello,1\n"good, bye",0\n');
    await expect(readAll(path)).rejects.toThrow('expected a column of texts, got the columns "hello","1"');
    expect(await readAll(path, { textColumn: 0, labelColumn: 1 })).toEqual([
      { text: 'hello', label: '1', line: 1 },
      { text: 'good, bye', label: '0', line: 2 },
    ]);
    const named = write('named.csv', 'label,text\r\n1,hello\r\n');
    expect(await readAll(named, { textColumn: 1 })).toEqual([{ text: 'hello', label: '1', line: 2 }]);
    expect(await readAll(named)).toEqual([{ text: 'hello', label: '1', line: 2 }]);
  });
});
