import type { Row } from './case.js';

/** Columns aligned: text to the left, numbers to the right. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map(({ what, value, unit, reach = '' }) => [what, showNumber(value), unit, reach]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  const line = ([what = '', value = '', unit = '', reach = '']: string[]) =>
    `${what.padEnd(widths[0] as number)}  ${value.padStart(widths[1] as number)} ${unit.padEnd(widths[2] as number)}  ${reach}`.trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

const showNumber = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
