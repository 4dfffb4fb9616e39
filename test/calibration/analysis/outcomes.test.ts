// Outcomes of curves whose answer is known.

import { describe, expect, it } from 'vitest';
import type { Curve, Point } from '../../../src/calibration/analysis/curves.js';
import {
  type CurveOutcome,
  decidingPoint,
  isConclusive,
  leakageOutcome,
  utilityOutcome,
} from '../../../src/calibration/analysis/outcomes.js';
import type { Level } from '../../../src/calibration/analysis/results.js';
import { estimate, gaussian, none, single } from '../../report/fixtures.js';

const noises = [0.01, 0.1, 1, 10];
const point = (level: Level, mean: number, floor = 0): Point => ({ level, value: estimate(mean, 0.005), floor });

/** The first mean is without noise. */
const curveOf = (means: readonly number[], over: Partial<Curve> = {}, floor = 0): Curve => ({
  mechanism: 'gaussian',
  clean: point(none, means[0] as number, floor),
  noisy: means.slice(1).map((mean, place) => point(gaussian(noises[place] as number), mean, floor)),
  floor,
  partial: false,
  ...over,
});

const text = (curve: Curve) => leakageOutcome(curve, true);
const levelAt = (outcome: CurveOutcome) => (isConclusive(outcome) ? decidingPoint(outcome).level : undefined);

describe('the outcome of a leakage curve', () => {
  it('is a fall where leakage stays at a tenth or less of its height without noise', () => {
    const outcome = text(curveOf([1, 0.9, 0.11, 0.1, 0.02]));
    expect(outcome).toMatchObject({ kind: 'falls', doubtful: false, partial: false });
    expect(outcome).toMatchObject({ start: { level: none, mean: 1 }, before: { level: gaussian(0.1), mean: 0.11 } });
    expect(outcome).toMatchObject({ at: { level: gaussian(1), mean: 0.1, count: 3, floor: 0 } });
    expect(outcome).not.toHaveProperty('dip');
    expect(levelAt(outcome)).toEqual(gaussian(1));
  });

  it('falls from the start where the least noise is enough', () => {
    expect(text(curveOf([1, 0.05, 0.05]))).toMatchObject({ before: { level: none }, at: { level: gaussian(0.01) } });
  });

  it('never falls where the most noise leaves more', () => {
    const outcome = text(curveOf([1, 0.9, 0.5, 0.2]));
    expect(outcome).toMatchObject({ kind: 'never falls', last: { level: gaussian(1), mean: 0.2 } });
    expect(outcome).not.toHaveProperty('at');
    expect(levelAt(outcome)).toEqual(gaussian(1));
  });

  it('does not fall at a dip: the last one is named', () => {
    const bounce = text(curveOf([1, 0.02, 0.03, 0.5, 0.02]));
    expect(bounce).toMatchObject({ kind: 'falls', at: { level: gaussian(10) }, dip: { level: gaussian(0.1) } });
    const up = text(curveOf([1, 0.9, 0.02, 0.9]));
    expect(up).toMatchObject({ kind: 'never falls', last: { level: gaussian(1) }, dip: { level: gaussian(0.1) } });
  });

  it('is not a fall where the search of the attack failed in most texts', () => {
    const { clean, noisy, ...rest } = curveOf([1, 0.5, 0.05, 0.04, 0.03]);
    const failing = (shares: readonly number[]): Curve => ({
      ...rest,
      ...(clean && { clean }),
      noisy: noisy.map((one, place) => ({ ...one, searchFailed: shares[place] as number })),
    });
    expect(levelAt(text(failing([1, 0.6, 0.5, 0])))).toEqual(gaussian(1));
    expect(text(failing([1, 1, 1, 1]))).toMatchObject({ kind: 'never falls', last: { searchFailed: 1 } });
  });

  it('counts from the floor of each level', () => {
    const rising = curveOf([1, 0.24, 0.24]);
    const noisy = rising.noisy.map((one) => ({ ...one, floor: 0.2 }));
    expect(text({ ...rising, noisy }).kind).toBe('falls');
    expect(text(rising).kind).toBe('never falls');
  });

  it('does not fall while more than half of a single text comes back, but seeds are not texts', () => {
    const one = (best: number) => {
      const value = { ...estimate(0.05, 0.005), values: [best, ...Array<number>(9).fill(0)] };
      return curveOf([1, 0.9, 0], { noisy: [{ level: gaussian(0.01), value, floor: 0 }] });
    };
    expect(text(one(0.51)).kind).toBe('never falls');
    expect(text(one(0.5))).toMatchObject({ kind: 'falls', at: { highest: 0.5, count: 10 } });
    expect(leakageOutcome(one(0.9), false).kind).toBe('falls');
  });

  it('has nothing to lose at the floor', () => {
    const outcome = text(curveOf([0.52, 0.5, 0.5], {}, 0.5));
    expect(outcome).toMatchObject({ kind: 'nothing to lose', start: { mean: 0.52, floor: 0.5 } });
    expect(text(curveOf([0.54, 0.5, 0.5], {}, 0.5)).kind).toBe('falls');
    expect(text(curveOf([0.3, 0.3], {}, 0.5)).kind).toBe('nothing to lose');
  });

  it('is too few to tell where the interval without noise reaches the floor', () => {
    const wide = { mean: 0.57, lower: 0, upper: 0.9, values: [0.9, 0.8, 0] };
    const outcome = text(curveOf([1, 0, 0], { clean: { level: none, value: wide, floor: 0 } }));
    expect(outcome).toMatchObject({ kind: 'too few to tell', start: { mean: 0.57, count: 3 } });
    expect(isConclusive(outcome)).toBe(false);
    // One value has no interval that could say so.
    const alone = { level: none, value: single(0.57), floor: 0 };
    expect(text(curveOf([1, 0, 0], { clean: alone })).kind).toBe('falls');
  });

  it('is not measured unless there are values with and without noise, and says which are missing', () => {
    const { clean: _, ...noisyOnly } = curveOf([1, 0.5]);
    expect(text(noisyOnly)).toEqual({ kind: 'not measured', where: 'without noise' });
    expect(text(curveOf([1]))).toEqual({ kind: 'not measured', where: 'under noise' });
  });

  it('says when levels are missing', () => {
    expect(text(curveOf([1, 0.5, 0.4], { partial: true }))).toMatchObject({ kind: 'never falls', partial: true });
  });

  it('takes the mean for the highest where no single values are known', () => {
    const bare = { level: gaussian(1), value: { ...estimate(0.05), values: [] }, floor: 0 };
    expect(text(curveOf([1], { noisy: [bare] }))).toMatchObject({ kind: 'falls', at: { highest: 0.05, count: 0 } });
  });
});

describe('the outcome of a utility curve', () => {
  const majority = 0.5;

  it('falls where less than half of what training gained is left', () => {
    const outcome = utilityOutcome(curveOf([1, 0.9, 0.75, 0.74, 0.5], {}, majority));
    expect(outcome).toMatchObject({ kind: 'falls', before: { level: gaussian(0.1) }, at: { level: gaussian(1) } });
  });

  it('never falls at half or more', () => {
    expect(utilityOutcome(curveOf([0.9, 0.8, 0.71], {}, majority))).toMatchObject({
      kind: 'never falls',
      last: { level: gaussian(0.1) },
    });
  });

  it('is judged with few seeds too, and marked as doubtful', () => {
    const seeds = { mean: 0.9, lower: 0.4, upper: 1, values: [0.88, 0.92] };
    const clean = { level: none, value: seeds, floor: majority };
    expect(utilityOutcome(curveOf([0.9, 0.51], { clean }, majority))).toMatchObject({ kind: 'falls', doubtful: true });
  });

  it('has nothing to lose where the model learns nothing', () => {
    expect(utilityOutcome(curveOf([0.51, 0.5], {}, majority)).kind).toBe('nothing to lose');
  });
});
