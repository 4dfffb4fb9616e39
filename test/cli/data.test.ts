// `epsilens data` as a person uses it: what is in a data set, and splits that are written once.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeRoot } from '../models/tiny-models.js';
import { writeReviews } from '../tiny-reviews.js';
import { inProcess } from './in-process.js';

const root = makeRoot();
const [model, data] = [join(root, 'model'), join(root, 'data')];
beforeAll(() => writeReviews(root));

function file(name: string, ...lines: string[]): string {
  const path = join(root, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
const show = (source: string, ...args: string[]) => inProcess('data', source, '--tokenizer', model, ...args);
const linesOf = (...path: string[]) =>
  readFileSync(join(...path), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('epsilens data', () => {
  it('shows rows, classes, lengths and duplicates', async () => {
    const { status, stdout, stderr } = await inProcess('data', data, '--tokenizer', model);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('classes bad, good');
    expect(stdout).toContain('40 rows (bad 20, good 20)');
    expect(stdout).toContain('30 rows repeat an earlier one; 40 also in validation');
    // [CLS] a a c c c c [SEP]
    expect(stdout).toMatch(/tokens +4 +4 +5 +6 +7 +8 +8 +8\n/);
  });

  it('gives one JSON document, and records a split', async () => {
    const out = join(root, 'split');
    const run = await inProcess(
      'data',
      data,
      '--tokenizer',
      model,
      '--split',
      '75/25',
      '--seed',
      '3',
      '--out',
      out,
      '--json',
    );
    expect([run.status, run.stderr]).toEqual([0, '']);
    const document = JSON.parse(run.stdout);
    expect(document.parts.train.rows).toBe(40);
    expect(document.split.sizes).toEqual([30, 10]);
    expect(JSON.parse(readFileSync(join(out, 'split.json'), 'utf8'))).toEqual(document.split);
    const lines = readFileSync(join(out, 'test.jsonl'), 'utf8').trim().split('\n');
    expect(lines.length).toBe(10);
    expect(['good', 'bad']).toContain(JSON.parse(lines[0] as string).label);
    expect((await inProcess('data', data, '--tokenizer', model, '--split', '75/25', '--out', out)).stderr).toContain(
      'already holds a split',
    );
  });

  it('refuses what it does not know in one sentence', async () => {
    const cases = [
      [['data', join(root, 'nowhere')], 'no such file or folder'],
      [['data', 'bundled:nothing'], 'bundled:mail'],
      [['data', data, '--tokenizer', model, '--split', 'half'], 'expected shares such as 90/10'],
      [['data', data, '--tokenizer', 'bundled:none'], 'unknown model bundled:none'],
      [['data', data, '--tokenizer', model, '--out', join(root, 'x')], '--out has an effect only with --split'],
    ] as const;
    for (const [args, message] of cases) {
      const { status, stdout, stderr } = await inProcess(...args);
      expect(status).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toContain(message);
      expect(stderr.trim().split('\n').length).toBe(1);
    }
  });
});

describe('epsilens data on files of one’s own', () => {
  it('says when there are no labels', async () => {
    const { status, stdout, stderr } = await show(file('plain.txt', 'a b', '', 'c', '', 'a b'));
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('plain: no labels\n');
    expect(stdout).toMatch(/^train {3}3 rows \(without label 3\)\n/m);
    expect(stdout).toContain('repeated    1 rows repeat an earlier one\n');
    expect(stdout).toContain(`Tokens are those of ${model}, special ones included.\n`);
  });

  it('takes columns by name or place, and counts rows that it leaves out', async () => {
    const path = file('columns.csv', 'who,what,kind', 'x,a b,yes', 'y,,no', 'z,c,no');
    const columns = ['--text-column', 'what', '--label-column', '2'];
    const refused = await show(path, ...columns);
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(`${path}: line 3: the text is empty; remove the row or add --skip-empty`);
    const { stdout } = await show(path, ...columns, '--skip-empty');
    expect(stdout).toMatch(/^train {3}2 rows \(no 1, yes 1\), 1 without text left out\n/m);
    const named = await show(path, ...columns, '--skip-empty', '--classes', 'yes, no', '--json');
    expect(JSON.parse(named.stdout).classes).toEqual(['yes', 'no']);
  });

  it('takes the first line as data with --no-header', async () => {
    const path = file('bare.csv', 'text,label', 'a,b');
    const columns = ['--text-column', '0', '--label-column', '1'];
    const rows = async (...args: string[]) =>
      JSON.parse((await show(path, ...columns, '--json', ...args)).stdout).parts.train.rows;
    expect([await rows('--no-header'), await rows('--header')]).toEqual([2, 1]);
  });
});

describe('a split', () => {
  it.each([
    ['75/25', ['train', 'test'], [30, 10], ', validation 10\n'],
    [
      '50/30/20',
      ['train', 'validation', 'test'],
      [20, 12, 8],
      '\n        The data set’s own split validation is left out.\n',
    ],
    ['4-way', ['part-1', 'part-2', 'part-3', 'part-4'], [10, 10, 10, 10], '\n'],
  ])('%s has parts %j of %j, with every row once', async (kind, names, sizes, rest) => {
    const out = join(root, kind.replaceAll('/', '-'));
    const { stdout } = await show(data, '--split', kind, '--out', out);
    const parts = names.map((name) => linesOf(out, `${name}.jsonl`));
    expect(parts.map(({ length }) => length)).toEqual(sizes);
    expect(parts.flat().filter(({ label }) => label === 'good')).toHaveLength(20);
    expect(stdout).toContain(`split   ${sizes.map((size, i) => `${names[i]} ${size}`).join(', ')}${rest}`);
    expect(stdout.replace(/\s+/g, ' ')).toContain(`written to ${out}, recorded in split.json; `);
  });

  it('is not written beside other files, which it might replace', async () => {
    const own = join(root, 'own');
    mkdirSync(own);
    const path = join(own, 'train.jsonl');
    writeFileSync(path, '{"text":"a","label":"x"}\n{"text":"b","label":"y"}\n');
    const { status, stderr } = await show(path, '--split', '50/50', '--out', own);
    expect(status).toBe(2);
    expect(stderr).toBe(
      `epsilens: ${own} already holds files, such as train.jsonl: choose another folder with --out\n`,
    );
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  });

  it('is the same for the same seed, and differs for another', async () => {
    const record = async (seed: string) =>
      JSON.parse((await show(data, '--split', '50/50', '--seed', seed, '--json')).stdout).split;
    expect(await record('3')).toEqual(await record('3'));
    expect((await record('3')).indicesDigest).not.toEqual((await record('4')).indicesDigest);
  });

  it('balances classes, and keeps groups in the lines', async () => {
    const path = file('groups.csv', 'text,label,user', 'a,yes,u1', 'b,no,u2', 'c,no,u3', 'd,no,u3');
    const out = join(root, 'balanced');
    await show(path, '--group-column', 'user', '--split', 'balanced', '--out', out);
    const [part] = [linesOf(out, 'train.jsonl')];
    expect(part.map(({ label }) => label).sort()).toEqual(['no', 'yes']);
    expect(part).toContainEqual({ text: 'a', label: 'yes', group: 'u1' });
  });

  it('of the paper has named parts, with a test part even if there was none', async () => {
    const out = join(root, 'paper');
    const { status, stdout } = await show(data, '--split', 'calibration-paper', '--out', out, '--json');
    expect(status).toBe(0);
    const { kind, parts } = JSON.parse(stdout).split;
    expect([kind, Object.keys(parts).sort()]).toEqual(['calibration-paper', ['test', 'train', 'validation']]);
    for (const [name, { size }] of Object.entries<{ size: number }>(parts)) {
      expect(linesOf(out, `${name}.jsonl`)).toHaveLength(size);
    }
  });

  it('is only shown unless a folder is given', async () => {
    const before = readdirSync(root);
    const { stdout } = await show(data, '--split', '90/10');
    expect(stdout).toContain('split   train 36, test 4, validation 10\n        not written: give --out FOLDER\n');
    expect(readdirSync(root)).toEqual(before);
  });

  it.each([
    ['90', 'expected shares such as 90/10, 11-way, balanced or calibration-paper, got 90'],
    ['paper', 'balanced or calibration-paper, got paper'],
    ['90/20', 'invalid shares: expected positive numbers that add up to 1, got 0.9,0.2'],
    ['0-way', 'invalid ways: expected a whole number >= 1, got 0'],
    ['41-way', 'cannot split 40 examples'],
  ])('%s is refused before anything is written', async (kind, message) => {
    const out = join(root, 'never');
    const { status, stdout, stderr } = await show(data, '--split', kind, '--out', out);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(existsSync(out)).toBe(false);
  });

  it('needs a part train', async () => {
    const folder = join(root, 'tested');
    mkdirSync(folder);
    writeFileSync(join(folder, 'test.tsv'), 'sentence\tlabel\na\tgood\nb\tbad\n');
    const { status, stdout, stderr } = await show(folder, '--split', '50/50');
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe('epsilens: tested: expected a split train to divide, got none\n');
  });
});
