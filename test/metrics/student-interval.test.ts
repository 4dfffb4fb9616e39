// Intervals for means of a few values against scipy, and how often they cover the truth.

import { describe, expect, it } from 'vitest';
import { addErrors, errorOfMean, halfWidth, studentInterval } from '../../src/metrics/index.js';
import { normal, seededSource } from '../../src/random/index.js';

describe("Student's interval", () => {
  it('is that of scipy', () => {
    // scipy 1.17: stats.t.interval(.95, 2, mean, sem).
    const { mean, lower, upper, count } = studentInterval([0.766, 0.752, 0.781]);
    expect([mean, count]).toEqual([0.7663333333333333, 3]);
    expect(lower).toBeCloseTo(0.7303061988933808, 13);
    expect(upper).toBeCloseTo(0.8023604677732858, 13);
  });

  it('compares two groups as Welch did', () => {
    // scipy 1.17: stats.ttest_ind(x, y, equal_var=False), its df and confidence interval.
    const error = addErrors([errorOfMean([0.61, 0.58, 0.66, 0.6]), errorOfMean([0.52, 0.55, 0.5])]);
    expect(error.degrees).toBeCloseTo(4.990266004934195, 11);
    expect(halfWidth(error)).toBeCloseTo((0.14672028971952966 - 0.0316130436138038) / 2, 13);
  });

  it('covers the mean of three values as often as stated', () => {
    // 2,000 samples at 95 %: 1,900 ± 9.7; five of those to either side.
    let covered = 0;
    const source = seededSource('student');
    for (let round = 0; round < 2000; round++) {
      const { lower, upper } = studentInterval([normal(source), normal(source), normal(source)]);
      covered += Number(lower <= 0 && upper >= 0);
    }
    expect(Math.abs(covered - 1900)).toBeLessThan(49);
  });

  it('has no width where the values do not vary', () => {
    expect(studentInterval([0.7])).toEqual({ mean: 0.7, lower: 0.7, upper: 0.7, count: 1 });
    expect(studentInterval([0.5, 0.5])).toEqual({ mean: 0.5, lower: 0.5, upper: 0.5, count: 2 });
    expect(halfWidth(addErrors([errorOfMean([1, 1]), errorOfMean([0, 0])]))).toBe(0);
    expect(() => studentInterval([])).toThrow('invalid values: expected one or more, got none');
    expect(() => errorOfMean([1])).toThrow('invalid values: expected two or more, got 1');
  });
});
