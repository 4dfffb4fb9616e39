import { describe, expect, it } from 'vitest';
import { bridgesOf } from '../../../src/calibration/analysis/bridge.js';
import { guaranteeAt, parameterFor } from '../../../src/calibration/analysis/guarantees.js';
import { answer, type Question, withQuestion } from '../../../src/calibration/analysis/question.js';
import type { Level } from '../../../src/calibration/analysis/results.js';
import { guaranteeOfRuns, makePlan } from '../../../src/training/index.js';
import { amountOf, directional, estimate, fall, gaussian, makeResults, none, sigmas } from '../../report/fixtures.js';

const usual = makeResults();
const usualDecepticons = (level: Level) => estimate(0.03 + 0.88 * fall(amountOf(level), -4.4), 0.03, 16);
const under = (name: string, mechanism: string, results = usual) =>
  results.answers.situations
    .find(({ situation }) => situation === name)
    ?.mechanisms.find((one) => one.mechanism === mechanism);

describe('answers by situation', () => {
  it('tells apart who sees what', () => {
    expect(usual.answers.situations.map(({ situation, attacks }) => [situation, attacks])).toEqual([
      ['model', ['membership']],
      ['gradients', ['span']],
      ['server', ['span', 'decepticons']],
    ]);
  });

  it('names the level from which on all attacks of a situation fail: a malicious server can do what a curious one does', () => {
    expect(under('gradients', 'gaussian')?.stopsAt).toMatchObject({ level: gaussian(1e-3), decidedBy: 'span' });
    expect(under('server', 'gaussian')?.stopsAt).toMatchObject({ level: gaussian(1e-3), decidedBy: 'span' });
    const strong = makeResults({
      leakage: { decepticons: (level) => estimate(fall(amountOf(level), -2.5), 0.02, 16) },
    });
    expect(under('server', 'gaussian', strong)?.stopsAt).toMatchObject({
      level: gaussian(0.1),
      decidedBy: 'decepticons',
    });
  });

  it('answers only for the situations that the study chose', () => {
    const chosen = { ...usual, study: { ...usual.study, situations: ['server' as const] } };
    expect(answer(chosen).situations.map(({ situation }) => situation)).toEqual(['server']);
  });

  it('gives what an attack gets without noise', () => {
    expect(under('gradients', 'gaussian')?.clean).toEqual([expect.objectContaining({ attack: 'span', mean: 0.99 })]);
  });
});

describe('what an ε means', () => {
  it('is asked of training where the model is seen, and of one shared gradient where that is seen', () => {
    const model = under('model', 'gaussian')?.atEpsilon;
    const plan = makePlan({ mechanism: 'gaussian', examples: 4812, epochs: 3, batchSize: 128, epsilon: 8 });
    expect(model?.parameter).toBeCloseTo(plan.noiseMultiplier, 6);
    expect(model?.guarantee).toMatchObject({ neighbours: 'add-or-remove-one', delta: 4812 ** -1.1 });
    expect(model?.guarantee.epsilon).toBeLessThanOrEqual(8);
    const shared = under('gradients', 'gaussian')?.atEpsilon;
    expect(shared?.guarantee).toMatchObject({ neighbours: 'replace-one', bound: 'exact' });
    expect(shared?.guarantee.epsilon).toBeCloseTo(8, 5);
    expect(shared?.parameter).toBeGreaterThan(2 * (model?.parameter ?? 0));
  });

  it('reads leakage between levels, and says where there are none', () => {
    const model = under('model', 'gaussian')?.atEpsilon?.attacks[0];
    expect(model).toMatchObject({ attack: 'membership', place: 'between levels', from: [gaussian(0.1), gaussian(1)] });
    const [lower, upper] = [1, 0.1].map((noise) => 0.5 + 0.09 * fall(amountOf(gaussian(noise)), -1, 1)) as [
      number,
      number,
    ];
    expect(model?.mean).toBeGreaterThan(lower);
    expect(model?.mean).toBeLessThan(upper);
    // κ for ε = 8 over 3 epochs is 4/3, far below the least κ tried.
    const far = under('model', 'directional')?.atEpsilon;
    expect(far?.parameter).toBeCloseTo(8 / 6, 9);
    expect(far?.attacks[0]?.place).toBe('more noise than any level');
  });

  it('reads utility where every client of a batch adds its own noise', () => {
    const shared = under('gradients', 'gaussian')?.atEpsilon;
    // About 1.2 times √128.
    expect(shared?.utility?.place).toBe('more noise than any level');
    expect(under('model', 'gaussian')?.atEpsilon?.utility?.place).toBe('between levels');
  });

  it('composes over the rounds of a study', () => {
    const rounds = { ...usual, study: { ...usual.study, sharing: { ...usual.study.sharing, rounds: 4 } } };
    const [once, four] = [usual, rounds].map((one) => parameterFor(one, 'sharing', 'gaussian', 8)) as [number, number];
    expect(four / once).toBeCloseTo(2, 6);
    expect(guaranteeAt(rounds, 'sharing', 'directional', 10)?.epsilon).toBe(80);
  });

  it('is left out for mechanisms that are not known, or if the number of epochs is tuned', () => {
    expect(guaranteeAt(usual, 'training', 'staircase', 1)).toBeUndefined();
    const tuned = {
      ...usual,
      study: { ...usual.study, training: { ...usual.study.training, epochs: { tune: [1, 2] } } },
    };
    expect(parameterFor(tuned, 'training', 'gaussian', 8)).toBeUndefined();
  });
});

describe('ε where tuning counts', () => {
  const training = {
    ...usual.study.training,
    learningRate: { tune: [1e-3, 2e-3] },
    tuning: { accounted: true, levels: 1, seeds: 1 },
  };
  // By the quick accountant: many runs are composed.
  const mechanisms = {
    ...usual.study.mechanisms,
    gaussian: { noise: sigmas, accountant: 'rdp' as const },
  };
  const single = { ...usual, study: { ...usual.study, mechanisms } };
  const tuned = { ...single, study: { ...single.study, training } };
  const planAt = (noiseMultiplier: number) =>
    makePlan({
      mechanism: 'gaussian',
      examples: 4812,
      epochs: 3,
      batchSize: 128,
      noiseMultiplier,
      accountant: 'rdp',
    });

  it('counts the runs that were tried, as the ε of levels does', () => {
    // Settings are tried at the middle one of six levels, σ = .1, with two learning rates.
    const between = guaranteeOfRuns([planAt(0.1), planAt(0.1), planAt(2)]);
    expect(guaranteeAt(tuned, 'training', 'gaussian', 2)?.epsilon).toBeCloseTo(between?.epsilon ?? 0, 9);
    expect(guaranteeAt(single, 'training', 'gaussian', 2)?.epsilon).toBe(planAt(2).guarantee?.epsilon);
    // At a level it is what its trials recorded.
    expect(guaranteeAt(tuned, 'training', 'gaussian', 1)?.epsilon).toBe(0.60012);
    // Two runs with σ = .1 alone have more than 8.
    expect(parameterFor(tuned, 'training', 'gaussian', 8)).toBeUndefined();
  });

  it('finds the noise with which all of them together have it', () => {
    const loud = { ...tuned, levels: tuned.levels.filter(({ level }) => (level.parameter ?? 2) >= 1) };
    const noise = parameterFor(loud, 'training', 'gaussian', 8) ?? 0;
    expect(noise).toBeGreaterThan(parameterFor(single, 'training', 'gaussian', 8) ?? 0);
    expect(guaranteeAt(loud, 'training', 'gaussian', noise)?.epsilon).toBeLessThanOrEqual(8);
    expect(guaranteeAt(loud, 'training', 'gaussian', 0.99 * noise)?.epsilon).toBeGreaterThan(8);
  });
});

describe('ε of gradients that are protected tensor by tensor', () => {
  it('counts the tensors of the attack that sees the most', () => {
    const sharing = { ...usual.study.sharing, scope: 'tensor' as const };
    const study = { ...usual.study, sharing };
    expect(guaranteeAt({ ...usual, study }, 'sharing', 'directional', 10)?.epsilon).toBe(20 * 71);
    const shared = { ...usual.shared, mostTensors: 72 };
    expect(guaranteeAt({ ...usual, study, shared }, 'sharing', 'directional', 10)?.epsilon).toBe(20 * 72);
  });
});

describe('attacks of which too little was measured', () => {
  const wide = (mean: (level: Level) => number) => (level: Level) => estimate(mean(level), 0.6, 3);

  it('are named, and are no attack that noise stops', () => {
    const few = makeResults({
      leakage: {
        span: (level) => estimate(0.02 + 0.97 * fall(amountOf(level), -3.6), 0.02, 20),
        decepticons: wide(() => 0.03),
      },
    });
    expect(under('server', 'gaussian', few)).toMatchObject({ undecided: [] });
    const low = makeResults({
      leakage: {
        span: (level) => estimate(0.02 + 0.97 * fall(amountOf(level), -3.6), 0.02, 20),
        decepticons: wide((level) => 0.03 + 0.5 * fall(amountOf(level), -4.4)),
      },
    });
    expect(under('server', 'gaussian', low)).toMatchObject({
      undecided: ['decepticons'],
      stopsAt: { level: gaussian(1e-3) },
    });
    const high = makeResults({
      leakage: {
        span: (level) => estimate(0.02 + 0.97 * fall(amountOf(level), -3.6), 0.02, 20),
        decepticons: wide(() => 0.55),
      },
    });
    expect(under('server', 'gaussian', high)?.undecided).toEqual(['decepticons']);
    expect(under('server', 'gaussian', high)?.stopsAt).toBeUndefined();
  });
});

describe('the least noise for a limit', () => {
  const limits = (question: Question, situation: string, mechanism: string, results = usual) =>
    under(situation, mechanism, withQuestion(results, question))?.limits;

  it('is found on the curve of the situation, with its guarantee and cost', () => {
    const [found] = limits({ leakageAtMost: [{ measure: 'text', most: 0.5 }] }, 'gradients', 'gaussian') ?? [];
    expect(found).toMatchObject({ attack: 'span', reached: 'between levels' });
    expect(found?.parameter).toBeGreaterThan(1e-4);
    expect(found?.parameter).toBeLessThan(1e-3);
    expect(found?.interval?.least).toBeLessThan(found?.parameter ?? 0);
    expect(found?.interval?.most).toBeGreaterThan(found?.parameter ?? 0);
    expect(found?.guarantee).toMatchObject({ neighbours: 'replace-one' });
    expect(found?.utility?.mean).toBeGreaterThan(0.5);
  });

  it('says where nothing is needed, the least is enough, or nothing is', () => {
    const decepticons = makeResults({ leakage: { decepticons: usualDecepticons } });
    const ask = (most: number) => ({ leakageAtMost: [{ measure: 'auc' as const, most }] });
    expect(limits(ask(0.7), 'model', 'gaussian')).toMatchObject([{ reached: 'without noise' }]);
    expect(limits(ask(0.5), 'model', 'gaussian')).toMatchObject([{ reached: 'not reached' }]);
    const text = limits({ leakageAtMost: [{ measure: 'text', most: 0.985 }] }, 'gradients', 'gaussian');
    expect(text).toMatchObject([{ reached: 'between levels' }]);
    expect(
      limits({ leakageAtMost: [{ measure: 'text', most: 0.9 }] }, 'server', 'gaussian', decepticons),
    ).toMatchObject([{ reached: 'least level', parameter: 1e-5 }]);
  });

  it('leaves out situations that do not have the measure', () => {
    expect(limits({ leakageAtMost: [{ measure: 'auc', most: 0.7 }] }, 'gradients', 'gaussian')).toEqual([]);
    expect(limits({ leakageAtMost: [{ measure: 'tpr', most: 0.7 }] }, 'model', 'gaussian')).toEqual([]);
  });

  it.each([
    [{ epsilon: 0 }, 'invalid epsilon: expected a number above 0, got 0'],
    [
      { leakageAtMost: [{ measure: 'auc', most: 0.4 }] },
      'expected an AUC from 0.5 (guessing) to below 1 for auc, got 0.4',
    ],
    [{ leakageAtMost: [{ measure: 'text', most: 1 }] }, 'expected a share from 0 to below 1 for text, got 1'],
    [{ leakageAtMost: [{ measure: 'words', most: 0.1 }] }, 'expected a limit on text, auc, tpr, got words'],
  ])('refuses %j', (question, message) => {
    expect(() => answer(usual, question as Question)).toThrow(message);
  });
});

describe('noise that leaks as much', () => {
  // In these results leakage depends on log10 σ as on 3 − log10 κ, so σ leaks as κ = 1000/σ does.
  it('finds the κ of a σ on synthetic curves', () => {
    const grid = Array.from({ length: 9 }, (_, place) => 10 ** (-6 + place / 2));
    const levels = [none, ...grid.map(gaussian), ...grid.map((noise) => directional(1e3 / noise))];
    const leakage = {
      span: (level: Parameters<typeof amountOf>[0]) => estimate(fall(amountOf(level), -4, 1), 0.02, 20),
    };
    const [bridge] = bridgesOf(makeResults({ levels, leakage }));
    expect(bridge?.rows.length).toBeGreaterThan(2);
    expect(bridge?.rows.some(({ interval }) => interval.least !== undefined && interval.most !== undefined)).toBe(true);
    for (const { level, parameter, interval } of bridge?.rows ?? []) {
      expect((parameter ?? 0) * (level.parameter ?? 0)).toBeCloseTo(1e3, 6);
      if (interval.least !== undefined) expect(interval.least).toBeGreaterThan(parameter ?? 0);
      if (interval.most !== undefined) expect(interval.most).toBeLessThan(parameter ?? 0);
    }
  });

  it('predicts it by the cosine on one shared gradient', () => {
    const [row] = bridgesOf(usual)[0]?.rows ?? [];
    const [noise, numbers] = [row?.level.parameter as number, usual.shared.numbers];
    const cosine = 1 / Math.sqrt(1 + noise ** 2 * numbers);
    // κ = K·c/(1 − c²) in many dimensions.
    expect(row?.predicted).toBeCloseTo((numbers * cosine) / (1 - cosine ** 2), -5);
  });
});
