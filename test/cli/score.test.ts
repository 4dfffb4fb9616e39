// `epsilens score` as a person uses it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { Command } from '../../src/cli/command.js';
import { addScore } from '../../src/cli/score.js';
import { inProcess } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'epsilens-score-'));
afterAll(() => rmSync(folder, { recursive: true }));

const score = (...args: string[]) => inProcess('score', ...args);
function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}
const files = (references: string, hypotheses: string) => ['--references', references, '--hypotheses', hypotheses];

const { pairs } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'meteor.json'), 'utf8')) as {
  pairs: { reference: string; hypothesis: string; meteor: number; nltk_meteor: number }[];
};

describe('epsilens score', () => {
  it('gives every score of two texts as JSON', async () => {
    const { status, stdout, stderr } = await score(
      '--reference',
      'How old are you?',
      '--hypothesis',
      'What is your age?',
      '--json',
    );
    expect([status, stderr]).toEqual([0, '']);
    const scores = JSON.parse(stdout);
    expect(scores).toMatchObject({ lcsRatio: 0, rougeL: 0, jaccard: 0, exactMatch: 0, factsRecovered: null });
    expect(Object.keys(scores)).toEqual(expect.arrayContaining(['meteor', 'meteorNltk', 'rouge1', 'rouge2']));
    expect(scores.cosine).toBeCloseTo(0.846, 3);
  });

  it('gives means, intervals and lines of files, and the golden METEOR of each line', async () => {
    const references = file('truth.txt', pairs.map(({ reference }) => `${reference}\n`).join(''));
    const hypotheses = file('guess.txt', pairs.map(({ hypothesis }) => `${hypothesis}\r\n`).join(''));
    const { stdout } = await score(...files(references, hypotheses), '--no-similarity', '--json');
    const { lines, intervals, ...means } = JSON.parse(stdout);
    expect(means.pairs).toBe(pairs.length);
    for (const [index, { meteor, nltk_meteor }] of pairs.entries()) {
      expect(lines[index].meteor).toBeCloseTo(meteor, 11);
      expect(lines[index].meteorNltk).toBeCloseTo(nltk_meteor, 11);
    }
    const mean = pairs.reduce((sum, { meteor }) => sum + meteor, 0) / pairs.length;
    expect(means.meteor).toBeCloseTo(mean, 11);
    expect(intervals.meteor.lower).toBeLessThan(mean);
    expect(intervals.meteor.upper).toBeGreaterThan(mean);
    expect(means).not.toHaveProperty('cosine');
    const other = JSON.parse(
      (await score(...files(references, hypotheses), '--no-similarity', '--json', '--seed', '2')).stdout,
    );
    expect(other.lines).toEqual(lines);
    expect(other.intervals.meteor).not.toEqual(intervals.meteor);
  });

  it('pairs lines in no order, even if some are missing', async () => {
    const references = file('three.txt', 'the red car\nmy old house\nno money left\n');
    const hypotheses = file('two.txt', 'old house\nthe red car');
    const { lines } = JSON.parse(
      (await score(...files(references, hypotheses), '--match', '--no-similarity', '--json')).stdout,
    );
    expect(lines.map(({ lcsRatio }: { lcsRatio: number }) => lcsRatio)).toEqual([1, 2 / 3, 0]);
  });

  it('prints tables to read', async () => {
    const one = (
      await score('--reference', 'So Bob left.', '--hypothesis', 'so bob left', '--tokens', 'words', '--no-similarity')
    ).stdout;
    expect(one).toMatch(/^lcsRatio {8}0\.7500 {3}words in the same order/);
    expect(one).toContain('factsRecovered  1.0000');
    const path = file('same.txt', 'one text\nSo Bob left\n');
    const all = (await score(...files(path, path), '--no-similarity')).stdout;
    expect(all).toMatch(/^score +mean {3}95 % interval {6}of 2 pairs\nlcsRatio {8}1\.0000 {3}1\.0000 to 1\.0000/);
    expect(all).toContain('(1 texts have any)');
  });

  it.each([
    ['one text', ['--reference', 'a'], 'expected two texts or two files to compare'],
    ['a text and a file', ['--reference', 'a', '--hypotheses', 'b'], 'expected two texts or two files'],
    ['an empty reference', ['--reference', ' ', '--hypothesis', 'b'], 'invalid --reference'],
    [
      'texts to match',
      ['--reference', 'a', '--hypothesis', 'b', '--match'],
      '--match has an effect only with --references',
    ],
    ['a flag of 0.1', ['--reference', 'a', '--hypothesis', 'b', '--no-cosine'], '--no-cosine is now --no-similarity'],
    ['tokens', ['--reference', 'a', '--hypothesis', 'b', '--tokens', 'x'], 'expected spaces or words, got x'],
    ['no such file', files(join(folder, 'none'), file('a', 'a')), 'none: no such file'],
    ['a folder', files(folder, file('a', 'a')), 'expected a file, got a folder'],
    ['an empty file', files(file('b', '\n'), file('a', 'a')), 'b: the file is empty'],
    ['an empty line', files(file('c', 'x\n\ny'), file('a', 'a')), 'c: line 2 is empty'],
    ['other bytes', files(file('d', Uint8Array.of(0x61, 0x81)), file('a', 'a')), 'line 1: expected UTF-8'],
    ['lines', files(file('e', 'x\ny\n'), file('a', 'a')), 'expected as many lines in both files, got 2 in'],
  ])('refuses: %s', async (_, args, message) => {
    const program = new Command('epsilens').exitOverride();
    addScore(program);
    const run = program.parseAsync(['score', ...args], { from: 'user' });
    await expect(run).rejects.toThrow(ArgumentError);
    await expect(run).rejects.toThrow(message);
  });

  it('reads files in other encodings', async () => {
    const west = files(file('west', Buffer.from('caf\xe9 au lait', 'latin1')), file('wide', 'café au lait'));
    const wide = files(file('marked', Buffer.from('\ufeffcafé au lait\n', 'utf16le')), file('wide', 'café au lait'));
    expect(await score(...west)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--encoding windows-1252'),
    });
    const both = files(west[1] as string, west[1] as string);
    const exact = async (...args: string[]) =>
      JSON.parse((await score(...args, '--no-similarity', '--json')).stdout).exactMatch;
    expect(await exact(...both, '--encoding', 'windows-1252')).toBe(1);
    expect(await exact(...wide)).toBe(1);
  });

  it('ends with code 2 and one sentence', async () => {
    const { status, stdout, stderr } = await score();
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'epsilens: expected two texts or two files to compare: give --reference and --hypothesis, or --references and --hypotheses\n',
    );
  });

  it('explains itself', async () => {
    expect((await score('--help')).stdout).toContain('--references <file>');
  });
});
