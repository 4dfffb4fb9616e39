// Utility at equal leakage on curves whose answer is known, and how often chance makes a winner.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noClearWinner } from '../../../src/calibration/analysis/compare-curves.js';
import {
  compareAtEqualLeakage,
  type EqualLeakage,
  equalLeakagesOf,
  pairsOf,
} from '../../../src/calibration/analysis/equal-leakage.js';
import type { AboutAttack, Estimate, Level, LevelResults } from '../../../src/calibration/analysis/results.js';
import { fallingFit, readUtility } from '../../../src/calibration/analysis/trade-off.js';
import { seededSource } from '../../../src/random/index.js';
import { attacks, mechanisms, staircase, third } from '../../report/fixtures.js';
import { draw } from './curves.js';

const estimate = (values: readonly number[]): Estimate => ({ mean: 0, lower: 0, upper: 0, values });
const levels: readonly Level[] = [
  { mechanism: 'none' },
  ...[0.01, 0.1, 1].map((noise) => ({ mechanism: 'gaussian', parameter: noise })),
  ...[1e6, 1e4, 1e2].map((noise) => ({ mechanism: 'directional', parameter: noise })),
];
const [span, , membership] = attacks as [AboutAttack, AboutAttack, AboutAttack];
const pair = ['gaussian', 'directional'] as const;
type Lists = readonly (readonly number[])[];
const resultsOf = (leakage: Lists, utility: Lists): LevelResults[] =>
  levels.map((level, place) => {
    const accuracy = estimate(utility[place] as readonly number[]);
    const main = estimate(leakage[place] as readonly number[]);
    return {
      level,
      utility: { accuracy, matthews: accuracy, macroF1: accuracy, gap: accuracy },
      leakage: { span: { main, measures: {}, floor: 0, comparisons: [] } },
    };
  });
/** The same at every item and seed. */
const exact = (leakage: readonly number[], utility: readonly number[]) =>
  compareAtEqualLeakage(
    seededSource(1),
    resultsOf(
      leakage.map((value) => [value, value, value]),
      utility.map((value) => [value, value, value]),
    ),
    span,
    pair,
  ) as EqualLeakage;

describe('utility at equal leakage', () => {
  it('is read between levels', () => {
    const { readings, overall } = exact([1, 0.8, 0.4, 0, 0.6, 0.2, 0], [0.9, 0.9, 0.8, 0.6, 0.9, 0.9, 0.7]);
    expect(readings.map(({ leakage }) => leakage)).toEqual([0.75, 0.5, 0.25]);
    const [first, , last] = readings;
    // Gaussian: an eighth of the way from .8 to .4; three eighths from .4 to 0.
    expect(first?.utilities[0]).toBeCloseTo(0.8875, 12);
    expect(last?.utilities[0]).toBeCloseTo(0.725, 12);
    expect(last?.utilities[1]).toBeCloseTo(0.9, 12);
    expect(last?.difference).toBeCloseTo(0.175, 12);
    expect(last?.winner).toBe('directional');
    expect(last?.between).toEqual([
      [levels[2], levels[3]],
      [levels[4], levels[5]],
    ]);
    expect(overall.difference).toBeCloseTo((0.0125 + 0.075 + 0.175) / 3, 12);
    expect(overall.winner).toBe('directional');
    expect(overall.interval?.lower).toBeCloseTo(overall.difference, 12);
  });

  it('changes sides with the mechanisms', () => {
    const swap = (list: readonly number[]) => [0, 4, 5, 6, 1, 2, 3].map((place) => list[place] as number);
    const [leakage, utility] = [
      [1, 0.8, 0.4, 0, 0.6, 0.2, 0],
      [0.9, 0.9, 0.8, 0.6, 0.9, 0.9, 0.7],
    ];
    const [one, other] = [exact(leakage, utility), exact(swap(leakage), swap(utility))];
    expect(other.overall.difference).toBeCloseTo(-one.overall.difference, 12);
    expect(other.overall.winner).toBe('gaussian');
  });

  it('has no winner among equals, by less than half a point, or with one seed', () => {
    const leakage = [1, 0.8, 0.4, 0.1, 0.8, 0.4, 0.1];
    expect(exact(leakage, [0.9, 0.8, 0.7, 0.6, 0.8, 0.7, 0.6]).overall.winner).toBe('no clear winner');
    expect(exact(leakage, [0.9, 0.8, 0.7, 0.6, 0.804, 0.704, 0.604]).overall.winner).toBe('no clear winner');
    const single = resultsOf(
      leakage.map((value) => [value, value]),
      [0.9, 0.8, 0.7, 0.6, 0.9, 0.9, 0.9].map((value) => [value]),
    );
    const compared = compareAtEqualLeakage(seededSource(1), single, span, pair) as EqualLeakage;
    expect(compared.overall.winner).toBe('no clear winner');
    expect(compared.overall.interval).toBeUndefined();
    expect(compared.overall.difference).toBeGreaterThan(0.1);
  });

  it('is undefined where curves do not meet', () => {
    const utility = [0.9, 0.8, 0.7, 0.6, 0.8, 0.7, 0.6];
    expect(exact([0.5, 0.5, 0.5, 0.5, 0.4, 0.3, 0.2], utility)).toBeUndefined();
    expect(exact([0.5, 0.6, 0.5, 0.7, 0.4, 0.3, 0.2], utility)).toBeUndefined();
    const results = resultsOf(
      levels.map((_, place) => [1 - place / 10, 1 - place / 10]),
      levels.map(() => [0.5, 0.5]),
    );
    expect(compareAtEqualLeakage(seededSource(1), results.slice(0, 4), span, pair)).toBeUndefined();
    expect(compareAtEqualLeakage(seededSource(1), results, membership, pair)).toBeUndefined();
  });

  it('takes attacks on trained models and their utility as the same runs', () => {
    // Runs that leak more are also better, by as much as the curves ask: each lies on the same two lines.
    const [leakage, shift] = [
      [0.9, 0.7, 0.5, 0.3, 0.7, 0.5, 0.3],
      [-0.02, 0, 0.02],
    ];
    const utility = leakage.map((value, place) => 0.5 + value / 2 - (place > 3 ? (0.9 - value) / 6 : 0));
    const results = resultsOf(
      leakage.map((value) => shift.map((part) => value + part)),
      utility.map((value) => shift.map((part) => value + part / 2)),
    );
    const asRuns = results.map(({ leakage: { span }, ...rest }) => ({
      ...rest,
      leakage: span ? { membership: span } : {},
    }));
    const width = (compared: EqualLeakage | undefined) =>
      Number(compared?.overall.interval?.upper) - Number(compared?.overall.difference);
    const runs = compareAtEqualLeakage(seededSource(1), asRuns, membership, pair);
    expect(runs?.overall.winner).toBe('gaussian');
    expect(width(runs)).toBeGreaterThan(0);
    expect(width(runs)).not.toBeCloseTo(width(compareAtEqualLeakage(seededSource(1), results, span, pair)), 6);
  });

  it('skips levels without values', () => {
    const lists = [1, 0.8, 0.4, 0, 0.6, 0.2, 0].map((value) => [value, value]);
    const utility = [0.9, 0.9, 0.8, 0.6, 0.9, 0.9, 0.7].map((value) => [value, value]);
    const compared = compareAtEqualLeakage(seededSource(1), resultsOf(lists.with(5, []), utility), span, pair);
    expect(compared?.readings[2]?.between[1]).toEqual([levels[4], levels[6]]);
  });

  it('leaves out what most resamples do not reach', () => {
    // Leakage that is nothing but chance has no range to read in.
    const source = seededSource('nothing');
    const compared = [...Array(20).keys()].map((round) => {
      const leakage = draw(source.stream(round), Array(7).fill(0.53), { items: 3, chance: 0.01 });
      const utility = draw(source.stream(`${round} u`), Array(7).fill(0.7), { items: 3, chance: 0.01 });
      return compareAtEqualLeakage(seededSource(round), resultsOf(leakage, utility), span, pair);
    });
    expect(compared.filter((one) => one && one.overall.winner !== 'no clear winner')).toEqual([]);
    expect(compared.filter((one) => one === undefined).length).toBeGreaterThanOrEqual(18);
  });

  // 20 sentences, three seeds, 100 draws each.
  const winners = (name: string, utility: readonly number[], directional = [0.7, 0.4, 0.1]) => {
    const source = seededSource(name);
    return [...Array(100).keys()].map((round) => {
      const noise = { items: 20, item: 0.1, chance: 0.1 };
      const leakage = draw(source.stream(round), [0.95, 0.7, 0.4, 0.1, ...directional], noise);
      const gained = draw(source.stream(`${round} u`), utility, { items: 3, item: 0.005, chance: 0.01 });
      return compareAtEqualLeakage(seededSource(round), resultsOf(leakage, gained), span, pair)?.overall.winner;
    });
  };

  it('makes a winner by chance in at most 5 % of the draws', () => {
    // 5 of 100 are expected at 95 %; more than 12 would happen once in a thousand times.
    const falls = [0.8, 0.77, 0.74, 0.7];
    const equal = winners('equal', [...falls, ...falls.slice(1)]);
    expect(equal.filter((winner) => winner !== 'no clear winner').length).toBeLessThanOrEqual(12);
    // The same line with other levels on it.
    const other = winners('other', [0.8, 0.75, 0.69, 0.63, 0.774, 0.718, 0.63], [0.82, 0.54, 0.1]);
    expect(other.filter((winner) => winner !== 'no clear winner').length).toBeLessThanOrEqual(12);
  });

  it('finds a mechanism that is ten points better', () => {
    const found = winners('better', [0.8, 0.79, 0.78, 0.76, 0.68, 0.67, 0.66]);
    expect(found.filter((winner) => winner === 'gaussian').length).toBeGreaterThanOrEqual(95);
  });
});

describe('every pair of mechanisms', () => {
  const leakage = [1, 0.8, 0.4, 0, 0.6, 0.2, 0];
  const utility = [0.9, 0.9, 0.8, 0.6, 0.9, 0.9, 0.7];
  const thrice = (values: readonly number[]) => values.map((value) => [value, value + 0.001, value - 0.001]);
  const two = resultsOf(thrice(leakage), thrice(utility));
  /** A third mechanism like the first, but with twenty points less. */
  const three = [
    ...two,
    ...two.slice(1, 4).map((one, place): LevelResults => {
      const accuracy = estimate((thrice(utility)[place + 1] as readonly number[]).map((value) => value - 0.2));
      return {
        level: staircase(10 / 10 ** place),
        utility: { accuracy, matthews: accuracy, macroF1: accuracy, gap: accuracy },
        leakage: one.leakage,
      };
    }),
  ];
  const studyOf = (levels: readonly LevelResults[], names = mechanisms) => ({
    levels,
    attacks,
    mechanisms: names,
    tuning: [],
  });

  it('is compared, in the order of the study', () => {
    const compared = equalLeakagesOf(seededSource(1), studyOf(three, [...mechanisms, third]));
    expect(compared.map(({ attack, mechanisms: names }) => [attack, ...names])).toEqual([
      ['span', 'gaussian', 'directional'],
      ['span', 'gaussian', 'staircase'],
      ['span', 'directional', 'staircase'],
    ]);
    const [, second] = compared;
    expect(second?.overall.difference).toBeLessThan(-0.1);
    expect(second?.overall.difference).toBeCloseTo(
      (second?.overall.utilities[1] as number) - (second?.overall.utilities[0] as number),
      12,
    );
    expect(second?.overall.winner).toBe('gaussian');
    expect(second?.readings[0]?.between[1].every(({ mechanism }) => mechanism === 'staircase')).toBe(true);
  });

  it('has the same figures whatever else the study has', () => {
    const [alone] = equalLeakagesOf(seededSource(1), studyOf(two));
    const [among] = equalLeakagesOf(seededSource(1), studyOf(three, [...mechanisms, third]));
    expect(among).toEqual(alone);
  });

  it('changes sides with the order of the study', () => {
    const [one] = equalLeakagesOf(seededSource(1), studyOf(two));
    const [other] = equalLeakagesOf(seededSource(1), studyOf(two, mechanisms.toReversed()));
    expect(other?.mechanisms).toEqual(['directional', 'gaussian']);
    expect(other?.overall.difference).toBe(-(one?.overall.difference as number));
    expect(other?.overall.winner).toBe(one?.overall.winner);
    expect(one?.overall.winner).not.toBe(noClearWinner);
  });

  it('occurs once', () => {
    expect(pairsOf(['a', 'b', 'c'])).toEqual([
      ['a', 'b'],
      ['a', 'c'],
      ['b', 'c'],
    ]);
    expect(pairsOf(['a'])).toEqual([]);
  });
});

describe('a falling fit', () => {
  it('keeps what falls and shares what rises', () => {
    expect(fallingFit([1, 1, 0.5, 0.1])).toEqual([1, 1, 0.5, 0.1]);
    expect(fallingFit([1, 0.5, 0.6, 0.2])).toEqual([1, 0.55, 0.55, 0.2]);
    expect(fallingFit([1, 2, 3])).toEqual([2, 2, 2]);
  });

  it('never rises, keeps the mean and is nearer than any other falling list', () => {
    const values = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 });
    const distance = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, x, place) => sum + (x - (b[place] as number)) ** 2, 0);
    const total = (list: readonly number[]) => list.reduce((sum, x) => sum + x, 0);
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.integer({ min: 0, max: 20 })), (list, more) => {
        const fit = fallingFit(list);
        expect(fit.every((value, place) => place === 0 || value <= (fit[place - 1] as number))).toBe(true);
        expect(total(fit)).toBeCloseTo(total(list), 9);
        const other = [...more.take(list.length)].sort((a, b) => b - a);
        expect(distance(fit, list)).toBeLessThanOrEqual(distance(other, list) + 1e-9);
      }),
    );
  });

  it('is read with the least noise that reaches a leakage, and not beyond its ends', () => {
    const curve = { leakage: [1, 0.5, 0.5, 0.1], utility: [0.9, 0.8, 0.7, 0.3] };
    expect(readUtility(curve, 0.5)).toEqual({ utility: 0.8, between: [0, 1] });
    expect(readUtility(curve, 1)).toEqual({ utility: 0.9, between: [0, 0] });
    expect(readUtility(curve, 0.3)?.utility).toBeCloseTo(0.5, 12);
    expect(readUtility(curve, 1.1)).toBeUndefined();
    expect(readUtility(curve, 0.05)).toBeUndefined();
  });
});
