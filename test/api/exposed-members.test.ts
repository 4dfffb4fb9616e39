// Who would be named, in the reports of attacks on single models, by hand.

import { expect, it } from 'vitest';
import { expectListed, exposedMembers } from '../../src/api/exposed-members.js';
import { ranksOf } from '../../src/metrics/index.js';

const rows = [11, 12, 13].map((row) => ({ split: 'train' as const, row }));
const falling = (count: number) => Array.from({ length: count }, (_, place) => -place);

it('lists the most exposed first, named at 1 % or not', () => {
  const ranks = ranksOf({ members: [-7, 1, -0.5], others: falling(199) });
  expect(exposedMembers(rows, ranks, 2)).toEqual({
    falseAlarms: 0.01,
    named: 2,
    byChance: 0.03,
    most: [
      { split: 'train', row: 12, rate: 1 / 200, named: true },
      { split: 'train', row: 13, rate: 2 / 200, named: true },
    ],
  });
  const all = exposedMembers(rows, ranks, Number.POSITIVE_INFINITY).most;
  expect(all.at(-1)).toEqual({ split: 'train', row: 11, rate: 9 / 200, named: false });
});

it('names nobody with fewer than 99 others, and keeps the order of the data among equals', () => {
  const { named, byChance, most } = exposedMembers(rows, ranksOf({ members: [5, 5, 5], others: falling(98) }), 20);
  expect([named, byChance, most.map(({ row }) => row)]).toEqual([null, 0, [11, 12, 13]]);
});

it('takes a number of records, or Infinity', () => {
  for (const count of [0, 20, Number.POSITIVE_INFINITY]) expect(() => expectListed(count)).not.toThrow();
  for (const count of [-1, 1.5, Number.NaN]) expect(() => expectListed(count)).toThrow('invalid records: expected');
});
