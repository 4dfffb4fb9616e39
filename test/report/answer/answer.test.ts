// Sentences on curves whose answers are known.

import { describe, expect, it } from 'vitest';
import { type AboutAttack, type Leakage, type Level, utilityCurve } from '../../../src/calibration/index.js';
import { type Answer, answerOf } from '../../../src/report/answer/answer.js';
import {
  amountOf,
  attacks,
  directional,
  estimate,
  fall,
  gaussian,
  makeResults,
  none,
  resultsOfThree,
  type Shape,
  single,
  staircase,
  third,
  withLevels,
} from '../fixtures.js';

const text = (value: string) => value.replace(/[\u00a0\u202f]/g, ' ');
const plain = ({ lead, ...rest }: Answer) => ({
  lead: lead.map(text),
  ...(Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, text(value)])) as typeof rest),
});
const answer = (shape: Shape = {}, over = {}) => plain(answerOf(makeResults(shape, over)));
const onlyGaussian = [none, ...[1e-3, 1e-2, 0.1, 1, 10].map(gaussian)];
const constant = (mean: number) => () => estimate(mean);
const falling = (half: number, top: number, floor: number) => (level: Level) =>
  estimate(floor + (top - floor) * fall(amountOf(level), half), 0.005);

describe('the answer', () => {
  it('names the noise that stops reconstruction, its cost, the fall of utility and the gap', () => {
    const { lead, why, epsilon, membership } = answer();
    expect(lead[0]).toBe(
      'Gaussian noise stops these attacks from reading text at σ = 10⁻³. The LCS ratio (1 is every word in order) goes from 0.99 to 0.04 for span (most exposed text: 0.23) ' +
        'and from 0.91 to 0.08 already at σ = 10⁻⁴ for Decepticons (most exposed text: 0.31). ' +
        'At σ = 10⁻³ accuracy is 95.0 % (95 % interval 94.1–95.9 %), the same as without noise. ' +
        'Training at σ = 10⁻³ has ε = 10⁶, which is no meaningful guarantee: protection there is only against these attacks. ' +
        'Utility falls between σ = 1 (89.7 %) and σ = 10 (58.3 %): there, half of what training gained over always naming the most frequent class (56.0 %) is lost. ' +
        'At the levels from σ = 10⁻³ to σ = 1, a gap of a factor of 1,000, these attacks fail and the model is still useful. ' +
        'Up to σ = 0.1 ε is above 50, which is no meaningful guarantee.',
    );
    expect(lead[1]).toContain('Directional noise stops these attacks from reading text at κ = 10⁶. ');
    expect(lead[1]).toContain('3.0 points below the 95.0 % without noise.');
    expect(lead[1]).toMatch(/still useful\. At all of these levels ε is above 50, which is no meaningful guarantee\.$/);
    expect(lead[1]).toContain('Utility falls between κ = 10³ (87.1 %) and κ = 100 (58.1 %): ');
    // 10⁻³ √3,236,354 = 1.799, and at least is rounded down.
    expect(why).toContain(
      'span attacker sees one release: the gradient of one text, spread over 3,236,354 numbers (K). At σ = 10⁻³ the noise on all of them together is at least 1.7 times',
    );
    expect(epsilon).toContain('ε = 10⁶ (δ = 8.81 × 10⁻⁵, adding or removing one example, pld accountant, upper bound)');
    expect(epsilon).toContain('These two ε are for different neighbours');
    expect(membership).toContain('AUC 0.59 without noise');
    expect(membership).toContain(
      'with Gaussian noise from σ = 1 on, at most a tenth of its margin over guessing is left (AUC 0.51)',
    );
  });

  it('tells what scaling costs from what noise costs, where a mechanism scales', () => {
    const scaled: Level = { mechanism: 'normalised', startOf: ['directional'], label: 'normalised' };
    const levels = [
      { ...none, startOf: ['gaussian'] },
      scaled,
      ...[1e-3, 1e-2, 1].map(gaussian),
      ...[1e8, 1e6, 1e2].map(directional),
    ];
    const utility = (level: Level) =>
      estimate(level.mechanism === 'normalised' ? 0.9 : level.mechanism === 'directional' ? 0.88 : 0.95);
    const leakage = { span: falling(-3.6, 1, 0.02) };
    const amounts = (level: Level) => (level.mechanism === 'normalised' ? none : level);
    const { lead } = answer({ levels, utility, leakage: { span: (level) => leakage.span(amounts(level)) } });
    expect(lead[1]).toContain(
      'Before any noise (normalised) accuracy is 90.0 % (95 % interval 89.4–90.6 %), 5.0 points below that of plain gradients: with this training, that part is not due to noise.',
    );
    expect(lead[0]).not.toContain('Before any noise');
    // Its curve begins there, and the plain level is not on it.
    const results = makeResults({ levels, utility });
    expect(utilityCurve(results, 'directional').clean?.level).toEqual(scaled);
    expect(utilityCurve(results, 'gaussian').clean?.level.mechanism).toBe('none');
  });

  it('says which mechanism keeps more utility at equal leakage, or that none clearly does', () => {
    expect(answer().comparison).toMatch(
      /^At equal leakage \(an attack gets as much under both mechanisms, read between the levels tried\) and with this training, Gaussian noise keeps more utility/,
    );
    const better = (mechanism: string) => ({ gaussian: 0.8, directional: 0.9 })[mechanism] ?? 0.92;
    const directionalWins = answer({
      utility: ({ mechanism, parameter: noise = 1 }) => ({
        ...estimate(better(mechanism)),
        values: [0, 0.001, -0.001].map((x, i) => better(mechanism) + x * ((i + noise) % 2)),
      }),
      leakage: { span: falling(-3.5, 1, 0) },
    });
    expect(directionalWins.comparison).toContain(
      'directional noise keeps more utility than Gaussian noise: by span, 90.0 % against 80.0 %',
    );
    // The sign is that of the table.
    expect(directionalWins.comparison).toContain(
      '(directional minus Gaussian: 10.0 points, 95 % interval 10.0 to 10.0)',
    );
    expect(answer().comparison).toMatch(
      /\(directional minus Gaussian: −[\d.]+ points, 95 % interval −[\d.]+ to −[\d.]+\)/,
    );
    const noisy = answer({
      utility: ({ parameter: noise = 0 }) => ({
        ...estimate(0.9),
        values: [0.8, 0.9, 1].map((x) => x + Math.sin(noise) / 20),
      }),
      leakage: { span: falling(-3.5, 1, 0) },
    });
    expect(noisy.comparison).toContain('there is no clear winner (by span): ');
    const oneSeed = answer({ utility: () => single(0.9), leakage: { span: falling(-3.5, 1, 0) } });
    expect(oneSeed.comparison).toContain('no clear winner');
    expect(oneSeed.comparison).toContain('cannot be distinguished from chance');
    const found = { span: falling(-3.5, 1, 0), membership: falling(-3.5, 0.515, 0.5) };
    expect(answer({ leakage: found }).comparison).not.toContain('membership');
    expect(answer({ levels: onlyGaussian }).comparison).toBe(
      'Only Gaussian noise was tried, so there is no comparison of mechanisms.',
    );
    expect(answer({ leakage: {} }).comparison).toContain('No attack was run');
    expect(answer({ utility: undefined }).comparison).toContain('cannot be compared');
  });

  it('does not take a wide interval for a stop', () => {
    const few = (level: Level) => ({ ...estimate(level.mechanism === 'none' ? 1 : 0.3), lower: 0, upper: 0.6 });
    const { lead } = answer({
      levels: onlyGaussian,
      leakage: { span: (level) => (level.parameter ? few(level) : estimate(1)) },
    });
    expect(lead[0]).toContain('does not stop these attacks from reading text at any level tried');
  });

  it('counts from the floor of each level', () => {
    const floors = { span: (level: Level) => (level.mechanism === 'none' ? 0.02 : 0.2) };
    const leakage = { span: (level: Level) => estimate(level.mechanism === 'none' ? 1 : 0.24) };
    expect(answer({ levels: onlyGaussian, leakage, floors }).lead[0]).toContain('stops these attacks');
    const low = { span: 0.02 };
    expect(answer({ levels: onlyGaussian, leakage, floors: low }).lead[0]).toContain('does not stop');
  });

  it('says when too few seeds cannot tell a loss from chance', () => {
    const lost = (count: number) => (level: Level) =>
      estimate(level.mechanism === 'none' ? 0.9 : 0.8, count > 1 ? 0.2 : 0, count);
    const lead = (count: number) => answer({ levels: onlyGaussian, utility: lost(count) }).lead[0];
    expect(lead(1)).toContain('10.0 points below the 90.0 % without noise, which 1 seed cannot tell from chance.');
    expect(lead(2)).toContain('which 2 seeds cannot tell from chance.');
    expect(lead(3)).toContain('without noise, which may be chance.');
  });

  it('warns of an ε that promises nothing, and of a δ that allows too much', () => {
    expect(answer().epsilon).toContain('Such large ε promise next to nothing');
    const levels = [none, gaussian(1), directional(1e6)];
    const one = answer({ levels, leakage: { span: (level) => estimate(level.mechanism === 'none' ? 1 : 0.02) } });
    expect(one.epsilon).toContain('The ε at κ = 10⁶ promises next to nothing');
    expect(answer().delta).toBe('');
    const { data } = makeResults();
    expect(answer({}, { data: { ...data, train: 11_500 } }).delta).toContain(
      'δ = 8.81 × 10⁻⁵ is not below one over the 11,500 training examples',
    );
  });

  it('offers no level as the useful one without saying that its ε promises nothing', () => {
    const stopped = { span: (level: Level) => estimate(level.mechanism === 'none' ? 1 : 0.02) };
    const lead = (levels: Level[], utility?: Shape['utility']) =>
      answer({ levels: [none, ...levels], leakage: stopped, ...(utility && { utility }) }).lead[0] ?? '';
    // One level, whose ε is weak: once is enough.
    expect(lead([gaussian(0.1)]).match(/no meaningful guarantee/g)).toHaveLength(1);
    expect(lead([gaussian(0.1)])).toContain('Training at σ = 0.1 has ε = 100, which is no meaningful guarantee: ');
    // ε = 0.601 is a promise.
    expect(lead([gaussian(1)])).not.toContain('guarantee');
    expect(lead([gaussian(1e-5)])).toContain('Training at σ = 10⁻⁵ has no finite ε, so no guarantee: protection there');
    // Reconstruction stops at the first level, but utility dips there, so that the gap is the second alone.
    const dip = ({ parameter }: Level) => estimate(parameter === 1e6 ? 0.57 : 0.9);
    expect(lead([directional(1e6), directional(1e3)], dip)).toMatch(
      /only κ = 10³ both stops these attacks and keeps utility\. Training at κ = 10³ has ε = 6,000, which is no meaning/,
    );
  });

  it('says what was not measured under noise yet, and nothing else about it', () => {
    const whole = makeResults({ levels: onlyGaussian });
    const levels = whole.levels.map((one, place) => (place === 0 ? one : { level: one.level, leakage: {} }));
    const { lead } = answerOf(withLevels(whole, levels));
    expect(lead[0]).toContain('No attack that gets text back has results under Gaussian noise.');
    expect(lead[0]).not.toMatch(/next to nothing|hardly above|stops/);
  });

  it('says when reconstruction never stops', () => {
    const { lead, why, epsilon } = answer({ levels: onlyGaussian, leakage: { span: constant(0.8) } });
    expect(lead[0]).toContain(
      'Gaussian noise does not stop these attacks from reading text at any level tried: span still gets text back at σ = 10, the most. The LCS ratio (1 is every word in order) goes from 0.80 to 0.80 for span (most exposed text: 0.81).',
    );
    expect(lead[0]).not.toContain('gap');
    expect([why, epsilon]).toEqual(['', '']);
  });

  it('says when the least noise tried stops it already', () => {
    const { lead } = answer({ levels: onlyGaussian, leakage: { span: falling(-6, 1, 0) } });
    expect(lead[0]).toContain('at σ = 10⁻³, the least that was tried. ');
  });

  it('says when attacks find nothing without noise, or when there are none', () => {
    expect(answer({ leakage: { span: constant(0.03) }, floors: { span: 0.02 } }).lead[0]).toMatch(
      /^Without noise span already finds next to nothing/,
    );
    expect(answer({ leakage: {} }).lead[0]).toMatch(/^No attack that gets text back has results/);
    const without = { attacks: attacks.filter(({ goal }) => goal === 'membership') };
    expect(answer({ leakage: {} }, without).lead[0]).toMatch(/^No attack of this study tries to get text back/);
    expect(answer({ leakage: { membership: constant(0.51) } }).membership).toContain('too close to guessing');
    expect(answer({ leakage: { membership: constant(0.7) } }).membership).toContain(
      'even with Gaussian noise at σ = 10, more than a tenth of its margin over guessing is left (AUC 0.70)',
    );
  });

  it('says when utility does not fall, falls first, or was never there', () => {
    const span = falling(-1.5, 1, 0);
    const stays = answer({ levels: onlyGaussian, utility: constant(0.9), leakage: { span } });
    expect(stays.lead[0]).toContain(
      'Utility is kept up to σ = 10, the most that was tried: at least half of what training gained over always naming the most frequent class (56.0 %) is left. ' +
        'At the levels from σ = 0.1 to σ = 10, a gap of a factor of at least 100, these attacks fail',
    );
    const first = answer({ levels: onlyGaussian, utility: falling(-2.5, 0.9, 0.56), leakage: { span } });
    expect(first.lead[0]).toContain('No level tried both stops these attacks and keeps utility.');
    const never = answer({ levels: onlyGaussian, utility: constant(0.56), leakage: { span } });
    expect(never.lead[0]).toContain(
      'Even without noise accuracy (56.0 %) is hardly above always naming the most frequent class (56.0 %)',
    );
    const unknown = answer({ levels: onlyGaussian, utility: undefined, leakage: { span } });
    expect(unknown.lead[0]).toContain('Utility was not measured at σ = 0.1.');
    const once = answer({ levels: onlyGaussian, utility: falling(-0.5, 0.9, 0.56), leakage: { span } });
    expect(once.lead[0]).toContain('Of the levels tried, only σ = 0.1 both stops these attacks and keeps utility.');
  });

  it('does not call it a stop while a single text comes back', () => {
    const one = (level: Level) =>
      level.parameter === 1 ? { ...estimate(0.08), values: [0.96, ...Array<number>(11).fill(0)] } : estimate(0.01);
    const { lead } = answer({
      levels: onlyGaussian,
      leakage: { span: (level) => (level.parameter ? one(level) : estimate(1)) },
    });
    expect(lead[0]).toContain('stops these attacks from reading text at σ = 10. ');
  });

  it('says when too few texts or seeds cannot tell a value from the floor', () => {
    const few = (level: Level) =>
      level.parameter ? estimate(0) : { mean: 0.57, lower: 0, upper: 0.9, values: [0.9, 0.8, 0] };
    expect(answer({ levels: onlyGaussian, leakage: { span: few } }).lead[0]).toContain(
      'Without noise span scores 0.57 (LCS ratio); 3 texts are too few to tell that from 0.02, its score when there is nothing to find.',
    );
    const seeds = { mean: 0.9, lower: 0.4, upper: 1, values: [0.88, 0.92] };
    const { lead } = answer({ levels: onlyGaussian, utility: (level) => (level.parameter ? estimate(0.57) : seeds) });
    expect(lead[0]).toContain(
      'Utility has already fallen at σ = 10⁻³ (57.0 %), the least noise that was tried: less than half',
    );
    expect(lead[0]).toContain('With 2 seeds the accuracy without noise cannot be distinguished from always naming');
    const member = { mean: 0.6, lower: 0.35, upper: 0.85, values: [0.58, 0.62] };
    expect(answer({ leakage: { membership: () => member } }).membership).toContain(
      'AUC 0.60 without noise (0.50 is guessing); 2 seeds are too few to tell that from guessing.',
    );
  });

  it('warns if the others of membership are of another kind than the training data', () => {
    const kind = {
      different: true,
      pValue: 0,
      auc: 0.812,
      by: 'lengths',
      tokens: { members: 12, others: 29 },
    } as const;
    const results = makeResults();
    const withKind = (different: boolean) =>
      results.levels.map((level) => {
        const { membership, ...leakage } = level.leakage as Record<string, Leakage>;
        return {
          ...level,
          leakage: { ...leakage, membership: { ...(membership as Leakage), kind: { ...kind, different } } },
        };
      });
    const sentence =
      'Those others are of another kind than the training examples: their lengths alone tell them apart with an AUC of 0.81, without any model, so the membership attack may show the kind instead.';
    expect(plain(answerOf({ ...results, levels: withKind(true) })).membership).toContain(sentence);
    expect(plain(answerOf({ ...results, levels: withKind(false) })).membership).not.toContain('another kind');
  });

  it('explains the gap by the attack that needs the most noise', () => {
    const leakage = { span: falling(-6, 1, 0), decepticons: falling(-2.5, 1, 0) };
    const { why } = answer({ levels: onlyGaussian, utility: falling(0.5, 0.9, 0.56), leakage });
    expect(why).toContain('The Decepticons attacker sees one release: the sum of the gradients of 8 texts');
    expect(why).toContain('for 114 steps');
  });

  it('does not speak of levels that are still to be measured', () => {
    const whole = makeResults({ levels: onlyGaussian, leakage: { span: constant(0.8) } });
    const levels = whole.levels.map((one) =>
      (one.level.parameter ?? 0) > 0.01 ? { level: one.level, leakage: {} } : one,
    );
    const lead = text(answerOf(withLevels(whole, levels)).lead[0] as string);
    expect(lead).toContain('at any level measured so far: span still gets text back at σ = 0.01.');
    expect(lead).toContain('up to σ = 0.01, the most that was measured: ');
    // Here the least noise is missing: whether it stops text, or keeps utility, is not known.
    const shape = { levels: onlyGaussian, utility: falling(-2.5, 0.9, 0.56), leakage: { span: falling(-6, 1, 0) } };
    const late = makeResults(shape);
    const rest = late.levels.map((one) => (one.level.parameter === 1e-3 ? { level: one.level, leakage: {} } : one));
    const paragraph = text(answerOf(withLevels(late, rest)).lead[0] as string);
    expect(paragraph).toContain('stops these attacks from reading text at σ = 0.01. ');
    expect(paragraph).not.toMatch(/the least|No level tried/);
    expect(text(answerOf(late).lead[0] as string)).toContain('at σ = 10⁻³, the least that was tried. ');
  });

  it('leaves a dip of utility out of the gap', () => {
    const dip: Record<number, number> = { 0.001: 0.89, 0.01: 0.6, 0.1: 0.88, 1: 0.87, 10: 0.57 };
    const utility = ({ parameter: noise }: Level) => estimate(noise ? (dip[noise] as number) : 0.9);
    const { lead } = answer({ levels: onlyGaussian, utility, leakage: { span: falling(-4, 1, 0) } });
    expect(lead[0]).toContain(
      'Utility falls between σ = 1 (87.0 %) and σ = 10 (57.0 %): there, half of what training gained over always naming the most frequent class (56.0 %) is lost. Accuracy was lower at σ = 0.01 (60.0 %)',
    );
    expect(lead[0]).toContain('At the levels from σ = 0.1 to σ = 1, a gap of a factor of 10,');
  });

  it('does not take a bounce for a fall', () => {
    const bounce: Record<number, number> = { 0.001: 0.9, 0.01: 0.02, 0.1: 0.5, 1: 0.02, 10: 0.02 };
    const { lead } = answer({
      levels: onlyGaussian,
      leakage: { span: ({ parameter: noise }) => estimate(noise ? (bounce[noise] ?? 0) : 1, 0.005) },
    });
    expect(lead[0]).toContain('reading text at σ = 1. ');
  });

  it('works without a level without noise, with no levels, and with an ε that is infinite', () => {
    const { lead } = answer({ levels: [1e-5, 1e-3, 1, 10].map(gaussian) });
    expect(lead).toEqual([
      'Span and Decepticons were not measured without noise, so this study cannot say what Gaussian noise prevents.',
    ]);
    expect(answer({ levels: [none] }).lead).toEqual([
      'No noise was tried, so this study cannot say what noise prevents or costs.',
    ]);
    const infinite = answer({ levels: [none, gaussian(1e-6), gaussian(1e-5)], leakage: { span: falling(-5.5, 1, 0) } });
    expect(infinite.epsilon).toContain('σ = 10⁻⁵ has no finite ε');
    expect(answer({ levels: [none, directional(1e7), directional(1e6), directional(1e3)] }).lead[0]).toMatch(
      /^Directional noise stops/,
    );
  });
});

describe('the answer with a third mechanism', () => {
  const three = (shape: Shape = {}) => plain(answerOf(resultsOfThree(shape)));
  const span = { span: falling(-3.5, 1, 0) };
  const accuracies: Readonly<Record<string, number>> = { gaussian: 0.8, directional: 0.9, staircase: 0.7 };
  /** Seeds that hardly differ. */
  const clear = ({ mechanism, parameter = 1 }: Level) => {
    const mean = accuracies[mechanism] ?? 0.92;
    return { ...estimate(mean), values: [0, 0.001, -0.001].map((x, i) => mean + x * ((i + parameter) % 2)) };
  };

  it('has a paragraph for it', () => {
    const { lead } = three();
    expect(lead).toHaveLength(3);
    expect(lead[2]).toMatch(
      /^Staircase noise stops these attacks from reading text at γ = 10³\. The LCS ratio \(1 is every word in order\) goes from 0\.99 to /,
    );
    expect(lead[2]).toContain('Utility falls between γ = 1 (');
    expect(lead[2]).toContain('a gap of a factor of 1,000,');
  });

  it('compares every pair, and says which', () => {
    const { comparison } = three({ utility: clear, leakage: span });
    const sentences = comparison.split(/(?<=\))\. /);
    expect(sentences.pop()).toBe('The order of mechanisms can follow the learning rate, and none was tuned here.');
    expect(sentences).toHaveLength(3);
    expect(sentences.map((one) => one.split(',')[0])).toEqual([
      'At equal leakage (an attack gets as much under both mechanisms',
      'Compared in the same way',
      'Compared in the same way',
    ]);
    expect(sentences[0]).toContain(
      'directional noise keeps more utility than Gaussian noise: by span, 90.0 % against 80.0 %',
    );
    expect(sentences[1]).toContain(
      'Gaussian noise keeps more utility than staircase noise: by span, 80.0 % against 70.0 %',
    );
    expect(sentences[1]).toContain('(staircase minus Gaussian: −10.0 points, 95 % interval −10.0 to −10.0)');
    expect(sentences[2]).toContain(
      'directional noise keeps more utility than staircase noise: by span, 90.0 % against 70.0 %',
    );
  });

  it('names the pair that has no winner', () => {
    const alike = three({ utility: () => single(0.9), leakage: span }).comparison;
    expect(alike).toContain(
      'and with this training, there is no clear winner between Gaussian noise and directional noise',
    );
    expect(alike).toContain(
      'Compared in the same way, there is no clear winner between Gaussian noise and staircase noise (by span)',
    );
    expect(alike).toContain('no clear winner between directional noise and staircase noise');
    expect(three({ utility: undefined }).comparison).toContain('no attack gets equally much under two of them');
  });

  it('mentions every ε', () => {
    const { epsilon } = three();
    expect(epsilon).toContain('; training at γ = 10³ has ');
    expect(epsilon).toContain('These ε are for different neighbours');
  });

  it('explains a gap by the cosine where the length of the noise is not known', () => {
    const levels = [none, ...[1e3, 1, 0.1].map(staircase)];
    const one = answerOf(makeResults({ levels, leakage: span }, { mechanisms: [third] }));
    expect(text(one.why)).toContain(
      'At γ = 10³ the cosine between the shared and the true gradient is 0.49 (1 is the same direction).',
    );
    const bare = makeResults({ levels, leakage: span }, { mechanisms: [third] });
    const without = bare.levels.map((at) => {
      const { cosine: _, ...leak } = at.leakage.span as Leakage;
      return { ...at, leakage: { span: leak } };
    });
    expect(text(answerOf(withLevels(bare, without)).why)).toContain(
      'At γ = 10³ it was not measured how far the noise turns the gradient.',
    );
  });
});

describe('the answer with an attack of another measure', () => {
  const exact: AboutAttack = {
    name: 'verbatim',
    label: 'verbatim',
    goal: 'reconstruction',
    situation: 'model',
    measure: { key: 'exactShare', name: 'exact share', scale: '1 is every text', range: [0, 1] },
    texts: 1,
    definition: 'Reads out training texts.',
  };

  it('names the measure of each attack', () => {
    const leakage = { span: falling(-2.5, 1, 0), verbatim: falling(-2.5, 0.8, 0) };
    const { lead } = answer({ levels: onlyGaussian, leakage }, { attacks: [...attacks, exact] });
    expect(lead[0]).toContain(
      'The LCS ratio (1 is every word in order) goes from 1.00 to 0.03 for span (most exposed text: 0.04). The exact share (1 is every text) goes from 0.80 to 0.02 for verbatim (',
    );
  });

  it('takes guessing from the floor of an attack on trained models', () => {
    const custom = { ...exact, name: 'custom', label: 'custom', goal: 'membership' as const };
    const { membership } = answer(
      { levels: onlyGaussian, leakage: { custom: constant(0.6) }, floors: { custom: 0.25 } },
      { attacks: [custom] },
    );
    expect(membership).toBe(
      'The custom attack tries to tell training examples from others by the trained models: exact share 0.60 without noise (0.25 is guessing); even with Gaussian noise at σ = 10, more than a tenth of its margin over guessing is left (exact share 0.60).',
    );
  });
});
