// The figures of membership against naive ones over all pairs and thresholds, and that the attacker does not see who is a member.

import { describe, expect, it } from 'vitest';
import { evaluateMembership, type LossAttack, type LossView } from '../../src/attacks/index.js';
import { findAttack } from '../../src/attacks/registry.js';
import { readRoc } from '../../src/metrics/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const yeom = findAttack('membership') as LossAttack;
const evaluate = (members: ArrayLike<number>, others: ArrayLike<number>, attack = yeom, seed = 1) =>
  evaluateMembership({ attack, options: {}, truth: { members, others }, random: seededSource(seed), resamples: 100 });
const scoring = (run: LossAttack['run']): LossAttack => ({ ...yeom, run });

/** Rounded, so that there are ties. */
const draw = (name: string, count: number, mean: number) =>
  [...fillNormal(seededSource('figures').stream(name), new Float64Array(count))].map(
    (x) => Math.round(8 * (x + mean)) / 8,
  );
const [members, others] = [draw('members', 150, 10), draw('others', 1200, 10.7)];

const share = (scores: readonly number[], least: number) => scores.filter((x) => x >= least).length / scores.length;
/** Every score as a threshold, and one above all. */
function naive(high: readonly number[], low: readonly number[]) {
  const points = [...high, ...low, Number.POSITIVE_INFINITY].map((t) => ({ tpr: share(high, t), fpr: share(low, t) }));
  const wins = high.flatMap((a) => low.map((b) => (a > b ? 1 : a === b ? 0.5 : 0)));
  return {
    auc: wins.reduce((sum: number, x) => sum + x, 0) / wins.length,
    advantage: Math.max(...points.map(({ tpr, fpr }) => tpr - fpr)),
    tprAt: (rate: number) => Math.max(...points.filter(({ fpr }) => fpr <= rate).map(({ tpr }) => tpr)),
  };
}
const negative = (numbers: readonly number[]) => numbers.map((x) => -x);
const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

describe('the figures of membership', () => {
  it('are those of all pairs and all thresholds', () => {
    const found = evaluate(members, others);
    const { auc, advantage, tprAt } = naive(negative(members), negative(others));
    expect(found.auc.value).toBeCloseTo(auc, 12);
    expect(found.advantage.value).toBeCloseTo(advantage, 12);
    expect(found.tprAt1.value).toBeCloseTo(tprAt(0.01), 12);
    expect(found.tprAt01.value).toBeCloseTo(tprAt(0.001), 12);
    expect(found.tprAt01.value).toBeLessThan(found.tprAt1.value);
    expect(found.lossGap.value).toBeCloseTo(mean(others) - mean(members), 12);
    expect([found.members, found.others]).toEqual([150, 1200]);
  });

  it('are read off the ROC curve, too', () => {
    const { roc, tprAt1, tprAt01, advantage } = evaluate(members, others);
    expect([readRoc(roc, 0.01), readRoc(roc, 0.001)]).toEqual([tprAt1.value, tprAt01.value]);
    // Losses are rounded, so the curve is short and has all of its corners.
    const best = Math.max(...roc.map((point) => point.truePositiveRate - point.falsePositiveRate));
    expect(best).toBeCloseTo(advantage.value, 12);
  });

  it('have a floor: two halves of the others, compared by the same scores', () => {
    const half = (rest: number) => negative(others.filter((_, place) => place % 2 === rest));
    const { auc, advantage, tprAt } = naive(half(0), half(1));
    const { floor } = evaluate(members, others);
    expect(floor.auc).toBeCloseTo(auc, 12);
    expect(floor.advantage).toBeCloseTo(advantage, 12);
    expect(floor.tprAt1).toBeCloseTo(tprAt(0.01), 12);
    expect(evaluate([1, 2], [3]).floor).toEqual({ auc: 0.5, advantage: 0, tprAt1: 0 });
  });

  it('have intervals as wide as theory predicts, equal for equal seeds', () => {
    const { auc, lossGap } = evaluate(members, others);
    // Both groups have variance 1 up to rounding; a bootstrap of 100 gives a deviation to about 7 %.
    const deviation = Math.sqrt(1 / members.length + 1 / others.length);
    const width = (lossGap.upper - lossGap.lower) / (2 * 1.96 * deviation);
    expect(width).toBeGreaterThan(0.65);
    expect(width).toBeLessThan(1.35);
    expect(evaluate(members, others).auc).toEqual(auc);
    expect(evaluate(members, others, yeom, 2).auc).toMatchObject({ value: auc.value });
    expect(evaluate(members, others, yeom, 2).auc.lower).not.toBe(auc.lower);
  });
});

describe('groups', () => {
  const width = (groups?: { members: string[]; others: string[] }) => {
    // Four copies of each loss: the rows of a group tell no more than one of them.
    const truth = { members: members.flatMap((x) => [x, x, x, x]), others: others.flatMap((x) => [x, x, x, x]) };
    const { auc } = evaluateMembership({
      attack: yeom,
      options: {},
      truth: { ...truth, ...(groups && { groups }) },
      random: seededSource(1),
      resamples: 200,
    });
    return auc.upper - auc.lower;
  };
  const named = (numbers: readonly number[]) => numbers.flatMap((_, i) => Array<string>(4).fill(`${i}`));

  it('are resampled as a whole, so that copies do not make intervals narrower', () => {
    const single = evaluate(members, others).auc;
    const grouped = width({ members: named(members), others: named(others) });
    // A bootstrap of 100 or 200 gives a width to about a tenth.
    expect(grouped / (single.upper - single.lower)).toBeGreaterThan(0.75);
    expect(grouped / (single.upper - single.lower)).toBeLessThan(1.33);
    expect(width()).toBeLessThan(0.65 * grouped);
  });
});

describe('the attacker', () => {
  it('sees the losses, their log-odds and nothing else, every one of them once', () => {
    const views: LossView[] = [];
    const watching = scoring((view) => {
      views.push(view);
      return view.losses;
    });
    evaluate(members, others, watching);
    expect(views.map((view) => Object.keys(view))).toEqual([['losses', 'margins', 'references']]);
    expect(views[0]?.references).toEqual([]);
    const sorted = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);
    expect(sorted(views[0]?.losses as Float64Array)).toEqual(sorted([...members, ...others]));
  });

  it('learns nothing from the order', () => {
    const byPlace = scoring(({ losses }) => losses.map((_, place) => -place));
    // Under chance the AUC has variance (m + n + 1) / 12mn; four deviations are passed once in 16,000 times.
    const deviation = Math.sqrt((150 + 1200 + 1) / (12 * 150 * 1200));
    for (const seed of [1, 2, 3]) {
      expect(Math.abs(evaluate(members, others, byPlace, seed).auc.value - 0.5)).toBeLessThan(4 * deviation);
    }
  });

  it('has its scores returned to the right examples', () => {
    // Members have losses of their own, so an attack may know them; each must meet its own score.
    const known = new Set(members.map((_, i) => 1000 + i));
    const oracle = scoring(({ losses }) => losses.map((loss) => (known.has(loss) ? 1 : 0)));
    expect(evaluate([...known], others, oracle)).toMatchObject({ auc: { value: 1 }, tprAt01: { value: 1 } });
  });
});
