// Rows of TSV, JSONL and text files: valid rows are read, problems are reported with their line.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { type ReadOptions, readRows } from '../../src/data/index.js';
import { golden, makeFolder, readAll } from './files.js';

const write = makeFolder();
const texts = async (path: string, options?: ReadOptions) => (await readAll(path, options)).map(({ text }) => text);

describe('TSV', () => {
  it('as in CoLA: four columns without a header, and quotes are characters', async () => {
    const path = write('cola.tsv', 'gj04\t1\t\tOne "word.\ngj04\t0\t*\tTwo" words.\n');
    expect(await readAll(path)).toEqual([
      { text: 'One "word.', label: '1', line: 1 },
      { text: 'Two" words.', label: '0', line: 2 },
    ]);
  });

  it('as in SST-2: a header, spaces kept, and a test file without labels', async () => {
    expect(await readAll(write('sst2.tsv', 'sentence\tlabel\nhide new \t0\nfine\t1'))).toEqual([
      { text: 'hide new ', label: '0', line: 2 },
      { text: 'fine', label: '1', line: 3 },
    ]);
    expect(await readAll(write('sst2-test.tsv', 'index\tsentence\n0\tuneasy\n'))).toEqual([
      { text: 'uneasy', line: 2 },
    ]);
  });

  it('with chosen columns, by name or number', async () => {
    const path = write('told.tsv', 'who\twhat\twhich\nann\thello\tgood\nbob\tbye\tbad\n');
    const options = { textColumn: 'what', labelColumn: 'which', groupColumn: 'who' };
    expect(await readAll(path, options)).toEqual([
      { text: 'hello', label: 'good', group: 'ann', line: 2 },
      { text: 'bye', label: 'bad', group: 'bob', line: 3 },
    ]);
    expect(await texts(path, { textColumn: 0, header: true })).toEqual(['ann', 'bob']);
    expect(await texts(path, { textColumn: 0 })).toEqual(['who', 'ann', 'bob']);
    expect(await texts(write('one.tsv', 'first\nsecond\n'))).toEqual(['first', 'second']);
  });

  it('with CRLF, a byte order mark, blank lines and no line break at the end', async () => {
    const path = write('crlf.tsv', '\ufeffText\tLabel\r\n\r\na\t1\r\nb\t2\r\n\r\nc\t3');
    expect(await readAll(path)).toEqual([
      { text: 'a', label: '1', line: 3 },
      { text: 'b', label: '2', line: 4 },
      { text: 'c', label: '3', line: 6 },
    ]);
  });
});

describe('JSONL', () => {
  it('reads fields with usual or chosen names; numbers and booleans are labels', async () => {
    const path = write('a.jsonl', '{"id": 1, "text": "a\\tb", "label": 3}\n\n{"text": "c", "label": "x ", "id": 2}\n');
    expect(await readAll(path)).toEqual([
      { text: 'a\tb', label: '3', line: 1 },
      { text: 'c', label: 'x', line: 3 },
    ]);
    const options = { textColumn: 'said', labelColumn: 'true', groupColumn: 'by' };
    expect(await readAll(write('b.ndjson', '{"said": "hi", "true": false, "by": 7, "text": 0}'), options)).toEqual([
      { text: 'hi', label: 'false', group: '7', line: 1 },
    ]);
  });

  it('may have field names that are properties of every object', async () => {
    const path = write('proto.jsonl', '{"text": "a", "constructor": "b"}\n{"text": "c"}\n');
    await expect(readAll(path, { labelColumn: 'constructor' })).rejects.toThrow('line 2: the label is missing');
    expect(await texts(write('own.jsonl', '{"__proto__": "b"}'), { textColumn: '__proto__' })).toEqual(['b']);
  });
});

describe('text', () => {
  const path = write('prose.txt', '\n\nOne line\r\nand another.  \n \n\tThree.\n\n\nFour');

  it('by paragraphs, their lines joined', async () => {
    expect(await readAll(path)).toEqual([
      { text: 'One line and another.', line: 3 },
      { text: 'Three.', line: 6 },
      { text: 'Four', line: 9 },
    ]);
  });

  it('by lines, none of which may be empty', async () => {
    await expect(readAll(path, { textBy: 'lines' })).rejects.toThrow('line 1: the text is empty');
    expect(await texts(path, { textBy: 'lines', skipEmpty: true })).toEqual([
      'One line',
      'and another.',
      'Three.',
      'Four',
    ]);
  });
});

describe('gzip', () => {
  it('is recognised by its bytes, not by the name', async () => {
    const content = 'sentence\tlabel\nhello\t1\n';
    expect(await texts(write('named.tsv.gz', gzipSync(content)))).toEqual(['hello']);
    expect(await texts(write('unnamed.tsv', gzipSync(content)))).toEqual(['hello']);
    expect(await texts(write('plain.tsv.gz', content))).toEqual(['hello']);
  });

  it('of two members, written by Python', async () => {
    const rows = await readAll(`${golden}/two-members.jsonl.gz`);
    expect(rows.map(({ text }) => text)).toEqual(
      Array.from({ length: 20 }, (_, index) => `line ${index} – ${String.fromCodePoint(0x1f600 + index)}`),
    );
  });

  it('that is cut off or damaged is refused', async () => {
    const whole = gzipSync(`text\n${Array.from({ length: 5000 }, (_, index) => `row ${index * 7919}`).join('\n')}`);
    for (const length of [2, 3, 10, 11, 1000, whole.length - 9, whole.length - 1]) {
      const path = write('cut.tsv.gz', whole.subarray(0, length));
      await expect(readAll(path), `${length}`).rejects.toThrow('gzip data end early');
      await expect(readAll(path)).rejects.toBeInstanceOf(FileError);
    }
    const flipped = Uint8Array.from(whole);
    flipped[whole.length - 5] = (flipped[whole.length - 5] as number) ^ 1;
    await expect(readAll(write('flipped.tsv.gz', flipped))).rejects.toThrow('gzip data are damaged');
  });
});

describe('UTF-8', () => {
  it('is decoded correctly across chunk borders', async () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `${index}${'é€😀'.repeat(index % 4)}`);
    const content = lines.join('\n');
    for (const shift of ['', ' ', '  ', '   ']) {
      expect(await texts(write('long.txt', `${shift}${content}`), { textBy: 'lines' })).toEqual(lines);
    }
    const one = 'é€😀'.repeat(50_000);
    expect(await texts(write('one.txt', one))).toEqual([one]);
    expect(await texts(write('one.txt.gz', gzipSync(one)))).toEqual([one]);
  });

  it('that is invalid is reported with its line', async () => {
    const start = Buffer.from(`text\n${'fine é\n'.repeat(20_000)}`);
    const path = write('bad.tsv', Buffer.concat([start, Buffer.from([0x61, 0xff, 0x0a, 0x62])]));
    await expect(readAll(path)).rejects.toThrow(`${path}: line 20002: expected UTF-8, got other bytes`);
    const cut = write('cut.tsv', Buffer.from('text\né\nhé').subarray(0, 10));
    await expect(readAll(cut)).rejects.toThrow('line 3: expected UTF-8');
  });

  it('keeps a byte order mark inside the file', async () => {
    expect(await texts(write('mark.tsv', 'text\na\n\ufeffb'))).toEqual(['a', '\ufeffb']);
  });
});

const object = (text: unknown, label: unknown) => JSON.stringify({ text, label });

describe('every error is one sentence', () => {
  it.each([
    ['a.tsv', 'text\tlabel\na\t1\nb\n', {}, 'line 3: expected 2 columns, got 1'],
    ['b.tsv', 'text\tlabel\na\t1\nb\t2\t3\n', {}, 'line 3: expected 2 columns, got 3'],
    ['c.tsv', 'text\tlabel\na\t\n', {}, 'line 2: the label is missing'],
    ['d.tsv', 'text\tlabel\n \t1\n', {}, 'line 2: the text is empty; remove the row or add skipEmpty: true'],
    ['e.tsv', 'text\tby\nb\t\n', { groupColumn: 'by' }, 'line 2: the group is missing'],
    ['f.tsv', 'x\ty\na\tb\n', {}, 'got 0: "x", 1: "y"; set textColumn and labelColumn to numbers'],
    [
      'g.tsv',
      'x\ty\n',
      { header: true },
      'expected a column of texts, got the columns "x","y"; set textColumn to one of them',
    ],
    [
      'h.tsv',
      'text\ty\n',
      { labelColumn: 'z' },
      'no column "z", got the columns "text","y"; set labelColumn to one of them',
    ],
    ['i.tsv', 'text\ttext\n', {}, '2 columns are called text; set textColumn to a number'],
    [
      'j.tsv',
      'a\tb\n',
      { textColumn: 2 },
      'no column 2, got 2 columns (counted from 0); set textColumn to one of them',
    ],
    ['k.tsv', 'a\tb\n', { textColumn: 'c', header: false }, 'no header with a column "c"; set textColumn to a number'],
    ['l.tsv', '\t'.repeat(20_000), {}, 'line 1: expected at most 10000 columns'],
    ['m.csv', 'a,b\n1,2\n', {}, 'expected a column of texts, got the columns "a","b"'],
    [
      'n.jsonl',
      '[{"text": "a"}]',
      {},
      'line 1: expected one JSON object per line, got an array: write each of its objects on a line',
    ],
    ['o.jsonl', '{"text": "a"}\n{"text": ', {}, 'line 2: expected one JSON object per line'],
    ['p.jsonl', '{"words": "a"}', {}, 'expected a column of texts, got the columns "words"'],
    ['q.jsonl', object(7, 1), {}, 'line 1: expected text in text, got 7'],
    ['r.jsonl', `${object('a', 1)}\n${object('b', null)}`, {}, 'line 2: the label is missing'],
    ['s.jsonl', `${object('a', 1)}\n{"text": "b"}`, {}, 'line 2: the label is missing'],
    ['t.jsonl', `{"text": "a"}\n${object('b', 1)}`, {}, 'line 2: expected no label, because the first row has none'],
    ['u.jsonl', object('a', [1]), {}, 'line 1: expected text or a number in label, got [1]'],
    ['v.jsonl', `${object('a', 1)}\n{"label": 2}`, {}, 'line 2: the text is empty'],
    ['w.jsonl', '{"text": "half \\ud83d"}', {}, 'line 1: expected whole characters in text'],
    ['x.jsonl', '['.repeat(100_000), {}, 'line 1: expected one JSON object per line'],
    ['y.dat', 'a', {}, 'expected a name ending in .tsv, .csv, .jsonl'],
    ['z.dat', 'a', {}, 'set format to one of tsv, csv, jsonl, parquet, text'],
  ] as const)('%s', async (name, content, options, message) => {
    const path = write(name, content);
    await expect(readAll(path, options)).rejects.toThrow(message);
    await expect(readAll(path, options)).rejects.toThrow(FileError);
    await expect(readAll(path, options)).rejects.toThrow(path);
  });

  it('for a missing file or a folder', async () => {
    await expect(readAll('nowhere.tsv')).rejects.toThrow('nowhere.tsv: no such file');
    await expect(readAll(golden, { format: 'tsv' })).rejects.toThrow(`${golden}: expected a file, got a folder`);
  });

  it('for invalid options', async () => {
    const path = write('fine.txt', 'fine');
    await expect(readAll(path, { textColumn: -1 })).rejects.toThrow(ArgumentError);
    await expect(readAll(path, { labelColumn: 0 })).rejects.toThrow('plain text, which has none');
    await expect(readAll(path, { format: 'xls' as 'csv' })).rejects.toThrow('invalid format: expected one of tsv, csv');
    await expect(readAll(path, { textBy: 'words' as 'lines' })).rejects.toThrow('invalid textBy');
  });
});

describe('limits', () => {
  const long = 'x'.repeat((1 << 24) + 1);

  it.each([
    ['a.tsv', `text\n${long}\n`, 'line 2: the line is longer than 16777216 bytes'],
    ['b.tsv', `text\n${long}`, 'line 2: the line is longer'],
    ['c.jsonl', `{"text": "${long}"}`, 'line 1: the line is longer'],
    [
      'd.csv',
      `text\na\n"b\n${'x\n'.repeat(1 << 23)}"\n`,
      'line 3: the quoted field (is its last quote missing?) is longer',
    ],
    ['e.txt', `short\n\n${`${'x'.repeat(63)}\n`.repeat((1 << 18) + 1)}`, 'line 3: the paragraph is longer'],
  ])('are reported with the line: %s', async (name, content, message) => {
    for (const bytes of [content, gzipSync(content, { level: 1 })]) {
      await expect(readAll(write(name, bytes))).rejects.toThrow(message);
    }
  });

  it('accept what just fits', async () => {
    const fits = 'x'.repeat(1 << 24);
    expect(await texts(write('fits.txt', `${fits}\n\nshort\n${'\n'.repeat(1 << 24)}`))).toEqual([fits, 'short']);
  });
});

describe('reading', () => {
  it('streams: memory does not grow with the file', () => {
    const path = write(
      'big.tsv.gz',
      gzipSync(`text\tlabel\n${'a sentence of ten words that is not very long\t1\n'.repeat(1_000_000)}`),
    );
    // The rows themselves would take more than 100 MB; a process of its own, because memory here depends on the tests before.
    const program = `
      import { readRows } from 'epsilens/data';
      let rows = 0;
      const held = [];
      for await (const row of readRows(process.argv[1])) {
        rows += 1;
        if (process.argv[2] === 'hold') held.push({ ...row, text: row.text + rows });
      }
      console.log(rows);`;
    const run = (...args: string[]) =>
      spawnSync(process.execPath, ['--max-old-space-size=40', '--input-type=module', '-e', program, path, ...args], {
        encoding: 'utf8',
        cwd: import.meta.dirname,
      });
    expect(run().stdout).toBe('1000000\n');
    // The limit is one that a reader which held the rows would not keep.
    expect(run('hold').stderr).toContain('heap out of memory');
  });

  it('may stop early, and the file is closed', async () => {
    const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
    const content = `text\n${'row\n'.repeat(100_000)}`;
    const paths = [
      write('early.tsv', content),
      write('early.tsv.gz', gzipSync(content)),
      `${golden}/parquet/snappy.parquet`,
    ];
    const before = openFiles();
    for (let round = 0; round < 50; round += 1) {
      for (const path of paths) for await (const _ of readRows(path)) break;
    }
    expect(openFiles() - before).toBeLessThan(10);
  });

  it('returns the number of dropped rows', async () => {
    const rows = readRows(write('skip.tsv', 'text\tlabel\n\t1\nb\t1\n \t2\n'), { skipEmpty: true });
    expect(await rows.next()).toEqual({ value: { text: 'b', label: '1', line: 3 }, done: false });
    expect(await rows.next()).toEqual({ value: 2, done: true });
  });
});
