// The files of a report, from results that are made up.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { StudyResults } from '../../src/calibration/index.js';
import { openStore } from '../../src/calibration/trials/store.js';
import { writeReport } from '../../src/index.js';
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

describe('writeReport', () => {
  const folder = folderOf('plain', results);

  it('writes the page, and every chart with its rows', async () => {
    const written = await writeReport(results, { folder });
    expect([written.page, written.redacted]).toEqual([join(folder, 'report.html'), undefined]);
    expect(isPrivate(read(folder, 'report.html'))).toBe(true);
    const charts = readdirSync(join(folder, 'charts'));
    const svg = charts.filter((name) => name.endsWith('.svg'));
    expect(svg.length).toBeGreaterThan(2);
    expect(written.charts.toSorted()).toEqual(svg.map((name) => join(folder, 'charts', name)).toSorted());
    expect(charts.filter((name) => name.endsWith('.csv'))).toEqual(svg.map((name) => name.replace('.svg', '.csv')));
    expect(read(folder, 'charts', svg[0] as string)).toMatch(/^<svg/);
  });

  it('writes one without texts if asked to, and removes an earlier one otherwise', async () => {
    const redacted = join(folder, 'report-redacted.html');
    expect(await writeReport(results, { folder, redact: true })).toMatchObject({
      page: join(folder, 'report.html'),
      redacted,
    });
    const statement = join(folder, 'statement-redacted.json');
    for (const path of [redacted, statement, join(folder, 'statement.json')]) expect(isPrivate(read(path))).toBe(false);
    await writeReport(results, { folder });
    expect([redacted, statement].map(existsSync)).toEqual([false, false]);
  });

  it('removes charts that the study no longer has, and no other files', async () => {
    const old = ['utility-old.svg', 'leakage-lamp-gaussian.csv', 'cosine-lamp.svg', 'trade-off-lamp.csv'];
    const own = ['notes.svg', 'utilityroom.svg', 'leakage-notes.txt', 'my-leakage.csv'];
    for (const name of [...old, ...own]) writeFileSync(join(folder, 'charts', name), '');
    await writeReport(results, { folder });
    const left = readdirSync(join(folder, 'charts'));
    expect(old.filter((name) => left.includes(name))).toEqual([]);
    expect(own.filter((name) => left.includes(name))).toEqual(own);
  });

  it('keeps studies of one folder apart, with their names except for the first', async () => {
    const shared = folderOf('shared', results, named('second'));
    await writeReport(results, { folder: shared, redact: true });
    await writeReport(named('second'), { folder: shared, redact: true });
    expect(readdirSync(shared).sort()).toEqual(
      [
        'charts',
        'charts-second',
        'report-redacted.html',
        'report-second-redacted.html',
        'report-second.html',
        'report.html',
        'statement-redacted.json',
        'statement-second-redacted.json',
        'statement-second.json',
        'statement.json',
        'store.db',
      ].sort(),
    );
    expect(read(shared, 'report.html')).toContain('synthetic');
    expect(read(shared, 'report-second.html')).not.toContain('synthetic');
    await writeReport(named('second'), { folder: shared });
    expect(existsSync(join(shared, 'report-redacted.html'))).toBe(true);
  });

  it('writes anywhere, not only where the study ran', async () => {
    const { page } = await writeReport(results, { folder: join(root, 'elsewhere') });
    expect(page).toBe(join(root, 'elsewhere', 'report.html'));
    expect(existsSync(page)).toBe(true);
    await expect(writeReport(results, { out: root } as object)).rejects.toThrow('unknown option out of writeReport');
    await expect(writeReport({} as never)).rejects.toThrow('expected the results that calibrate returns');
  });
});
