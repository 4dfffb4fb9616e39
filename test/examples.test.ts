// The programs of examples/ run as a reader would run them, each in a folder of its own.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readmeProgram } from './docs/pages.js';
import { makeRoot, writeTiny } from './models/tiny-models.js';

const examples = join(import.meta.dirname, '..', 'examples');
const root = makeRoot();

async function run(name: string, ...args: string[]): Promise<{ readonly lines: string[]; readonly folder: string }> {
  const folder = mkdtempSync(join(root, 'example-'));
  // The usual cache, where the bundled mail is extracted already.
  const { EPSILENS_CACHE: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [resolve(examples, name), ...args], {
    cwd: folder,
    env,
  });
  return { lines: stdout.trimEnd().split('\n'), folder };
}

/** On a machine that has not seen the bundled mail yet, the first example computes its features, which may take a minute or two. */
const patience = 400_000;

describe('examples', { timeout: patience }, () => {
  it('are those that are tested here, and say how to run them', () => {
    const names = readdirSync(examples).filter((name) => name.endsWith('.mjs'));
    const tested = readFileSync(import.meta.filename, 'utf8');
    expect(names.length).toBe(5);
    for (const name of names) {
      expect(tested).toContain(`run('${name}'`);
      expect(readFileSync(join(examples, name), 'utf8')).toContain(`//   node examples/${name}`);
    }
  });

  it('fine-tune privately', async () => {
    const { lines, folder } = await run('private-fine-tuning.mjs');
    expect(lines[0]).toMatch(/^Epsilon is 8 with delta 8\.803e-5 for adding or removing one example/);
    const accuracy = Number(/test split: ([\d.]+) %/.exec(lines.join('\n'))?.[1]);
    // The most frequent class alone has 65 %.
    expect(accuracy).toBeGreaterThan(70);
    expect(lines.at(-1)).toMatch(/^(ham|spam) \(\d+ %\)$/);
    expect(existsSync(join(folder, 'private-model', 'model.safetensors'))).toBe(true);
  });

  it('account for a plan', async () => {
    const { lines } = await run('account-for-a-plan.mjs');
    // By Opacus 1.5 and by dp_accounting 0.6.
    expect(lines.slice(0, 2)).toEqual(['rdp: ε = 2.502 with δ = 0.00001', 'pld: ε = 2.233 with δ = 0.00001']);
    expect(lines[2]).toMatch(/^ε = 8 needs noise of 0\.61\d times the clip norm$/);
    expect(lines[4]).toMatch(/^Epsilon is 2\.23\d with delta/);
  });

  it('attack a gradient', async () => {
    const { lines } = await run('attack-a-gradient.mjs', 'the key is under the mat');
    expect(lines.slice(0, 2)).toEqual(['no noise', '  LCS ratio 1.00: the key is under the mat']);
    expect(Number(/LCS ratio ([\d.]+)/.exec(lines[5] as string)?.[1])).toBeLessThan(0.5);
  });

  it('run a study and write its report', async () => {
    const { lines, folder } = await run('study-from-the-library.mjs');
    expect(lines[0]).toMatch(/^no noise: accuracy 0\.\d{3}, span 1\.00$/);
    expect(lines.length).toBe(4);
    expect(existsSync(join(folder, 'out', 'small', 'report.html'))).toBe(true);
  });

  it('take a model and a CSV file of your own', async () => {
    const [model, file] = [join(root, 'model'), join(root, 'reviews.csv')];
    await writeTiny(model, 'bert', { without: /^classifier/ });
    const rows = Array.from(
      { length: 200 },
      (_, i) => `"${i % 2 === 0 ? 'a a' : 'b, b'} c",${i % 2 === 0 ? 'good' : 'bad'}`,
    );
    writeFileSync(file, ['review,verdict', ...rows].join('\n'));
    const { lines, folder } = await run('own-model-and-csv.mjs', model, file, 'review', 'verdict');
    expect(lines[0]).toBe('200 rows, classes bad, good');
    expect(lines[1]).toMatch(/^Epsilon is 8 with delta/);
    expect(existsSync(join(folder, 'runs', 'own', 'ledger.jsonl'))).toBe(true);
    const failed = run('own-model-and-csv.mjs', model, file, 'text', 'verdict');
    await expect(failed).rejects.toThrow(/Command failed[\s\S]*text/);
  });

  it('include the program of the README, which prints what its comments say', async () => {
    const { code, prints } = readmeProgram();
    expect(prints.length).toBe(3);
    // Inside the repository, so that `epsilens` is this package.
    const cache = join(examples, '..', '.cache');
    mkdirSync(cache, { recursive: true });
    const place = mkdtempSync(join(cache, 'readme-'));
    try {
      const file = join(place, 'readme.mjs');
      writeFileSync(file, code);
      const { lines, folder } = await run(file);
      expect(lines.length).toBe(prints.length);
      for (const [index, line] of lines.entries()) expect(line).toMatch(prints[index] as RegExp);
      expect(existsSync(join(folder, 'private-model', 'config.json'))).toBe(true);
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});
