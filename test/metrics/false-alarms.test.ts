// Rates of false alarms against cases by hand, brute force, and what chance must do.

import { describe, expect, it } from 'vitest';
import { chanceOfNaming, falseAlarmRates, falseShares, ranksOf } from '../../src/metrics/index.js';
import { fillNormal, integerBelow, seededSource } from '../../src/random/index.js';

const rates = (positives: number[], negatives: number[]) => [...falseAlarmRates(positives, negatives)];

describe('rates of false alarms', () => {
  it('count the negatives that score at least as high, and the record itself', () => {
    expect(rates([5, 3, 0], [4, 3, 2, 1])).toEqual([1 / 5, 3 / 5, 5 / 5]);
    expect(rates([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], [0])).toEqual([1 / 2, 1]);
  });

  it('are 1 where all scores are equal, and never below 1/(n + 1)', () => {
    expect(rates([7, 7], [7, 7, 7])).toEqual([1, 1]);
    expect(rates([1], new Array(99).fill(0))).toEqual([0.01]);
    expect(rates([1], new Array(98).fill(0))[0]).toBeGreaterThan(0.01);
  });

  it('equal a count by brute force, with many ties', () => {
    const random = seededSource('ties');
    const draw = (count: number) => Array.from({ length: count }, () => integerBelow(random, 9));
    const [positives, negatives] = [draw(60), draw(41)];
    expect(rates(positives, negatives)).toEqual(
      positives.map((score) => (1 + negatives.filter((other) => other >= score).length) / 42),
    );
    const ranks = ranksOf({ positives, negatives });
    const all = [...positives, ...negatives];
    expect([...ranks.positives, ...ranks.negatives]).toEqual(
      all.map((score) => all.filter((other) => other >= score).length),
    );
    // Ranks keep all that rates need.
    const [high, low] = [ranks.positives, ranks.negatives].map((one) => Array.from(one, (rank) => -rank));
    expect(rates(high as number[], low as number[])).toEqual(rates(positives, negatives));
  });

  it('refuse empty groups and what is no number', () => {
    expect(() => rates([], [1])).toThrow('invalid positives: expected at least one score, got none');
    expect(() => rates([1], [])).toThrow('invalid negatives');
    expect(() => rates([1], [Number.NaN])).toThrow('invalid negatives: expected numbers, got NaN');
    expect(() => chanceOfNaming(2, 9)).toThrow('invalid rate');
  });

  it('are p-values: by chance alone a record is named at 1 % in one of a hundred data sets', () => {
    // 20,000 data sets of one positive and 199 negatives, of one law. The counts are binomial; each test fires by chance once in 10⁵ times (4.42 sd).
    const [sets, size] = [20_000, 200];
    const random = seededSource('null').stream('scores');
    const scores = new Float64Array(size);
    const found = Array.from({ length: sets }, () => {
      fillNormal(random, scores);
      return falseAlarmRates(scores.subarray(0, 1), scores.subarray(1))[0] as number;
    });
    for (const level of [0.01, 0.05, 0.5]) {
      const count = found.filter((rate) => rate <= level).length;
      const error = Math.sqrt(sets * level * (1 - level));
      expect(chanceOfNaming(level, size - 1)).toBeCloseTo(level, 12);
      expect(Math.abs(count - sets * level)).toBeLessThan(4.42 * error);
    }
  });

  it('cannot be reached exactly by every number of negatives, so chance names fewer', () => {
    expect(chanceOfNaming(0.01, 98)).toBe(0);
    expect(chanceOfNaming(0.01, 99)).toBe(0.01);
    expect(chanceOfNaming(0.01, 449)).toBeCloseTo(4 / 450, 15);
    expect(chanceOfNaming(0.01, 2899)).toBe(0.01);
  });
});

describe('the share of false names', () => {
  it('is that of Benjamini and Hochberg', () => {
    // p.adjust(c(.01, .04, .03, .005, .5), 'BH') of R: .025 .05 .05 .025 .5
    const shares = [...falseShares([0.01, 0.04, 0.03, 0.005, 0.5])];
    for (const [place, expected] of [0.025, 0.05, 0.05, 0.025, 0.5].entries())
      expect(shares[place]).toBeCloseTo(expected, 12);
    expect([...falseShares([1, 1])]).toEqual([1, 1]);
    expect([...falseShares([])]).toEqual([]);
  });
});
