// Writes results: files in the study's folder, JSON, and text as wide as the terminal.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listStudies, type StudyResults } from '../calibration/index.js';
import { writeWhole } from '../platform/index.js';

/** Writes the report, its charts and, where wanted, the report without texts; returns the paths of the pages. */
export async function saveReport(
  folder: string,
  results: StudyResults,
  redact: boolean,
): Promise<{ readonly page: string; readonly redacted?: string }> {
  // Several studies may share a folder.
  const { name } = results.study;
  const own = listStudies(folder).some((one) => one.first && one.name === name) ? '' : `-${name}`;
  const page = join(folder, `report${own}.html`);
  const { writeReport } = await openReport();
  const { html, charts } = writeReport(results);
  await writeWhole(page, html);
  await removeCharts(join(folder, `charts${own}`));
  for (const chart of charts) {
    await writeWhole(join(folder, `charts${own}`, `${chart.name}.svg`), chart.svg);
    await writeWhole(join(folder, `charts${own}`, `${chart.name}.csv`), chart.csv);
  }
  const redacted = join(folder, `report${own}-redacted.html`);
  if (!redact) {
    // A redacted report of earlier results might be passed on by mistake.
    await rm(redacted, { force: true });
    return { page };
  }
  await writeWhole(redacted, writeReport(results, { redact: true }).html);
  return { page, redacted };
}

/** Removes charts of mechanisms or attacks that the study no longer has. */
async function removeCharts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => /^(utility|leakage|cosine|trade-off)\b.*\.(svg|csv)$/.test(one))) {
    await rm(join(folder, name));
  }
}

/** Results as JSON, with infinite numbers as text, because JSON has none. */
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

/** Loaded on demand, because loading the charts takes half a second. */
const openReport = () => import('../report/index.js');
