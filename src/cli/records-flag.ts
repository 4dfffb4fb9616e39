// The flag --records of membership attacks: one line per member, with the rate of false alarms at which it would be named.

import type { ExposedMembers } from '../api/index.js';
import { ArgumentError } from '../checks/index.js';
import { writePrivate } from '../platform/index.js';
import type { Command } from './command.js';
import { hang } from './wrap.js';

/** Members in JSON; the file has all of them. */
const printed = 20;

export const addRecordsFlag = (command: Command): Command =>
  command.option(
    '--records <file>',
    'write every member with its row and the rate of false alarms at which it would be named: FILE.csv, private',
  );

/** Throws an ArgumentError unless the path is that of a CSV file; to be called before anything is trained. */
export function expectCsv(path: string | undefined): void {
  if (path === undefined || /[^/\\]\.csv$/i.test(path)) return;
  throw new ArgumentError(`invalid --records: expected the path of a file that ends in .csv, got ${path}`);
}

/** The option of the attack: all members, if there is a file for them. */
export const listedFor = (path: string | undefined): { readonly records?: number } =>
  path === undefined ? {} : { records: Number.POSITIVE_INFINITY };

/** Writes the file, if one is asked for; returns lines that say where, and the report as it is printed. */
export async function writeRecords<Report extends { readonly records: ExposedMembers }>(
  path: string | undefined,
  report: Report,
): Promise<{ readonly written: string; readonly report: Report }> {
  if (path === undefined) return { written: '', report };
  const { most, named, byChance } = report.records;
  const rows = most.map((one) => `${one.split},${one.row},${one.rate.toPrecision(6)},${one.named ? 'yes' : 'no'}`);
  await writePrivate(path, ['split,row,false_alarm_rate,named_at_1_percent', ...rows, ''].join('\n'));
  const count =
    named === null
      ? 'There are too few others to name anybody at 1 % false alarms: 99 are needed.'
      : `${named} of ${most.length} members would be named at 1 % false alarms, ${byChance.toFixed(1)} by chance alone.`;
  return {
    written: `${['', ...hang('  ', `${count} All of them are in ${path}, which is private.`)].join('\n')}\n`,
    report: { ...report, records: { ...report.records, most: most.slice(0, printed) } },
  };
}
