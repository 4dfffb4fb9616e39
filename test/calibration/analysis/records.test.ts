// Who would be named over repeated runs: cases by hand, and what chance does although runs depend on each other.

import { describe, expect, it } from 'vitest';
import { combinedPValue, recordsOf } from '../../../src/calibration/analysis/records.js';
import type { LevelRecords } from '../../../src/calibration/index.js';
import type { CandidateRanks } from '../../../src/calibration/trials/work/ranks.js';
import { ranksOf } from '../../../src/metrics/index.js';
import { fillNormal, seededSource } from '../../../src/random/index.js';

const all = Array.from({ length: 40 }, (_, place) => ({
  split: 'train' as const,
  row: 100 + place,
  text: `text ${place}`,
}));

function runOf(members: ArrayLike<number>, others: ArrayLike<number>, records?: readonly number[]): CandidateRanks {
  const ranks = ranksOf({ members, others });
  return {
    records: records ?? Array.from(members, (_, place) => place),
    members: [...ranks.members],
    others: [...ranks.others],
  };
}

const summary = (runs: readonly CandidateRanks[], same = true) => recordsOf(runs, all, same) as LevelRecords;
const falling = (count: number) => Array.from({ length: count }, (_, place) => -place);

describe('records of one run', () => {
  it('are named if at most one in a hundred others scores as high', () => {
    // 199 others: a rate of 1 % is one other above.
    const found = summary([runOf([0.5, -0.5, -1, -300], falling(199))]);
    expect(found).toMatchObject({ falseAlarms: 0.01, runs: 1, members: 4, others: 199 });
    expect(found.named).toEqual({ mean: 2, lower: 2, upper: 2, values: [2] });
    expect(found.byChance).toBeCloseTo(0.04, 12);
    // Of 199 others, each among the 198 left, only the first is at 1/199.
    expect(found.repeated).toEqual([{ runs: 1, members: 2, others: 1 }]);
    expect(found.most.map(({ row, named, rate }) => [row, named, rate])).toEqual([
      [100, 1, 1 / 200],
      [101, 1, 2 / 200],
      [102, 0, 3 / 200],
      [103, 0, 1],
    ]);
    // One run: the p-value is the rate itself.
    expect(found.most.map(({ byChance }) => byChance)).toEqual([4 / 200, 8 / 200, 12 / 200, 4]);
    for (const { falseShare } of found.most.slice(0, 3)) expect(falseShare).toBeCloseTo(0.02, 12);
    expect(found.most[0]).toMatchObject({ split: 'train', text: 'text 0', runs: 1 });
  });

  it('are not named where everything is equal, or others are too few', () => {
    const equal = summary([runOf(new Array(5).fill(1), new Array(300).fill(1))]);
    expect([equal.named.mean, equal.most[0]?.rate, equal.repeated?.[0]?.others]).toEqual([0, 1, 0]);
    const few = summary([runOf([9], falling(98))]);
    expect([few.named.mean, few.byChance, few.most[0]?.rate]).toEqual([0, 0, 1 / 99]);
  });

  it('are at most twenty, in the order of the data where equally exposed, and none without the list of records', () => {
    const run = runOf(new Array(30).fill(1), falling(150));
    const rows = summary([run]).most.map(({ row }) => row);
    expect(rows).toEqual(Array.from({ length: 20 }, (_, place) => 100 + place));
    expect(recordsOf([run], [], true)?.most).toEqual([]);
    expect(recordsOf([], all, true)).toBeUndefined();
  });
});

describe('records of several runs', () => {
  it('are counted by run, and compared by their median ranks with those of others', () => {
    const others = falling(199);
    const found = summary([runOf([1, -50, 1], others), runOf([1, 1, -50], others), runOf([1, -50, -9], others)]);
    expect(found.named.values).toEqual([2, 2, 1]);
    expect(found.repeated).toEqual([
      { runs: 1, members: 3, others: 1 },
      { runs: 2, members: 1, others: 1 },
      { runs: 3, members: 1, others: 1 },
    ]);
    expect(found.most.map(({ row, named, runs }) => [row, named, runs])).toEqual([
      [100, 3, 3],
      [102, 1, 3],
      [101, 1, 3],
    ]);
    expect(found.most[0]?.byChance).toBeCloseTo(3 / 200, 12);
    expect(found.most[1]?.rate).toBeCloseTo(11 / 200, 12);
  });

  it('with members of their own count only the runs in which a record was one', () => {
    const others = falling(199);
    const found = summary([runOf([1, -50], others, [3, 7]), runOf([1, 1], others, [3, 9])], false);
    expect(found.named.values).toEqual([1, 2]);
    expect(found).not.toHaveProperty('repeated');
    expect(found.most.map(({ row, named, runs }) => [row, named, runs])).toEqual([
      [103, 2, 2],
      [109, 1, 1],
      [107, 0, 1],
    ]);
    expect(found.most[0]?.byChance).toBeCloseTo(3 / 200, 12);
  });
});

describe('chance over several runs', () => {
  const [sets, others, runs] = [4000, 99, 3];
  const random = seededSource('easy texts').stream('scores');
  /** Nothing is learnt from the member, but each text has its own ease, which all runs share. */
  const drawn = Array.from({ length: sets }, () => {
    const ease = fillNormal(random, new Float64Array(others + 1));
    return Array.from({ length: runs }, () => {
      const noise = fillNormal(random, new Float64Array(others + 1));
      const scores = ease.map((own, place) => own + 0.3 * (noise[place] as number));
      return runOf(scores.subarray(0, 1), scores.subarray(1));
    });
  });
  const found = drawn.map((one) => summary(one).most[0] as LevelRecords['most'][number]);

  it('names easy texts again and again, far more often than independent runs would', () => {
    // Independent runs: 4,000 · 10⁻⁶ records in all three.
    expect(found.filter(({ named }) => named === runs).length).toBeGreaterThan(5);
  });

  it('is within what is stated, once in 10⁵ tests apart', () => {
    for (const level of [0.01, 0.05, 0.3]) {
      const most = sets * level + 4.27 * Math.sqrt(sets * level * (1 - level));
      // There is a single member, so its expected number is its p-value.
      expect(found.filter(({ byChance }) => byChance <= level).length).toBeLessThan(most);
    }
  });

  it('is within what is stated where runs have members of their own', () => {
    const merged = drawn.map((one) => combinedPValue(one.map((run) => summary([run]).most[0]?.rate as number)));
    for (const level of [0.01, 0.05, 0.3]) {
      const most = sets * level + 4.27 * Math.sqrt(sets * level * (1 - level));
      expect(merged.filter((pValue) => pValue <= level).length).toBeLessThan(most);
    }
  });

  it('combines p-values as Rüschendorf does', () => {
    expect(combinedPValue([0.2])).toBe(0.2);
    expect(combinedPValue([0.3, 0.1])).toBeCloseTo(0.3, 12);
    expect(combinedPValue([0.9, 0.1, 0.2])).toBeCloseTo(0.3, 12);
    expect(combinedPValue([1, 1, 1])).toBe(1);
  });
});
