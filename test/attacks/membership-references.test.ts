// Membership attacks with reference models: against values computed with scikit-learn, scipy and numpy, and on synthetic log-odds whose best
// possible ROC curve is known.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  evaluateMembership,
  type LossView,
  type MembershipAttack,
  type ReferenceModel,
} from '../../src/attacks/index.js';
import { lira } from '../../src/attacks/membership/lira.js';
import { fitLogistic } from '../../src/attacks/membership/logistic.js';
import { lossOfMargin, marginOfLoss, marginsOf } from '../../src/attacks/membership/margins.js';
import { mia } from '../../src/attacks/membership/mia.js';
import { miaR, quantileOf } from '../../src/attacks/membership/mia-r.js';
import { rmia } from '../../src/attacks/membership/rmia.js';
import { readOptions } from '../../src/checks/index.js';
import { normalCdf } from '../../src/math/index.js';
import { areaUnderRoc, rocCurve } from '../../src/metrics/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

interface Golden {
  readonly margins: readonly number[][];
  readonly inside: readonly number[][];
  readonly population: readonly number[][];
  readonly expected: {
    readonly mia: { readonly constant: number; readonly slope: number; readonly scores: readonly number[] };
    readonly 'mia-r': Readonly<Record<string, readonly number[]>>;
    readonly lira: Readonly<Record<string, readonly number[]>>;
    readonly rmia: Readonly<Record<string, readonly number[]>>;
    readonly roc: { readonly auc: number; readonly fpr: readonly number[]; readonly tpr: readonly number[] };
  };
}
const golden: Golden = JSON.parse(readFileSync(new URL('../golden/membership.json', import.meta.url), 'utf8'));
const { expected } = golden;

const referenceOf = (margins: readonly number[], inside: readonly number[]): ReferenceModel => ({
  margins: Float64Array.from(margins),
  inside: Uint8Array.from(inside),
  own: {
    members: Float64Array.from(margins.filter((_, k) => inside[k] === 1)),
    others: Float64Array.from(margins.filter((_, k) => inside[k] === 0)),
  },
});
const viewOf = (margins: readonly (readonly number[])[], inside: readonly (readonly number[])[]): LossView => ({
  margins: Float64Array.from(margins[0] as readonly number[]),
  losses: Float64Array.from(margins[0] as readonly number[], lossOfMargin),
  references: margins.slice(1).map((row, k) => referenceOf(row, inside[k + 1] as readonly number[])),
});
const view: LossView = {
  ...viewOf(golden.margins, golden.inside),
  population: {
    margins: Float64Array.from(golden.population[0] as number[]),
    references: golden.population.slice(1).map((row) => Float64Array.from(row)),
  },
};
const [shadows, quantiles, ratios, populations] = [mia, miaR, lira, rmia] as unknown as [
  MembershipAttack,
  MembershipAttack,
  MembershipAttack,
  MembershipAttack,
];
const scores = (attack: MembershipAttack, options: Readonly<Record<string, unknown>> = {}, seen = view) =>
  Array.from(attack.run(seen, readOptions(attack.options, options) as never, seededSource(1)));
const expectClose = (found: readonly number[], wanted: readonly number[], digits = 9) => {
  expect(found).toHaveLength(wanted.length);
  for (const [k, one] of wanted.entries()) expect(found[k]).toBeCloseTo(one, digits);
};

describe('log-odds and losses', () => {
  it('follow from each other, also where a probability rounds to 0 or 1', () => {
    for (const margin of [-700, -50, -3, 0, 1e-9, 2, 15])
      expect(marginOfLoss(lossOfMargin(margin))).toBeCloseTo(margin, 6);
    expect(lossOfMargin(800)).toBe(0);
    expect(marginOfLoss(0)).toBeCloseTo(36.7, 1);
    expect(() => marginOfLoss(-1)).toThrow('invalid loss: expected a number from 0 on, got -1');
  });

  it('come from logits without cancellation', () => {
    const found = marginsOf(Float32Array.of(60, -60, 0, 3, 1, 2), [0, 2], 3);
    expect(found[0]).toBeCloseTo(60, 9);
    expect(found[1]).toBeCloseTo(2 - Math.log(Math.exp(3) + Math.exp(1)), 12);
  });
});

describe('attacks with reference models', () => {
  it('mia: the logistic regression of scikit-learn, and its decision', () => {
    const pool = (side: 'members' | 'others') =>
      view.references.flatMap(({ own }) => Array.from(own[side], (margin) => [lossOfMargin(margin)]));
    const { constant, slopes } = fitLogistic(pool('members'), pool('others'));
    expect(constant).toBeCloseTo(expected.mia.constant, 7);
    expect(slopes[0]).toBeCloseTo(expected.mia.slope, 7);
    expectClose(scores(shadows), expected.mia.scores, 8);
  });

  it.each(['linear', 'normal', 'logit', 'difference'])('mia-r: %s quantiles', (quantile) => {
    expectClose(scores(quantiles, { quantile }), expected['mia-r'][quantile] as readonly number[]);
  });

  it.each(Object.keys(expected.lira))('lira: %s', (name) => {
    const [mode, variance] = name.split(' ');
    expectClose(scores(ratios, { mode, variance }), expected.lira[name] as readonly number[]);
  });

  it('lira: few models share a variance by default, many do not', () => {
    expect(scores(ratios)).toEqual(scores(ratios, { variance: 'shared' }));
    const many = { ...view, references: Array.from({ length: 8 }, () => view.references).flat() };
    expect(scores(ratios, {}, many)).toEqual(scores(ratios, { variance: 'example' }, many));
  });

  it.each(Object.keys(expected.rmia))('rmia: %s', (name) => {
    const [mode, ...numbers] = name.split(' ');
    const [offlineA, gamma] = mode === 'online' ? [undefined, Number(numbers[0])] : numbers.map(Number);
    expectClose(scores(populations, { mode, gamma, offlineA }), expected.rmia[name] as readonly number[]);
  });

  it('the ROC curve of their scores is that of scikit-learn', () => {
    const truth = golden.inside[0] as number[];
    const all = expected.lira['online shared'] as readonly number[];
    const side = (inside: number) => all.filter((_, k) => truth[k] === inside);
    expect(areaUnderRoc(side(1), side(0))).toBeCloseTo(expected.roc.auc, 12);
    const points = rocCurve(side(1), side(0));
    expectClose(
      points.map(({ falsePositiveRate }) => falsePositiveRate),
      expected.roc.fpr,
    );
    expectClose(
      points.map(({ truePositiveRate }) => truePositiveRate),
      expected.roc.tpr,
    );
  });

  it('a quantile has the α that gives it back', () => {
    expect(quantileOf(2, [1, 2, 3])).toBe(0.5);
    expect(quantileOf(2.5, [3, 1, 2])).toBe(0.75);
    expect([quantileOf(0, [1, 2]), quantileOf(9, [1, 2])]).toEqual([0, 1]);
  });

  it('refuse a view without the models that they need', () => {
    const none = { ...view, references: [] };
    expect(() => scores(shadows, {}, none)).toThrow(
      'the mia attack compares the target with other models: expected at least one, got none',
    );
    const outside = {
      ...view,
      references: view.references.map((one) => ({ ...one, inside: one.inside.map(() => 0) })),
    };
    expect(() => scores(ratios, {}, outside)).toThrow('two models that were trained on each candidate');
    expect(scores(ratios, { mode: 'offline' }, outside)).toHaveLength(24);
    expect(() => scores(populations, { offlineA: 1.5 })).toThrow('invalid offlineA: expected at most 1, got 1.5');
  });
});

describe('lira on log-odds with a known optimum', () => {
  // With and without an example the log-odds are N(μ + 1, 1) and N(μ, 1), and each example has a mean μ of its own: the best test compares
  // with μ + ½, and its AUC is Φ(1/√2) = .760. A threshold on the log-odds alone does far worse.
  const [count, models] = [2000, 64];
  const random = seededSource('optimum');
  const base = fillNormal(random.stream('base'), new Float64Array(count), { standardDeviation: 3 });
  const noise = fillNormal(random.stream('noise'), new Float64Array((models + 1) * count));
  const inside = (model: number, k: number) =>
    Number((k + model) % 2 === 0 ? k % 3 !== model % 3 : k % 3 === model % 3);
  const marginAt = (model: number, k: number) =>
    (base[k] as number) + inside(model, k) + (noise[model * count + k] as number);
  const row = (of: (k: number) => number, side: number) =>
    [...base.keys()].filter((k) => inside(0, k) === side).map((k) => of(k));
  const sides = (of: (k: number) => number) => ({ members: row(of, 1), others: row(of, 0) });
  const margins = sides((k) => marginAt(0, k));
  const truth = {
    members: margins.members.map(lossOfMargin),
    others: margins.others.map(lossOfMargin),
    margins,
    references: Array.from({ length: models }, (_, m) => ({
      margins: sides((k) => marginAt(m + 1, k)),
      inside: sides((k) => inside(m + 1, k)),
      own: { members: new Float64Array(0), others: new Float64Array(0) },
    })),
  };
  const evaluate = (attack: MembershipAttack, options: Readonly<Record<string, unknown>>) =>
    evaluateMembership({
      attack,
      options: readOptions(attack.options, options) as never,
      truth,
      random: seededSource(1),
      resamples: 200,
    });
  const best = normalCdf(Math.SQRT1_2);

  it('reaches the optimum within its interval (a false alarm in 5 % of seeds; this one is fixed)', () => {
    const { auc, decision } = evaluate(ratios, { variance: 'shared' });
    expect(auc.lower).toBeLessThan(best);
    expect(auc.upper).toBeGreaterThan(best - 0.01); // 64 models leave means uncertain, which costs .005
    // The best decision is right in Φ(½) = 69 % of all cases.
    expect(Math.abs((decision?.balancedAccuracy.value as number) - normalCdf(0.5))).toBeLessThan(0.03);
    expect(decision?.advantage.value).toBeCloseTo(2 * (decision?.balancedAccuracy.value as number) - 1, 12);
  });

  it('is ahead of a threshold on the loss, and of offline', () => {
    const [online, offline] = [evaluate(ratios, {}), evaluate(ratios, { mode: 'offline' })];
    const threshold: MembershipAttack = { ...shadows, run: ({ losses }) => losses.map((loss) => -loss) };
    expect(online.auc.value).toBeGreaterThan(evaluate(threshold, {}).auc.value + 0.1);
    expect(online.auc.value).toBeGreaterThanOrEqual(offline.auc.value - 0.01);
  });
});
