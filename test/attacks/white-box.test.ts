// Signals of models whose parameters and training are seen, weighed by a regression: against scikit-learn, and where one of them alone tells.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluateMembership, type Insight, type MembershipAttack, truthOfLogits } from '../../src/attacks/index.js';
import { gradientNorm } from '../../src/attacks/membership/gradient-norm.js';
import { fitLogistic, probabilityOf } from '../../src/attacks/membership/logistic.js';
import { lossOfMargin } from '../../src/attacks/membership/margins.js';
import { membership } from '../../src/attacks/membership/membership.js';
import { updates } from '../../src/attacks/membership/updates.js';
import { whiteBox } from '../../src/attacks/membership/white-box.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

describe('logistic regression on several numbers', () => {
  it('is that of scikit-learn', () => {
    const golden = JSON.parse(readFileSync(new URL('../golden/logistic.json', import.meta.url), 'utf8'));
    const rows = golden.x as number[][];
    const fit = fitLogistic(
      rows.filter((_, i) => golden.y[i] === 1),
      rows.filter((_, i) => golden.y[i] === 0),
    );
    expect(fit.constant).toBeCloseTo(golden.constant, 6);
    for (const [i, slope] of fit.slopes.entries()) expect(slope).toBeCloseTo(golden.slopes[i], 6);
    for (const [i, x] of rows.entries()) expect(probabilityOf(fit, x)).toBeCloseTo(golden.probabilities[i], 6);
  });
});

/** A model with as many members as others; `told` shifts one signal of the members. */
function modelOf(seed: number, told: Partial<Record<'margin' | 'norm' | 'evidence', number>>, count = 300) {
  const random = seededSource(seed);
  const side = (inside: number) => ({
    margins: fillNormal(random, new Float64Array(count)).map((x) => x + inside * (told.margin ?? 0)),
    insight: {
      gradientNorms: fillNormal(random, new Float64Array(count)).map((x) => Math.exp(x - inside * (told.norm ?? 0))),
      evidence: fillNormal(random, new Float64Array(count)).map((x) => x + inside * (told.evidence ?? 0)),
    } satisfies Insight,
  });
  const [members, others] = [side(1), side(0)];
  return {
    margins: { members: members.margins, others: others.margins },
    insight: { members: members.insight, others: others.insight },
  };
}

/** AUC of an attack on a target, with three models of the attacker's own of the same kind. */
function areaOf(attack: unknown, told: Parameters<typeof modelOf>[1]): number {
  const [target, ...own] = [1, 2, 3, 4].map((seed) => modelOf(seed, told)) as [
    ReturnType<typeof modelOf>,
    ...ReturnType<typeof modelOf>[],
  ];
  const none = { members: new Float64Array(300), others: new Float64Array(300) };
  return evaluateMembership({
    attack: attack as MembershipAttack,
    options: { steps: 1 },
    truth: {
      members: target.margins.members.map(lossOfMargin),
      others: target.margins.others.map(lossOfMargin),
      margins: target.margins,
      insight: target.insight,
      references: own.map(({ margins, insight }) => ({ margins: none, inside: none, own: { ...margins, insight } })),
    },
    random: seededSource(9),
    resamples: 20,
  }).auc.value;
}

describe('attacks on what a model shows besides predictions', () => {
  // Normal signals that differ by 1.5 have an area of .856, two of them .933; 300 against 300 leave a deviation of .016, and four of them are rare.
  it.each(['margin', 'norm', 'evidence'] as const)('white-box finds the signal that tells: %s', (signal) => {
    expect(Math.abs(areaOf(whiteBox, { [signal]: 1.5 }) - 0.856)).toBeLessThan(0.064);
  });

  it('white-box is ahead of each signal by itself where two tell', () => {
    const told = { norm: 1.5, evidence: 1.5 };
    expect(areaOf(whiteBox, told)).toBeGreaterThan(0.933 - 0.04);
    for (const attack of [gradientNorm, updates]) expect(Math.abs(areaOf(attack, told) - 0.856)).toBeLessThan(0.064);
  });

  it('read parameters or training, and refuse predictions alone', () => {
    const view = { losses: new Float64Array(4), margins: new Float64Array(4), references: [] };
    expect(() => updates.run(view, { steps: 1 }, seededSource(1))).toThrow('the updates attack reads the parameters');
    expect(() => gradientNorm.run(view, {}, seededSource(1))).toThrow('expected a model that is trained here');
  });
});

describe('membership by the loss', () => {
  it('ranks examples whose losses are rounded to 0 by their log-odds', () => {
    const zeros = new Float64Array(20);
    const auc = (margins?: { members: number[]; others: number[] }) =>
      evaluateMembership({
        attack: membership,
        options: {},
        truth: { members: zeros, others: zeros, ...(margins && { margins }) },
        random: seededSource(1),
        resamples: 20,
      }).auc.value;
    const from = (start: number) => Array.from(zeros, (_, i) => start + i);
    expect(auc({ members: from(140), others: from(100) })).toBe(1);
    expect(auc()).toBe(0.5);
  });

  it('of a model that is sure of everything: losses from its logits are 0, and their order is not lost', () => {
    const side = (start: number) => ({
      logits: Float32Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? start + i : -start)),
      labels: new Array<number>(20).fill(0),
    });
    const truth = truthOfLogits({ members: side(500), others: side(450) }, 2);
    expect([...Array.from(truth.members), ...Array.from(truth.others)]).toEqual(new Array(40).fill(0));
    const random = seededSource(1);
    expect(evaluateMembership({ attack: membership, options: {}, truth, random, resamples: 20 }).auc.value).toBe(1);
  });
});
