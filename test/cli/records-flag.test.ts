// The file of --records, and what is said about it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeRecords } from '../../src/cli/records-flag.js';
import { makeRoot } from '../models/tiny-models.js';

it('writes all members, prints twenty, and says how many would be named', async () => {
  const path = join(makeRoot(), 'records.csv');
  const most = Array.from({ length: 30 }, (_, place) => ({
    split: 'test' as const,
    row: place + 1,
    rate: (place + 1) / 150,
    named: place === 0,
  }));
  const given = { records: { falseAlarms: 0.01, named: 1, byChance: 0.2, most } };
  const { written, report } = await writeRecords(path, given);
  expect(report.records.most).toEqual(most.slice(0, 20));
  expect(written.replace(/\s+/g, ' ')).toContain(
    '1 of 30 members would be named at 1 % false alarms, 0.2 by chance alone.',
  );
  const lines = readFileSync(path, 'utf8').split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'split,row,false_alarm_rate,named_at_1_percent',
    'test,1,0.00666667,yes',
    'test,2,0.0133333,no',
  ]);
  expect(lines).toHaveLength(32);
  expect(await writeRecords(undefined, given)).toEqual({ written: '', report: given });
});
