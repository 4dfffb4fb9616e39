import { describe, expect, it } from 'vitest';
import { withQuestion } from '../../../src/calibration/index.js';
import { summaryOf } from '../../../src/report/answer/summary.js';
import { amountOf, estimate, fall, makeResults, withLevels } from '../fixtures.js';

const results = makeResults();
const page = (given = results) => {
  const { trained, cost, situations, missing } = summaryOf(given);
  const parts = situations.flatMap(({ heading, who, found, advice, assumptions }) => [
    heading,
    who,
    ...found,
    advice,
    ...assumptions,
  ]);
  return [trained, cost, ...parts, missing].join('\n').replace(/[\u00a0\u202f]/g, ' ');
};

describe('the first page', () => {
  it('has no symbols', () => {
    const limits = [{ measure: 'text', most: 0.3 } as const, { measure: 'auc', most: 0.55 } as const];
    for (const text of [page(), page(withQuestion(results, { epsilon: 2, leakageAtMost: limits }))]) {
      expect(text).not.toMatch(/[σκεδγ]|\bK\b|undefined|NaN|Infinity/);
    }
  });

  it('says who sees what, what comes back, and what to do', () => {
    const text = page();
    expect(text).toContain('Only the trained model is seen');
    expect(text).toContain('Gradients of single clients are seen');
    expect(text).toContain('the strongest attack (span) gets back 99 % of the words in order');
    expect(text).toContain('says which is which in 59 % of cases');
    expect(text).toContain('This rests on measurement alone');
    expect(text).toContain('Not measured in this study: “Every update of training is seen” (updates).');
    expect(text).toContain('a privacy budget (epsilon) of 8, for adding or removing one example');
  });

  it('says how many would be named, beside how many chance names', () => {
    const records = {
      falseAlarms: 0.01,
      runs: 3,
      members: 4812,
      others: 602,
      named: estimate(96.4, 3),
      byChance: 48.1,
      most: [],
    };
    const named = withLevels(
      results,
      results.levels.map((at) => {
        const { membership } = at.leakage;
        return membership ? { ...at, leakage: { ...at.leakage, membership: { ...membership, records } } } : at;
      }),
    );
    expect(page(named)).toContain(
      'If one false alarm in a hundred is accepted, it would name 96 of 4,812 training texts without noise; chance alone names 48.',
    );
    expect(page()).not.toContain('false alarm in a hundred');
  });

  it('answers limits with their interval, guarantee and cost', () => {
    const text = page(withQuestion(results, { leakageAtMost: [{ measure: 'text', most: 0.3 }] }));
    expect(text).toMatch(
      /At most 30 % of the words in order: Gaussian noise from noise multiplier \S+ × 10⁻⁴ on \(95 % interval: noise multiplier .* to noise multiplier .*\), which has a privacy budget/,
    );
    expect(text).toContain('a promise that means next to nothing');
  });

  it('says how the privacy budget of models that attacks trained themselves compares', () => {
    const withOwn = (epsilon: number) => ({
      ...results,
      attacks: results.attacks.map((one) => (one.name === 'membership' ? { ...one, ownModels: true as const } : one)),
      levels: results.levels.map((one) => {
        const { membership } = one.leakage;
        if (!membership || one.level.parameter !== 1) return one;
        const measures = { ...membership.measures, ownEpsilon: estimate(epsilon, 0) };
        return { ...one, leakage: { ...one.leakage, membership: { ...membership, measures } } };
      }),
    });
    // σ = 1 has .60012 and κ = 1 is not tried.
    expect(page(withOwn(6))).toContain('their privacy budget is larger than the one stated for this training.');
    expect(page(withOwn(0.30006))).toContain('smaller than the one stated for this training (down to 50 % of it)');
    const unknown = withOwn(Number.NaN);
    expect(page(unknown)).toContain('the privacy budget stated for this training is not theirs.');
  });

  it('says whose accuracy stands beside attacks on shared gradients', () => {
    expect(page()).toContain(
      'every client shares only the gradient of the 66,306 trained numbers, protected as one vector with this noise, 128 clients per step; clients that protect and share all 3,236,354 numbers that are attacked here would lose more.',
    );
    const same = { ...results, shared: { ...results.shared, selection: results.trainable.selection } };
    expect(page(same)).toContain('every client protects its own gradient with this noise, 128 clients per step.');
  });

  it('says that tuning does not count, where it does not', () => {
    const said = 'the privacy budget stated here does not count these.';
    const tuned = (accounted: boolean) => ({
      ...results,
      study: { ...results.study, training: { ...results.study.training, tuning: { accounted } } },
    });
    expect(page(tuned(false))).toContain(said);
    expect(page(tuned(true))).not.toContain(said);
  });

  it('names attacks that cannot be judged', () => {
    const few = makeResults({
      leakage: {
        span: (level) => estimate(0.02 + 0.97 * fall(amountOf(level), -3.6), 0.02, 20),
        decepticons: (level) => estimate(0.03 + 0.5 * fall(amountOf(level), -4.4), 0.6, 3),
      },
    });
    expect(page(few)).toMatch(
      /every attack that can be judged gets at most a tenth .* Too little was measured to judge Decepticons\./,
    );
    expect(page()).not.toContain('Too little was measured');
  });

  it('says so where nothing was tried or found', () => {
    // AUC .59 without noise.
    expect(page()).toContain('These attacks find too little, even without noise');
    expect(page(makeResults({ levels: [] }))).toContain('Accuracy without noise was not measured.');
    const blind = makeResults({
      leakage: { membership: () => ({ mean: 0.5, lower: 0.49, upper: 0.51, values: [0.5] }) },
    });
    expect(page(blind)).toContain('These attacks find too little');
  });
});
