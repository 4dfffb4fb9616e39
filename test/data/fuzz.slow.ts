// Tens of thousands of damaged files: each gives rows or is refused with a FileError, in good time and little memory.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { readRows } from '../../src/data/index.js';
import { integerBelow, type SeededSource, seededSource } from '../../src/random/index.js';
import { golden } from './files.js';

const secondsPerFile = 5;

const cola = 'gj04\t1\t\tThe "sailors rode.\r\ngj04\t0\t*\tna\u00efve \ud83d\ude00 words\n\n';
const glue = 'sentence\tlabel\nhide new \t0\nfine\t1\n';
const csv = 'text,label,"by"\r\n"a ""b"", c\nd",1,x\r\nplain,0,y\n';
const jsonl = '{"text": "a\\u00e9\\ud83d\\ude00", "label": 1, "x": [1, {"y": null}]}\n{"label": "b", "text": "c"}\r\n';
const prose = 'One line\r\nand another.\n\nThree.\n';
const texts: Record<string, Buffer> = {
  'cola.tsv': Buffer.from(cola),
  'glue.tsv': Buffer.from(`\ufeff${glue}`),
  'a.csv': Buffer.from(csv),
  'a.jsonl': Buffer.from(jsonl),
  'a.txt': Buffer.from(prose),
};
const packed = Object.fromEntries(
  Object.entries(texts).map(([name, bytes]) => [`${name}.gz`, gzipSync(Buffer.concat([bytes, bytes.subarray(3)]))]),
);
const parquet = Object.fromEntries(
  ['parquet', 'parquet-other'].flatMap((folder) =>
    readdirSync(join(golden, folder)).map((name) => [name, readFileSync(join(golden, folder, name))]),
  ),
);

it.each([
  ['TSV, CSV, JSONL and text', texts, 20_000],
  ['gzip', packed, 5000],
  ['Parquet', parquet, 30_000],
])('survives mutated files: %s', async (kind, files, rounds) => {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-fuzz-'));
  const random = seededSource(kind);
  const names = Object.keys(files);
  const outcomes = { read: 0, refused: 0 };
  let slowest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const name = names[round % names.length] as string;
    const bytes = mutate(files[name] as Buffer, random);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const start = performance.now();
    try {
      for await (const { text, line } of readRows(path, round % 2 === 0 ? {} : { skipEmpty: true })) {
        if (typeof text !== 'string' || text.trim() === '' || line < 1) throw new Error(`row ${line} is wrong`);
      }
      outcomes.read += 1;
    } catch (error) {
      if (!(error instanceof FileError) || !error.message.startsWith(path)) {
        throw new Error(`round ${round}, ${name}: ${bytes.toString('hex')}`, { cause: error });
      }
      outcomes.refused += 1;
    }
    slowest = Math.max(slowest, (performance.now() - start) / 1000);
    expect(slowest, `${name}: ${bytes.toString('hex')}`).toBeLessThan(secondsPerFile);
  }
  rmSync(folder, { recursive: true });
  expect(outcomes.read).toBeGreaterThan(rounds / 40);
  expect(outcomes.refused).toBeGreaterThan(rounds / 40);
  expect(process.memoryUsage().rss).toBeLessThan(2 ** 31);
});

/** Changes, inserts, drops or repeats a few bytes, or cuts the file off; numbers that matter to parsers are frequent. */
function mutate(whole: Buffer, random: SeededSource): Buffer {
  let bytes: Buffer = Buffer.from(whole);
  const telling = [0, 1, 0x0a, 0x0d, 0x09, 0x22, 0x2c, 0x7b, 0x7f, 0x80, 0xff];
  for (let count = 1 + integerBelow(random, 4); count > 0; count -= 1) {
    const place = integerBelow(random, bytes.length || 1);
    const any = integerBelow(random, 256);
    const byte = integerBelow(random, 2) === 0 ? any : (telling[any % telling.length] as number);
    const piece = Buffer.alloc(1 + (any % 5 === 0 ? integerBelow(random, 9) : 0), byte);
    const kinds = [
      () => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place + piece.length)]),
      () => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]),
      () => Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + piece.length)]),
      () => Buffer.concat([bytes.subarray(0, place), bytes.subarray(Math.max(0, place - 9))]),
      () => (any % 8 === 0 ? bytes.subarray(0, place) : bytes),
    ];
    bytes = (kinds[integerBelow(random, kinds.length)] as () => Buffer)();
  }
  return bytes;
}
