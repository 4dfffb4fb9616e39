// Curves and levels of results.

import { describe, expect, it } from 'vitest';
import {
  isNoiseless,
  leakageCurve,
  measuredAttacks,
  mechanismNamed,
  noiseAmount,
  pointsOf,
  readsTrainedModel,
  recoversText,
  resultsAt,
  sameLevel,
  triedMechanisms,
  utilityCurve,
} from '../../../src/calibration/index.js';
import {
  attacks,
  directional,
  estimate,
  gaussian,
  makeResults,
  mechanisms,
  none,
  resultsOfThree,
  sigmas,
  staircase,
  third,
  withLevels,
} from '../../report/fixtures.js';

describe('levels', () => {
  it('are equal by mechanism and parameter, whatever their targets', () => {
    expect(sameLevel(gaussian(1), { ...gaussian(1), target: { kind: 'epsilon', value: 8 } })).toBe(true);
    expect(sameLevel(gaussian(1), gaussian(2))).toBe(false);
    expect(sameLevel(gaussian(1), directional(1))).toBe(false);
    expect(sameLevel(none, { mechanism: 'none' })).toBe(true);
    expect([none, gaussian(1)].map(isNoiseless)).toEqual([true, false]);
  });

  it('have an amount of noise that grows with it for every mechanism', () => {
    const amounts = (levels: Parameters<typeof noiseAmount>[1][]) =>
      levels.map((level) => noiseAmount([...mechanisms, third], level));
    expect(amounts([none, gaussian(0.01), gaussian(10)])).toEqual([Number.NEGATIVE_INFINITY, -2, 1]);
    expect(amounts([none, directional(1e6), directional(100)])).toEqual([Number.NEGATIVE_INFINITY, -6, -2]);
    expect(amounts([staircase(10), staircase(0.1)])).toEqual([-1, 1]);
  });

  it('of a mechanism without a description are refused', () => {
    expect(() => noiseAmount(mechanisms, staircase(1))).toThrow('expected a description of the mechanism staircase');
    expect(mechanismNamed([...mechanisms, third], 'staircase')).toBe(third);
  });

  it('are found in results by value', () => {
    const results = makeResults();
    expect(resultsAt(results, { mechanism: 'gaussian', parameter: 1 })?.level).toBe(results.levels[5]?.level);
    expect(resultsAt(results, gaussian(7))).toBeUndefined();
  });
});

describe('curves', () => {
  it('go from no noise to the most, in whatever order levels come', () => {
    const results = makeResults();
    const curve = utilityCurve(withLevels(results, results.levels.toReversed()), 'gaussian');
    expect(pointsOf(curve).map(({ level }) => level)).toEqual([none, ...sigmas.map(gaussian)]);
    expect(curve).toMatchObject({ mechanism: 'gaussian', floor: 0.56, partial: false, clean: { floor: 0.56 } });
    const [first, last] = [
      utilityCurve(results, 'directional').noisy[0],
      utilityCurve(results, 'directional').noisy[5],
    ];
    expect([first?.level, last?.level]).toEqual([directional(1e8), directional(100)]);
  });

  it('leave out what was not measured, and say so', () => {
    const whole = makeResults();
    const levels = whole.levels.map((one) => (one.level.parameter === 1 ? { level: one.level, leakage: {} } : one));
    const results = withLevels(whole, levels);
    expect(leakageCurve(results, 'span', 'gaussian')).toMatchObject({ partial: true });
    expect(leakageCurve(results, 'span', 'gaussian').noisy).toHaveLength(5);
    expect(leakageCurve(results, 'span', 'directional')).toMatchObject({ partial: false });
    const broken = makeResults({ utility: ({ parameter = 0 }) => estimate(parameter === 10 ? Number.NaN : 0.9) });
    expect(utilityCurve(broken, 'gaussian').noisy).toHaveLength(5);
    const { clean: _, ...noisyOnly } = utilityCurve(makeResults(), 'gaussian');
    expect(pointsOf(noisyOnly)).toHaveLength(6);
  });

  it('have the mean of all floors for charts, while each point has its own', () => {
    const floors = { span: ({ mechanism }: { mechanism: string }) => (mechanism === 'none' ? 0.13 : 0) };
    const curve = leakageCurve(makeResults({ floors }), 'span', 'gaussian');
    expect(curve.floor).toBeCloseTo(0.01, 12);
    expect(curve.clean?.floor).toBe(0.13);
    expect(curve.noisy[0]?.floor).toBe(0);
  });

  it('are of mechanisms that were tried and attacks that have results', () => {
    const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
    expect(names(triedMechanisms(resultsOfThree()))).toEqual(['gaussian', 'directional', 'staircase']);
    expect(names(triedMechanisms(makeResults({ levels: [none, directional(1)] })))).toEqual(['directional']);
    expect(names(measuredAttacks(makeResults()))).toEqual(['span', 'decepticons', 'membership']);
    expect(names(measuredAttacks(makeResults({ leakage: { membership: () => estimate(0.6) } })))).toEqual([
      'membership',
    ]);
  });
});

it('an attack reads what is shared or the trained model', () => {
  expect(attacks.map(recoversText)).toEqual([true, true, false]);
  expect(attacks.map(readsTrainedModel)).toEqual([false, false, true]);
});
