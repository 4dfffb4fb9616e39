// Files, JSON and terminal text of a study, from results that are made up.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StudyResults } from '../../src/calibration/index.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { printResults, resultsAsJson, saveReport } from '../../src/cli/study-output.js';
import { makeResults } from '../report/fixtures.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-output-'));
afterAll(() => rmSync(root, { recursive: true }));

const results = makeResults();
const named = (name: string): StudyResults => ({ ...results, study: { ...results.study, name } });
/** Whether a text holds a name that occurs in the data set only. */
const isPrivate = (text: string) => /lindqvist/i.test(text);

/** A folder in which these studies were begun. */
function folderOf(name: string, ...studies: readonly StudyResults[]): string {
  const folder = join(root, name);
  const store = openStore(join(folder, 'store.db'));
  for (const { study } of studies) store.addStudy(study, { levels: [] }, []);
  store.close();
  return folder;
}
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

describe('saving a report', () => {
  const folder = folderOf('plain', results);

  it('writes the page, and every chart with its rows', async () => {
    expect(await saveReport(folder, results, false)).toEqual({ page: join(folder, 'report.html') });
    expect(isPrivate(read(folder, 'report.html'))).toBe(true);
    const charts = readdirSync(join(folder, 'charts'));
    const svg = charts.filter((name) => name.endsWith('.svg'));
    expect(svg.length).toBeGreaterThan(2);
    expect(charts.filter((name) => name.endsWith('.csv'))).toEqual(svg.map((name) => name.replace('.svg', '.csv')));
    expect(read(folder, 'charts', svg[0] as string)).toMatch(/^<svg/);
  });

  it('writes one without texts if asked to, and removes an earlier one otherwise', async () => {
    const redacted = join(folder, 'report-redacted.html');
    expect(await saveReport(folder, results, true)).toEqual({ page: join(folder, 'report.html'), redacted });
    expect(isPrivate(read(redacted))).toBe(false);
    await saveReport(folder, results, false);
    expect(existsSync(redacted)).toBe(false);
  });

  it('removes charts that the study no longer has, and no other files', async () => {
    const old = ['utility-old.svg', 'leakage-lamp-gaussian.csv', 'cosine-lamp.svg', 'trade-off-lamp.csv'];
    const own = ['notes.svg', 'utilityroom.svg', 'leakage-notes.txt', 'my-leakage.csv'];
    for (const name of [...old, ...own]) writeFileSync(join(folder, 'charts', name), '');
    await saveReport(folder, results, false);
    const left = readdirSync(join(folder, 'charts'));
    expect(old.filter((name) => left.includes(name))).toEqual([]);
    expect(own.filter((name) => left.includes(name))).toEqual(own);
  });

  it('keeps studies of one folder apart, with their names except for the first', async () => {
    const shared = folderOf('shared', results, named('second'));
    await saveReport(shared, results, true);
    await saveReport(shared, named('second'), true);
    expect(readdirSync(shared).sort()).toEqual(
      [
        'charts',
        'charts-second',
        'report-redacted.html',
        'report-second-redacted.html',
        'report-second.html',
        'report.html',
        'store.db',
      ].sort(),
    );
    expect(read(shared, 'report.html')).toContain('synthetic');
    expect(read(shared, 'report-second.html')).not.toContain('synthetic');
    await saveReport(shared, named('second'), false);
    expect(existsSync(join(shared, 'report-redacted.html'))).toBe(true);
  });
});

describe('results as JSON', () => {
  it('write infinity and NaN as text', async () => {
    const [first, ...rest] = results.levels;
    const odd = { mean: Number.NaN, lower: Number.NEGATIVE_INFINITY, upper: Number.POSITIVE_INFINITY, values: [] };
    const levels = [{ ...first, noiseLength: Number.POSITIVE_INFINITY, odd }, ...rest] as StudyResults['levels'];
    const text = await resultsAsJson({ ...results, levels }, false);
    const [level] = JSON.parse(text).levels;
    expect(level.noiseLength).toBe('Infinity');
    expect(level.odd).toEqual({ mean: 'NaN', lower: '-Infinity', upper: 'Infinity', values: [] });
    expect(text.endsWith('}\n')).toBe(true);
  });

  it('hold what the caller adds, and texts only if allowed', async () => {
    const whole = await resultsAsJson(results, false, { report: 'a.html' });
    expect(JSON.parse(whole)).toMatchObject({ report: 'a.html', study: { name: 'synthetic' } });
    expect(isPrivate(whole)).toBe(true);
    const redacted = await resultsAsJson(results, true);
    expect(isPrivate(redacted)).toBe(false);
    expect(JSON.parse(redacted).levels).toHaveLength(results.levels.length);
  });
});

describe('results on the terminal', () => {
  /** Printed on a terminal like this. */
  async function printedOn(settings: { columns?: number; isTTY?: boolean }): Promise<string> {
    const { columns, isTTY } = process.stdout;
    Object.assign(process.stdout, settings);
    try {
      return await printResults(results);
    } finally {
      Object.assign(process.stdout, { columns, isTTY });
    }
  }
  const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

  it('fit the terminal, up to 120 columns, and 80 without one', async () => {
    const [narrow, none, wide] = [
      await printedOn({ columns: 60 }),
      await printedOn({ columns: 0 }),
      await printedOn({ columns: 500 }),
    ];
    expect(widest(narrow)).toBeLessThanOrEqual(60);
    expect(widest(none)).toBeLessThanOrEqual(80);
    expect(widest(wide)).toBeLessThanOrEqual(120);
    expect(widest(wide)).toBeGreaterThan(80);
  });

  it('have colours only on a terminal, and only if wanted', async () => {
    const had = process.env.NO_COLOR;
    delete process.env.NO_COLOR;
    try {
      expect(await printedOn({ isTTY: true })).toContain('\x1b[');
      expect(await printedOn({ isTTY: false })).not.toContain('\x1b[');
      process.env.NO_COLOR = '1';
      expect(await printedOn({ isTTY: true })).not.toContain('\x1b[');
    } finally {
      delete process.env.NO_COLOR;
      if (had !== undefined) process.env.NO_COLOR = had;
    }
  });
});
