// Results as files: the report, its charts, and the report without texts.

import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listStudies, type StudyResults, storePath } from '../calibration/index.js';
import { ArgumentError } from '../checks/index.js';
import { writePrivate, writeWhole } from '../platform/index.js';
import { usualFolder } from './calibrate.js';
import { expectOptions } from './known-options.js';

/** Where a report goes, and whether a version without texts is written too. */
export interface WriteReportOptions {
  /** Where the files go. Default: `out/NAME`, as for `calibrate`. */
  readonly folder?: string;
  /** Writes a second page without any text of the data set, which can be passed on. Default: false. */
  readonly redact?: boolean;
}

/** Paths of the files that were written. */
export interface WrittenReport {
  /** The report. It shows private text. */
  readonly page: string;
  /** The report without texts; only with `redact`. */
  readonly redacted?: string;
  /** Every chart as SVG, with its rows as CSV beside it. */
  readonly charts: readonly string[];
}

/** Writes the report of a study as one HTML file that loads nothing, and its charts as SVG and CSV. */
export async function writeReport(results: StudyResults, options: WriteReportOptions = {}): Promise<WrittenReport> {
  if (results?.study === undefined) throw new ArgumentError('writeReport: expected the results that calibrate returns');
  expectOptions(options, ['folder', 'redact'], 'writeReport');
  const { name } = results.study;
  const { folder = usualFolder(name), redact = false } = options;
  const own = isFirst(folder, name) ? '' : `-${name}`;
  const page = join(folder, `report${own}.html`);
  const redacted = join(folder, `report${own}-redacted.html`);
  // Loading the charts takes half a second, which other calls need not wait for.
  const { renderReport } = await import('../report/index.js');
  const { html, charts } = renderReport(results);
  // Texts, and figures that no guarantee covers: only the redacted page is made to be passed on.
  await writePrivate(page, html);
  const chartFolder = join(folder, `charts${own}`);
  await removeCharts(chartFolder);
  for (const chart of charts) {
    await writePrivate(join(chartFolder, `${chart.name}.svg`), chart.svg);
    await writePrivate(join(chartFolder, `${chart.name}.csv`), chart.csv);
  }
  // A redacted page of earlier results would be passed on by mistake.
  if (redact) await writeWhole(redacted, renderReport(results, { redact: true }).html);
  else await rm(redacted, { force: true });
  return {
    page,
    ...(redact && { redacted }),
    charts: charts.map((chart) => join(chartFolder, `${chart.name}.svg`)),
  };
}

/** Several studies may share a folder; the first has the plain file names. */
const isFirst = (folder: string, name: string): boolean =>
  !existsSync(storePath(folder)) || listStudies(folder).some((one) => one.first && one.name === name);

/** Removes charts of mechanisms or attacks that the study no longer has. */
async function removeCharts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => /^(utility|leakage|cosine|trade-off)\b.*\.(svg|csv)$/.test(one))) {
    await rm(join(folder, name));
  }
}
