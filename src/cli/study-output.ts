// Results for standard output: as JSON, and as text for the width of the terminal.

import type { StudyResults } from '../calibration/index.js';

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
