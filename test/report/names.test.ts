// The report and the analysis know no mechanism and no attack by name: labels and definitions come with the results.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { StudyResults } from '../../src/calibration/index.js';
import { describeResults, renderReport } from '../../src/report/index.js';
import { attacks, makeResults, mechanisms, resultsOfThree } from './fixtures.js';

const source = join(import.meta.dirname, '..', '..', 'src');
const filesIn = (folder: string) =>
  readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/** Files that hold the words of reports. */
const exempt = [join('calibration', 'analysis', 'about.ts')];
/** `span` is also an HTML element, and `membership` is also a goal. */
const named = /gaussian|directional|decepticons|von mises|\.span\b|(['"`])(span|membership)\1/i;
const mayName = /^\s*(\/\/|\/?\*)|goal/;

it('no file of the report or the analysis names one', () => {
  const files = [...filesIn('report'), ...filesIn(join('calibration', 'analysis'))];
  expect(files.length).toBeGreaterThan(40);
  const wrong = files.flatMap((file) => {
    if (exempt.includes(file)) return [];
    const lines = readFileSync(join(source, file), 'utf8').split('\n');
    return lines.flatMap((line, place) =>
      named.test(line) && !mayName.test(line) ? [`${file}:${place + 1}: ${line.trim()}`] : [],
    );
  });
  expect(wrong).toEqual([]);
});

it('names and labels come from the results everywhere', () => {
  const rename = (text: string) =>
    text
      .replaceAll('gaussian', 'first')
      .replaceAll('Gaussian', 'First')
      .replaceAll('directional', 'second')
      .replaceAll('Directional', 'Second')
      .replaceAll('decepticons', 'batchwise')
      .replaceAll('Decepticons', 'Batchwise');
  const results = makeResults();
  const renamed = JSON.parse(rename(JSON.stringify(results))) as StudyResults;
  // JSON has no infinite ε.
  const levels = renamed.levels.map((one) =>
    one.guarantee ? { ...one, guarantee: { ...one.guarantee, epsilon: one.guarantee.epsilon ?? Infinity } } : one,
  );
  // The columns of the table and the rows of blocks are as wide as the names.
  const squeeze = (text: string) => text.replace(/\s+/g, ' ').replace(/[█▁▂▃▄▅▆▇]+/g, '');
  const output = describeResults({ ...renamed, levels }, { columns: 120 });
  expect(squeeze(output)).toBe(squeeze(rename(describeResults(results, { columns: 120 }))));
  const { html } = renderReport({ ...renamed, levels });
  expect(html).not.toMatch(/gaussian|directional|decepticons/i);
});

it('a mechanism that no file knows is in every part of the report', () => {
  const { html, charts } = renderReport(resultsOfThree());
  const section = (id: string) => html.split(`<section id="${id}"`)[1]?.split('</section>')[0] ?? '';
  for (const id of ['answer', 'charts', 'levels', 'texts', 'privacy', 'definitions']) {
    expect(section(id), id).toMatch(/staircase|γ/i);
  }
  for (const { name, svg, csv } of charts.filter(({ name }) => !/gaussian|directional/.test(name))) {
    expect(svg, name).toMatch(/γ/);
    expect(csv, name).toContain('staircase,gamma,');
  }
  expect(html.match(/class="key mechanism-2 triangle"/g)?.length).toBeGreaterThan(3);
  expect(html).not.toMatch(/NaN|undefined|\[object/);
});

it('results without a description of what they hold are refused', () => {
  expect(() => describeResults({ ...makeResults(), mechanisms: mechanisms.slice(0, 1) })).toThrow(
    'expected a description of the mechanism directional, got none',
  );
  const results = makeResults();
  expect(() => describeResults({ ...results, attacks: attacks.slice(1) })).toThrow(
    'expected a description of the attack span, got none',
  );
});
