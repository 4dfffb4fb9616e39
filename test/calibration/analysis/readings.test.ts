import { describe, expect, it } from 'vitest';
import { type CurveStop, leastNoise, rangeOf, readAt } from '../../../src/calibration/analysis/readings.js';
import { studentInterval } from '../../../src/metrics/index.js';
import { normal, seededSource } from '../../../src/random/index.js';

/** Stops at amounts 0, 1, 2 …; intervals are `half` to both sides. */
const stops = (means: readonly number[], half = 0): CurveStop[] =>
  means.map((mean, amount) => ({
    level: { mechanism: 'gaussian', parameter: 10 ** amount },
    amount,
    mean,
    lower: mean - half,
    upper: mean + half,
  }));

describe('the least noise that keeps a limit', () => {
  it('lies where a falling curve crosses it, linear between levels', () => {
    expect(leastNoise(stops([1, 0.8, 0.4, 0]), 0.6)).toEqual({ amount: 1.5, lower: 1.5, upper: 1.5 });
    expect(leastNoise(stops([1, 0.8, 0.4, 0]), 0.4).amount).toBe(2);
  });

  it('has an interval where the ends of the curve cross', () => {
    const { amount, lower, upper } = leastNoise(stops([1, 0.8, 0.4, 0], 0.1), 0.6);
    expect(amount).toBeCloseTo(1.5, 12);
    expect(lower).toBeCloseTo(1.25, 12);
    expect(upper).toBeCloseTo(1.75, 12);
  });

  it('is open where the levels do not show an end', () => {
    expect(leastNoise(stops([1, 0.8, 0.65, 0.55], 0.1), 0.6)).toEqual({
      amount: expect.closeTo(2.5, 12),
      lower: expect.closeTo(1.667, 3),
      upper: Number.POSITIVE_INFINITY,
    });
  });

  it('is infinite where no level is low enough, and minus infinity where all are', () => {
    expect(leastNoise(stops([1, 0.9, 0.8]), 0.5).amount).toBe(Number.POSITIVE_INFINITY);
    expect(leastNoise(stops([0.3, 0.2, 0.1]), 0.5).amount).toBe(Number.NEGATIVE_INFINITY);
  });

  it('does not call a curve low that rises again', () => {
    expect(leastNoise(stops([1, 0.2, 0.7, 0.1]), 0.4).amount).toBeCloseTo(2.5, 12);
    expect(leastNoise(stops([1, 0.2, 0.7]), 0.4).amount).toBe(Number.POSITIVE_INFINITY);
  });

  it('shifts with parallel curves', () => {
    const [one, other] = [stops([1, 0.8, 0.4, 0, 0]), stops([1, 1, 0.8, 0.4, 0])];
    for (const most of [0.7, 0.5, 0.3]) {
      expect(leastNoise(other, most).amount - leastNoise(one, most).amount).toBeCloseTo(1, 12);
    }
  });
});

describe('reading a curve', () => {
  const curve = stops([0.9, 0.5, 0.1], 0.05);
  it('interpolates between levels and says from which', () => {
    const found = readAt(curve, 0.5);
    expect(found).toMatchObject({ mean: 0.7, place: 'between levels' });
    expect(found?.lower).toBeCloseTo(0.65, 12);
    expect(found?.from.map(({ parameter }) => parameter)).toEqual([1, 10]);
  });
  it('reads a level exactly', () => {
    expect(readAt(curve, 1)).toMatchObject({ mean: 0.5, place: 'at a level' });
  });
  it('says where the levels end', () => {
    expect(readAt(curve, -1)?.place).toBe('less noise than any level');
    expect(readAt(curve, 9)).toMatchObject({ mean: 0.1, place: 'more noise than any level' });
    expect(readAt([], 1)).toBeUndefined();
  });
});

describe('intervals', () => {
  it('of texts are Student’s, and stay within 0 and 1', () => {
    const values = [1, 1, 0.9, 1];
    const { upper, lower } = rangeOf({ mean: 0.975, lower: 0.97, upper: 0.98, values }, true);
    expect(upper).toBe(1);
    expect(lower).toBeCloseTo(studentInterval(values).lower, 12);
    expect(rangeOf({ mean: 0.5, lower: 0.4, upper: 0.6, values: [0.4, 0.6] }, false)).toEqual({
      mean: 0.5,
      lower: 0.4,
      upper: 0.6,
    });
  });

  // With coverage of 95 %, 400 runs fall below 93 % with a probability of 4 %; seeds are fixed, so this cannot flicker.
  it.each([
    ['12 texts', 12, 0.35],
    ['50 texts', 50, 0.35],
    ['3 seeds', 3, 0.05],
  ])('of a crossing hold in at least 93 % of simulated studies: %s', (_, count, spread) => {
    const random = seededSource(`coverage ${count}`);
    const truth = [0.95, 0.8, 0.45, 0.2, 0.12];
    const most = 0.4;
    // Where the true means cross the limit, on the line between their levels.
    const crossing = 2 + (0.45 - most) / (0.45 - 0.2);
    let held = 0;
    const runs = 400;
    for (let run = 0; run < runs; run++) {
      const own = Array.from({ length: count }, () => normal(random));
      const curve = truth.map((mean, amount): CurveStop => {
        const values = own.map((shift) => mean + (spread * (shift + normal(random))) / 3);
        return { level: { mechanism: 'gaussian', parameter: 1 }, amount, ...studentInterval(values) };
      });
      const { lower, upper } = leastNoise(curve, most);
      if (lower <= crossing && crossing <= upper) held += 1;
    }
    expect(held / runs).toBeGreaterThanOrEqual(0.93);
  });
});
