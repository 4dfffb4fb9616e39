// Files that are not UTF-8, or not separated by commas: recognised, or refused with the option that helps.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadDataSet } from '../../src/data/index.js';
import { makeFolder, readAll } from './files.js';

const write = makeFolder();
const texts = async (...args: Parameters<typeof readAll>) => (await readAll(...args)).map(({ text }) => text);

/** UTF-16 with its bytes swapped. */
const bigEndian = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('Windows-1252', () => {
  const lines = [
    'text,label',
    ...Array.from({ length: 11 }, () => 'plain,1'),
    '"caf\xe9, d\xe9j\xe0 \x93vu\x94",0',
    'end,1',
  ];
  const bytes = Buffer.from(lines.join('\n'), 'latin1');

  it('is recognised by a line that is not UTF-8', async () => {
    const path = write('west.csv', bytes);
    await expect(readAll(path)).rejects.toThrow(
      `${path}: line 13 is not UTF-8; it reads as Windows-1252: add encoding: 'windows-1252', or save the file as UTF-8`,
    );
    const neither = write('neither.csv', Buffer.concat([Buffer.from('text\n'), Buffer.from([0x61, 0x81])]));
    await expect(readAll(neither)).rejects.toThrow('line 2: expected UTF-8, got other bytes; save the file as UTF-8');
  });

  it.each(['windows-1252', 'latin1'] as const)('is read as %s, gzipped or not', async (encoding) => {
    const expected = 'café, déjà \u201cvu\u201d';
    expect((await texts(write('west.csv', bytes), { encoding }))[11]).toBe(expected);
    expect((await texts(write('west.csv.gz', gzipSync(bytes)), { encoding }))[11]).toBe(expected);
  });

  it('is read in the texts of folders and in JSON lines', async () => {
    const file = write('imdb/train/pos/0.txt', Buffer.from('caf\xe9', 'latin1'));
    write('imdb/train/neg/0.txt', 'no');
    const folder = file.slice(0, file.indexOf('/train'));
    const { splits } = await loadDataSet(folder, { encoding: 'windows-1252' });
    expect(splits.train?.map(({ text }) => text)).toEqual(['no', 'café']);
    const jsonl = write('west.jsonl', Buffer.from('{"text":"caf\xe9"}', 'latin1'));
    expect(await texts(jsonl, { encoding: 'windows-1252' })).toEqual(['café']);
  });
});

describe('UTF-16', () => {
  const content = `text,label\r\n${'é€😀,1\r\n'.repeat(20_000)}last,0`;

  it('is recognised by its byte-order mark, in either order, across pieces of the file', async () => {
    for (const bytes of [Buffer.from(`\ufeff${content}`, 'utf16le'), bigEndian(`\ufeff${content}`)]) {
      const rows = await readAll(write('wide.csv', bytes));
      expect(rows).toHaveLength(20_001);
      expect(new Set(rows.slice(0, -1).map(({ text }) => text))).toEqual(new Set(['é€😀']));
      expect(rows.at(-1)).toEqual({ text: 'last', label: '0', line: 20_002 });
    }
  });

  it('is recognised without the mark too, and then asks for the encoding', async () => {
    const little = write('bare.csv', Buffer.from(content, 'utf16le'));
    await expect(readAll(little)).rejects.toThrow("without a byte-order mark: add encoding: 'utf-16le', or");
    expect(await readAll(little, { encoding: 'utf-16le' })).toHaveLength(20_001);
    const big = write('big.csv', bigEndian(content));
    await expect(readAll(big)).rejects.toThrow("add encoding: 'utf-16be'");
    expect(await readAll(big, { encoding: 'utf-16be' })).toHaveLength(20_001);
  });

  it('with half a character is an error', async () => {
    const half = write('half.csv', Buffer.from('\ufefftext\na\ud83d', 'utf16le'));
    await expect(readAll(half)).rejects.toThrow('half.csv: expected UTF-16LE, got other bytes; save the file as UTF-8');
  });
});

describe('a file that is no text', () => {
  it('is refused as what it is', async () => {
    const sheet = write('sheet.csv', Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0));
    await expect(readAll(sheet)).rejects.toThrow(
      'sheet.csv: expected text, got a zip archive or a spreadsheet; save the table as CSV',
    );
    const zeros = write('zeros.csv', Buffer.concat([Buffer.from('text\n'), new Uint8Array(100), Uint8Array.of(0xff)]));
    await expect(readAll(zeros)).rejects.toThrow('line 2: expected UTF-8');
  });
});

describe('an encoding', () => {
  it('must be one that can be read, of a file that has text', async () => {
    const path = write('plain.csv', 'text\na');
    await expect(readAll(path, { encoding: 'koi8-r' as never })).rejects.toThrow(
      'invalid encoding: expected one of utf-8, utf-16le, utf-16be, windows-1252, latin1, got koi8-r',
    );
    await expect(readAll(write('a.parquet', ''), { encoding: 'utf-8' })).rejects.toThrow('which is always UTF-8');
  });
});

describe('the delimiter of a CSV file', () => {
  it.each([
    ['semicolons', 'id;text;label\n1;a, b;x\n2;"c;d";y\n', {}],
    ['semicolons and quotes', '"id";"text";"label"\n1;"a, b";x\n2;"c;d";"y"\n', {}],
    ['tabs', 'id\ttext\tlabel\r\n1\ta, b\tx\r\n2\t"c;d"\ty\r\n', {}],
    ['bars', 'id|text|label\n1|a, b|x\n2|"c;d"|y\n', {}],
    ['a chosen name', 'id;kommentar;klasse\n1;a, b;x\n2;"c;d";y\n', { textColumn: 'kommentar', labelColumn: 'klasse' }],
    ['a comma in the header', 'id;"text";label;a,b\n1;a, b;x;0\n2;"c;d";y;0\n', {}],
    ['chosen places', '1;a, b;x\n2;"c;d";y\n', { textColumn: 1, labelColumn: 2, header: false }],
  ])('is recognised: %s', async (_, content, options) => {
    const rows = await readAll(write('guess.csv', content), options);
    expect(rows.map(({ text, label }) => [text, label])).toEqual([
      ['a, b', 'x'],
      ['c;d', 'y'],
    ]);
  });

  it('is a comma wherever the header fits one', async () => {
    expect(await texts(write('one.csv', 'text\na;b\n'))).toEqual(['a;b']);
    expect(await texts(write('two.csv', 'text;x,text\na;b,c\n'))).toEqual(['c']);
    expect(await texts(write('data.csv', 'a; b\nc\n'), { textColumn: 0, header: false })).toEqual(['a; b', 'c']);
  });

  it('may be given, as a character or tab', async () => {
    const rows = await readAll(write('given.csv', 'x^text\n1^a;b\n'), { delimiter: '^' });
    expect(rows).toEqual([{ text: 'a;b', line: 2 }]);
    for (const delimiter of ['tab', '\t', '\\t'])
      expect(await texts(write('tabs.csv', 'x\ttext\n1\ta,b\n'), { delimiter })).toEqual(['a,b']);
    expect(await texts(write('bars.tsv', 'x|text\n1|"a\n'), { delimiter: '|' })).toEqual(['"a']);
    for (const delimiter of ['', '"', '\n', ';;'])
      await expect(readAll(write('bad.csv', 'text\na'), { delimiter })).rejects.toThrow('invalid delimiter');
    await expect(readAll(write('a.jsonl', '{}'), { delimiter: ';' })).rejects.toThrow('is jsonl, which has none');
  });

  it('splits the columns that an error lists', async () => {
    const path = write('unusual.csv', 'id;kommentar;klasse\n1;a;x\n');
    await expect(readAll(path)).rejects.toThrow(
      `${path}: expected a column of texts, got the columns "id","kommentar","klasse"; set textColumn to one of them`,
    );
    const ragged = write('ragged.csv', 'text;label\na;b;1\n');
    await expect(readAll(ragged)).rejects.toThrow(
      'line 2: expected 2 columns, got 3; write texts that hold a delimiter in double quotes',
    );
    const quote = write('quote.csv', 'text;label\n"a"b;1\n');
    await expect(readAll(quote)).rejects.toThrow('line 2: expected a semicolon after a closing quote, got "b"');
  });
});
