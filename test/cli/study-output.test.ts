// JSON and terminal text of a study, from results that are made up.

import { describe, expect, it } from 'vitest';
import type { StudyResults } from '../../src/calibration/index.js';
import { printResults, resultsAsJson } from '../../src/cli/study-output.js';
import { makeResults } from '../report/fixtures.js';

const results = makeResults();
/** Whether a text holds a name that occurs in the data set only. */
const isPrivate = (text: string) => /lindqvist/i.test(text);

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
