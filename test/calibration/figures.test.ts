// Figures of a level from rows that are known.

import { describe, expect, it } from 'vitest';
import { findAttack } from '../../src/attacks/index.js';
import { leakageOf, utilityOf } from '../../src/calibration/analysis/figures.js';
import type { Leakage } from '../../src/calibration/index.js';
import type { RecordedTrial } from '../../src/calibration/trials/store.js';

const trial = (values: Readonly<Record<string, number>>): RecordedTrial => ({
  id: 'some',
  state: 'done',
  seconds: 1,
  finished: '',
  details: {},
  measurements: Object.entries(values).map(([name, value]) => ({ item: 0, name, value })),
});

it('intervals of few seeds stay within what a measure can be', () => {
  const runs = [0.6, 0.99].map((x) => trial({ accuracy: x, macroF1: x, matthews: x, gap: -x }));
  const { accuracy, matthews, gap } = utilityOf(runs);
  // Student with one degree of freedom: 0.795 ± 2.5.
  expect([accuracy.lower, accuracy.upper]).toEqual([0, 1]);
  expect([matthews.lower, gap.lower]).toEqual([-1, -1]);
  expect(accuracy.mean).toBeCloseTo(0.795, 12);
});

const membershipOf = async (records: readonly RecordedTrial[]) =>
  (await leakageOf(findAttack('membership'), records, 'nowhere')) as Leakage;

it('the interval of membership is the wider of the one over seeds and the one over examples', async () => {
  const same = (aucLower: number, aucUpper: number) =>
    membershipOf([1, 2, 3].map(() => trial({ auc: 0.6, aucLower, aucUpper, lossGap: 3, floor: 0.49 })));
  expect((await same(0.55, 0.65)).main).toMatchObject({ mean: 0.6, lower: 0.55, upper: 0.65 });
  expect((await same(0.55, 0.65)).measures.lossGap).toMatchObject({ mean: 3, upper: 3 });
  const seeds = [0.5, 0.6, 0.7].map((auc) => trial({ auc, aucLower: auc - 0.01, aucUpper: auc + 0.01 }));
  // 0.6 ± 4.303 · 0.1/√3
  expect((await membershipOf(seeds)).main.lower).toBeCloseTo(0.6 - (4.30265 * 0.1) / Math.sqrt(3), 4);
});

it('membership carries the test of kind of its trials, where they have one', async () => {
  const kind = { different: true, pValue: 0, auc: 0.8, by: 'words', tokens: { members: 9, others: 20 } };
  const tested = { ...trial({ auc: 0.6, aucLower: 0.5, aucUpper: 0.7 }), details: { kind } };
  expect((await membershipOf([tested])).kind).toEqual(kind);
  expect(await membershipOf([{ ...tested, details: {} }])).not.toHaveProperty('kind');
});

const curve = (...rates: [number, number][]) =>
  rates.map(([falsePositiveRate, truePositiveRate]) => ({ falsePositiveRate, truePositiveRate }));
const withCurve = (details: object): RecordedTrial => ({
  ...trial({ auc: 0.6, aucLower: 0.5, aucUpper: 0.7 }),
  details: { roc: curve([0, 0], [0.5, 0.75], [1, 1]), members: 40, others: 20, ...details },
});

describe('the ROC curve of membership', () => {
  it('is the mean over seeds, with the fewest members and others', async () => {
    const second = { roc: curve([0, 0], [0.5, 0.25], [1, 1]), members: 30, others: 25 };
    const { roc } = await membershipOf([withCurve({}), withCurve(second)]);
    expect(roc).toMatchObject({ members: 30, others: 20 });
    expect(roc?.points.find((point) => point.falsePositiveRate === 0.5)?.truePositiveRate).toBe(0.5);
    expect(roc).not.toHaveProperty('bound');
  });

  it('is absent where older trials have none, and of those that have one otherwise', async () => {
    const old = trial({ auc: 0.6, aucLower: 0.5, aucUpper: 0.7 });
    expect(await membershipOf([old, old])).not.toHaveProperty('roc');
    expect((await membershipOf([old, withCurve({})])).roc?.points).toEqual(curve([0, 0], [0.5, 0.75], [1, 1]));
  });

  it('has the weakest bound of all seeds, if all have one', async () => {
    const bounds = [
      { epsilon: 1, delta: 1e-3 },
      { epsilon: 2, delta: 1e-4 },
    ].map((bound) => withCurve({ bound }));
    expect((await membershipOf(bounds)).roc?.bound).toEqual({ epsilon: 2, delta: 1e-3 });
    expect((await membershipOf([...bounds, withCurve({})])).roc).not.toHaveProperty('bound');
  });

  it('is bounded by the guarantee of the models only if others were held out at random', async () => {
    const guarantee = {
      epsilon: 1,
      delta: 1e-5,
      neighbours: 'add-or-remove-one',
      accountant: 'pld',
      bound: 'upper',
      statement: [],
    };
    const bounded = async (details: object) =>
      (await leakageOf(findAttack('membership'), [withCurve(details)], 'nowhere', guarantee))?.roc?.bound;
    expect(await bounded({})).toBeUndefined();
    expect((await bounded({ drawnAlike: true }))?.epsilon).toBe(2);
  });
});
