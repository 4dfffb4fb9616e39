// What commands do with results: files in the study's folder, JSON, the width of the terminal.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listStudies, type StudyResults } from '../calibration/index.js';
import { writeWhole } from '../platform/index.js';

/** Paths of the report, and of the one without texts where it is asked for. */
export async function saveReport(
  folder: string,
  results: StudyResults,
  redact: boolean,
): Promise<{ readonly page: string; readonly redacted?: string }> {
  // Several studies may share a folder.
  const { name } = results.study;
  const own = listStudies(folder).some((one) => one.first && one.name === name) ? '' : `-${name}`;
  const page = join(folder, `report${own}.html`);
  const { renderReport } = await openReport();
  const { html, charts } = renderReport(results);
  await writeWhole(page, html);
  await removeCharts(join(folder, `charts${own}`));
  for (const chart of charts) {
    await writeWhole(join(folder, `charts${own}`, `${chart.name}.svg`), chart.svg);
    await writeWhole(join(folder, `charts${own}`, `${chart.name}.csv`), chart.csv);
  }
  const redacted = join(folder, `report${own}-redacted.html`);
  if (!redact) {
    // One of earlier results would be passed on by mistake.
    await rm(redacted, { force: true });
    return { page };
  }
  await writeWhole(redacted, renderReport(results, { redact: true }).html);
  return { page, redacted };
}

/** Those of mechanisms or attacks that the study no longer has. */
async function removeCharts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => /^(utility|leakage|cosine|trade-off)\b.*\.(svg|csv)$/.test(one))) {
    await rm(join(folder, name));
  }
}

/** Infinite numbers as text: JSON has none. */
export async function resultsAsJson(results: StudyResults, redact: boolean, more: object = {}): Promise<string> {
  const { redactResults } = await openReport();
  const plain = (_: string, inner: unknown) =>
    typeof inner === 'number' && !Number.isFinite(inner) ? `${inner}` : inner;
  return `${JSON.stringify({ ...more, ...(redact ? redactResults(results) : results) }, plain, 2)}\n`;
}

export async function printResults(results: StudyResults): Promise<string> {
  const { describeResults } = await openReport();
  return describeResults(results, {
    columns: Math.min(process.stdout.columns || 80, 120),
    colour: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
  });
}

/** Loading the charts takes half a second, which other commands need not wait for. */
const openReport = () => import('../report/index.js');
