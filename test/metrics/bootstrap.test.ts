// Bootstrap intervals: repeatable, and as wide as theory says.

import { describe, expect, it } from 'vitest';
import { areaUnderRoc, bootstrapIntervals, meansWithIntervals } from '../../src/metrics/index.js';
import { normal, seededSource } from '../../src/random/index.js';

const sample = (seed: number, size: number) => {
  const source = seededSource(seed);
  return Array.from({ length: size }, () => normal(source));
};
const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

describe('bootstrap', () => {
  it('gives the same interval for the same seed', () => {
    const columns = { x: sample(1, 30) };
    const draw = (seed: number) => meansWithIntervals(seededSource(seed), columns);
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('is as wide as the normal interval of a mean', () => {
    const values = sample(2, 400);
    const { x } = meansWithIntervals(seededSource(1), { x: values }, { resamples: 4000 });
    const mean = meanOf(values);
    const error = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)) / values.length);
    expect(x?.mean).toBeCloseTo(mean, 12);
    // The ends vary by about 3 % of the error over 4,000 resamples; .15 is five times that.
    expect(Math.abs((x?.lower as number) - (mean - 1.96 * error)) / error).toBeLessThan(0.15);
    expect(Math.abs((x?.upper as number) - (mean + 1.96 * error)) / error).toBeLessThan(0.15);
  });

  it('covers the truth about as often as stated', () => {
    // 200 samples of 50 at 90 %: 180 ± 4.2 (and some percent fewer, as percentile intervals do); 160 and 196 are far out.
    let covered = 0;
    for (let seed = 0; seed < 200; seed++) {
      const { x } = meansWithIntervals(
        seededSource(seed),
        { x: sample(1000 + seed, 50) },
        { confidence: 0.9, resamples: 200 },
      );
      covered += Number((x?.lower as number) <= 0 && (x?.upper as number) >= 0);
    }
    expect(covered).toBeGreaterThan(160);
    expect(covered).toBeLessThan(196);
  });

  it('leaves out missing values, and columns without values', () => {
    const result = meansWithIntervals(seededSource(1), { x: [1, undefined, 3], y: [undefined, undefined, undefined] });
    expect(result).toEqual({ x: { mean: 2, lower: 1, upper: 3, count: 2 } });
    expect(meansWithIntervals(seededSource(1), { x: [] })).toEqual({});
    expect(() => meansWithIntervals(seededSource(1), { x: [1], y: [] })).toThrow('invalid y: expected 1 values, got 0');
  });

  it('resamples each group by itself', () => {
    const [members, others] = [sample(3, 80).map((score) => score + 1), sample(4, 120)];
    const pick = (scores: readonly number[], indices: Uint32Array | undefined) =>
      Array.from(indices as Uint32Array, (index) => scores[index] as number);
    const [interval] = bootstrapIntervals(
      seededSource(1),
      [members.length, others.length],
      ([left, right]) => [areaUnderRoc(pick(members, left), pick(others, right))],
      { resamples: 300 },
    );
    const area = areaUnderRoc(members, others);
    expect(interval?.lower).toBeLessThan(area);
    expect(interval?.upper).toBeGreaterThan(area);
    // The standard error here is about .034 (Hanley and McNeil 1982), the width about four of them.
    const width = (interval?.upper as number) - (interval?.lower as number);
    expect(width).toBeGreaterThan(0.09);
    expect(width).toBeLessThan(0.19);
  });

  it('refuses empty groups and impossible confidence', () => {
    expect(() => bootstrapIntervals(seededSource(1), [0], () => [1])).toThrow('invalid groupSize');
    expect(() => bootstrapIntervals(seededSource(1), [1], () => [1], { confidence: 1 })).toThrow('invalid confidence');
    expect(() => bootstrapIntervals(seededSource(1), [1], () => [Number.NaN])).toThrow('NaN on every resample');
  });
});
