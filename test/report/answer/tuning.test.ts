// What the answer says of tuned training: under which settings mechanisms were compared, and whether their order depends on them.

import { describe, expect, it } from 'vitest';
import type { Level, StudyResults } from '../../../src/calibration/index.js';
import { answerOf } from '../../../src/report/answer/answer.js';
import { chosenSentences, edgeSentences } from '../../../src/report/answer/tuning.js';
import { controlResults, middleBest, orderChanges, tunedOver, withRate } from '../controls.js';
import { gaussian, makeResults, none } from '../fixtures.js';

const text = (value: string) => value.replace(/[\u00a0\u202f]/g, ' ');
const comparison = (results: StudyResults) => text(answerOf(results).comparison);
const tuned = (...given: Parameters<typeof tunedOver>) => controlResults({}, tunedOver(...given));

describe('the comparison of mechanisms', () => {
  it('says that settings were tuned, and what was tried', () => {
    const sentence = comparison(tuned(middleBest));
    expect(sentence).toMatch(
      /^At equal leakage \([^)]*\) and with the learning rate chosen for each mechanism and level on validation data \(tried: 0\.0005, 0\.002, 0\.01\), Gaussian noise keeps more utility than directional noise: by span, /,
    );
    expect(sentence).not.toMatch(/with this training|none was tuned/);
    expect(sentence.match(/tried: /g)).toHaveLength(1);
    expect(sentence.match(/\. Compared in the same way, /g)).toHaveLength(2);
  });

  it('says at how many levels, if that is not all of them', () => {
    const at = (levels: number) => comparison(tuned(middleBest, { tuning: { levels, accounted: false } }));
    expect(at(2)).toContain('chosen for each mechanism at 2 levels on validation data');
    expect(at(1)).toContain('chosen for each mechanism at 1 level on validation data');
    expect(at(4)).toContain('chosen for each mechanism and level on validation data');
  });

  it('names the epochs if they are tuned too, and says that the learning rate is not if it is not', () => {
    const both = comparison(tuned(middleBest, { epochs: { tune: [3, 10] } }));
    expect(both).toContain(
      'with the learning rate and number of epochs chosen for each mechanism and level on validation data (tried: learning rate 0.0005, 0.002, 0.01; number of epochs 3, 10)',
    );
    const onlyEpochs = comparison(tuned(middleBest, { learningRate: 0.002, epochs: { tune: [3, 10] } }));
    expect(onlyEpochs).toContain(
      'with the number of epochs chosen for each mechanism and level on validation data (tried: 3, 10)',
    );
    expect(onlyEpochs).toContain('can follow the learning rate, and none was tuned here.');
  });

  it('says that nothing was tuned where that is so, and nothing where there is no comparison', () => {
    const sentence = comparison(controlResults());
    expect(sentence).toContain(' and with this training, Gaussian noise keeps more utility');
    expect(sentence).toMatch(/ The order of mechanisms can follow the learning rate, and none was tuned here\.$/);
    expect(comparison(makeResults({ levels: [none, gaussian(1)] }))).not.toContain('learning rate');
    expect(comparison(makeResults({ leakage: {} }))).not.toContain('learning rate');
  });

  it('gives no interval where settings were tried with one seed', () => {
    const results = tuned(orderChanges);
    const once = results.equalLeakage.map(({ bySettings, ...one }) => ({
      ...one,
      ...(bySettings && {
        bySettings: { ...bySettings, differences: bySettings.differences.map(({ interval: _, ...rest }) => rest) },
      }),
    }));
    const training = { ...results.study.training, tuning: { seeds: 1, accounted: false } };
    const sentence = comparison({ ...results, equalLeakage: once, study: { ...results.study, training } });
    expect(sentence).toContain('validation data, 1 seed, no interval): by span, ');
  });

  it('says that the order depends on the learning rate, with the difference at each', () => {
    const sentence = comparison(tuned(orderChanges));
    expect(sentence).toContain(
      'With the same learning rate for both, the order of Gaussian noise and directional noise depends on it (directional minus Gaussian, validation data, 2 seeds, 95 % intervals in brackets): by span, ',
    );
    expect(sentence).toMatch(
      /by span, \d+\.\d points at 0\.0005 \(\d+\.\d to \d+\.\d\), −\d+\.\d points at 0\.002 \(−\d+\.\d to −\d+\.\d\) and −\d+\.\d points at 0\.01 \(/,
    );
    // The two that scale are alike at every rate.
    expect(sentence).not.toContain('the order of directional noise and staircase noise depends');
    expect(sentence).not.toContain('the order is the same');
  });

  it('says that the order is the same at every rate only if each puts the winner ahead by half a point', () => {
    const clause = '; on validation data the order is the same at every learning rate tried.';
    expect(comparison(tuned(middleBest))).toContain(clause);
    expect(comparison(tuned(middleBest))).not.toContain('depends on it');
    expect(comparison(controlResults())).not.toContain('the order is the same');
    // Ahead by less than half a point at one rate.
    const close = (level: Level) => {
      const values = middleBest(level);
      const lead = ['none', 'gaussian'].includes(level.mechanism) ? 0.037 : 0;
      return [(values[0] as number) - lead, ...values.slice(1)];
    };
    expect(comparison(tuned(close))).not.toMatch(/the order is the same|depends on it/);
    // All rates agree with each other, but not with what test data show.
    const turned = (level: Level) =>
      middleBest(level).map((value) => value - (level.mechanism === 'gaussian' ? 0.1 : 0));
    expect(comparison(tuned(turned))).not.toContain('the order is the same');
    // At one of the rates the mechanisms could not be compared.
    const whole = tuned(middleBest);
    const equalLeakage = whole.equalLeakage.map((one) => ({
      ...one,
      bySettings: { changes: false, differences: one.bySettings?.differences.slice(1) ?? [] },
    }));
    expect(comparison({ ...whole, equalLeakage })).not.toContain('the order is the same');
  });

  it('says in the paragraph on scaling that training was tuned', () => {
    const lead = (results: StudyResults) => answerOf(results).lead[1] ?? '';
    expect(lead(tuned(middleBest))).toContain('with the learning rate tuned for both, that part is not due to noise.');
    expect(lead(controlResults())).toContain('with this training, that part is not due to noise.');
  });
});

describe('values at the end of the range', () => {
  const highest = [0.7, 0.8, 0.9];
  const edges = (isEdge: (level: Level) => boolean) =>
    edgeSentences(tuned((level) => (isEdge(level) ? highest : [0.7, 0.9, 0.8]))).map(text);
  const start = 'The chosen learning rate is the lowest or highest of those tried';

  it('are named by mechanism and level', () => {
    expect(edges(({ mechanism }) => mechanism === 'none')).toEqual([
      `${start} at no noise: a wider range might do better.`,
    ]);
    expect(edges(({ mechanism, parameter }) => mechanism === 'staircase' || parameter === 1e6)).toEqual([
      `${start} with directional noise at κ = 10⁶ and with staircase noise at 4 of 4 levels: a wider range might do better.`,
    ]);
    expect(edges(() => true)).toEqual([
      `${start} at every level at which it was tuned: a wider range might do better.`,
    ]);
    expect(edges(() => false)).toEqual([]);
  });

  it('are part of the comparison, also where there is a single mechanism', () => {
    expect(comparison(tuned(() => highest))).toContain('a wider range might do better.');
    expect(comparison(tuned(middleBest))).not.toContain('wider range');
    const levels = [none, gaussian(1)];
    expect(
      comparison(
        makeResults(
          { levels },
          tunedOver(() => highest, { levels }),
        ),
      ),
    ).toBe(
      `Only Gaussian noise was tried, so there is no comparison of mechanisms. ${start} at every level at which it was tuned: a wider range might do better.`,
    );
  });
});

describe('the chosen settings', () => {
  const withSettings = (choose: (level: Level) => number, given = tunedOver(middleBest)) => {
    const results = controlResults({}, given);
    return { ...results, levels: results.levels.map((one) => ({ ...one, settings: withRate(choose(one.level)) })) };
  };

  it('are named for each mechanism, from the least to the most noise', () => {
    const same = withSettings(() => 0.002);
    expect(chosenSentences(same).map(text)).toEqual([
      'The learning rate chosen on validation data: Gaussian noise 0.002; directional noise 0.002; staircase noise 0.002.',
    ]);
    const other = withSettings(({ mechanism, parameter = 0 }) =>
      mechanism === 'directional' && parameter < 1e6 ? 0.01 : 0.002,
    );
    expect(chosenSentences(other).map(text)[0]).toContain(
      '; directional noise 0.002 (normalised to κ = 10⁶), 0.01 (κ = 10⁴ to κ = 10³); staircase noise 0.002.',
    );
    const epochs = withSettings(() => 0.002, tunedOver(middleBest, { epochs: { tune: [3, 10] } }));
    expect(chosenSentences(epochs).map(text)[0]).toContain('Gaussian noise 0.002 with 3 epochs; ');
  });

  it('are not named where nothing was tuned, or nothing was trained yet', () => {
    expect(chosenSentences(controlResults())).toEqual([]);
    const results = tuned(middleBest);
    const levels = results.levels.map(({ settings: _, ...one }) => one);
    expect(chosenSentences({ ...results, levels })).toEqual([]);
  });
});

describe('directions drawn at random', () => {
  const lead = (share: (level: Level) => number | undefined) =>
    answerOf(controlResults({ uniformShare: share })).lead.map(text);

  it('are told where they are most, in the paragraph of their mechanism', () => {
    const [first, second, last] = lead((level) =>
      level.mechanism === 'directional' ? (level.parameter === 1e6 ? 0.12 : 0.034) : undefined,
    );
    expect(second).toContain(
      'At κ = 10⁶ 12 % of the directions were drawn at random, because those gradients were zero.',
    );
    expect(second?.match(/drawn at random/g)).toHaveLength(1);
    expect(`${first} ${last}`).not.toContain('drawn at random');
  });

  it('are not told below one percent, or where there are none', () => {
    expect(lead(() => 0.0099).join()).not.toContain('drawn at random');
    expect(lead(() => 0.01).join()).toContain(' 1.0 % of the directions were drawn at random');
    expect(lead(() => undefined).join()).not.toContain('drawn at random');
  });
});
