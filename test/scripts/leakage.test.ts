// Rows of the study of leakage become tables and a figure; what is kept belongs to one model and one attack.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { drawFigure } from '../../scripts/leakage/figure.js';
import { appendRow, keyOf, newestRows, type Row, readRows, summarize } from '../../scripts/leakage/rows.js';
import { levels, type ModelName, models, type TaskName, tasks } from '../../scripts/leakage/settings.js';
import { printTables } from '../../scripts/leakage/tables.js';

const figures = (score: number, cosine: number) => ({
  recall: [score, score],
  ofLonger: [score / 2, score / 2],
  floorRecall: [0.1, 0.2],
  floorOfLonger: [0.1, 0.1],
  cosine: [cosine, cosine],
});

const rows: Row[] = (Object.keys(models) as ModelName[]).flatMap((model) =>
  (Object.keys(tasks) as TaskName[]).flatMap((task) =>
    levels.map((level, place) => ({
      ...{ model, task, sentences: 2, weights: 'w', attack: 'a', accuracy: 0.75, norm: 0.5, seconds: 1 },
      ...level,
      figures: figures(1 / (1 + place), level.mechanism === 'none' ? 1 : 0.5 ** place),
    })),
  ),
);

it('keeps rows, the newest of each level, apart by weights and attack', () => {
  const folder = mkdtempSync(join(tmpdir(), 'leakage-'));
  try {
    const path = join(folder, 'new', 'rows.jsonl');
    const [first] = rows as [Row];
    const again = { ...first, weights: 'other', figures: figures(0.25, 1) };
    for (const row of [first, again]) appendRow(path, row);
    expect(readRows(path)).toEqual([first, again]);
    expect(keyOf(first)).not.toBe(keyOf(again));
    expect(keyOf(first)).not.toBe(keyOf({ ...first, attack: 'b' }));
    expect(newestRows(readRows(path))).toEqual([again]);
    expect(summarize(again).recall).toEqual({ mean: 0.25, lower: 0.25, upper: 0.25, count: 2 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('prints a line for each level and a column for each model and data set', () => {
  const lines = printTables(rows).split('\n');
  const columns = Object.keys(models).length * Object.keys(tasks).length;
  const noisy = levels.filter(({ mechanism }) => mechanism !== 'none');
  const filled = lines.filter((line) => /^\| [\d.e-]+ \|/.test(line));
  expect(filled).toHaveLength(noisy.length);
  for (const line of filled) expect(line.split('|')).toHaveLength(columns + 3);
  expect(lines.find((line) => line.startsWith('| bert-mini, CoLA'))).toContain(
    '| 75.0 | .5 | 1 (1–1) | .50 (.50–.50) | .15 |',
  );
});

it('draws three panels without a page around them', () => {
  const svg = drawFigure(rows);
  for (const title of ['Gaussian noise', 'Directional noise', 'Both, by what they leave']) expect(svg).toContain(title);
  expect(svg).not.toMatch(/NaN|undefined|<style/);
});
