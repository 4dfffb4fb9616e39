// Results as files: the report, its charts, the statement, and report and statement without what is private.

import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listStudies, type StudyResults, statementOf, statementText, storePath } from '../calibration/index.js';
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
  /** Every figure as JSON, which `verifyStatement` computes again. */
  readonly statement: string;
  /** The same without the digest of the data; only with `redact`. */
  readonly redactedStatement?: string;
}

/** Writes the report of a study as one HTML file that loads nothing, its charts as SVG and CSV, and its statement as JSON. */
export async function writeReport(results: StudyResults, options: WriteReportOptions = {}): Promise<WrittenReport> {
  if (results?.study === undefined) throw new ArgumentError('writeReport: expected the results that calibrate returns');
  expectOptions(options, ['folder', 'redact'], 'writeReport');
  const { name } = results.study;
  const { folder = usualFolder(name), redact = false } = options;
  const own = isFirst(folder, name) ? '' : `-${name}`;
  const page = join(folder, `report${own}.html`);
  const redacted = join(folder, `report${own}-redacted.html`);
  const statement = join(folder, `statement${own}.json`);
  const redactedStatement = join(folder, `statement${own}-redacted.json`);
  // Loading the charts takes half a second, which other calls need not wait for.
  const { renderReport } = await import('../report/index.js');
  const { html, charts } = renderReport(results, { statement: basename(statement) });
  // Texts, and figures that no guarantee covers: only the redacted page is made to be passed on.
  await writePrivate(page, html);
  await writePrivate(statement, statementText(statementOf(results)));
  const chartFolder = join(folder, `charts${own}`);
  await removeCharts(chartFolder);
  for (const chart of charts) {
    await writePrivate(join(chartFolder, `${chart.name}.svg`), chart.svg);
    await writePrivate(join(chartFolder, `${chart.name}.csv`), chart.csv);
  }
  // A redacted page of earlier results would be passed on by mistake.
  if (redact) {
    const named = { redact: true, statement: basename(redactedStatement) };
    await writeWhole(redacted, renderReport(results, named).html);
    await writeWhole(redactedStatement, statementText(statementOf(results, { redact: true })));
  } else {
    for (const old of [redacted, redactedStatement]) await rm(old, { force: true });
  }
  return {
    page,
    ...(redact && { redacted, redactedStatement }),
    statement,
    charts: charts.map((chart) => join(chartFolder, `${chart.name}.svg`)),
  };
}

/** Several studies may share a folder; the first has the plain file names. */
const isFirst = (folder: string, name: string): boolean =>
  !existsSync(storePath(folder)) || listStudies(folder).some((one) => one.first && one.name === name);

/** Removes charts of mechanisms or attacks that the study no longer has. */
async function removeCharts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) =>
    /^(utility|leakage|cosine|trade-off|release|reliability|roc)\b.*\.(svg|csv)$/.test(one),
  )) {
    await rm(join(folder, name));
  }
}
