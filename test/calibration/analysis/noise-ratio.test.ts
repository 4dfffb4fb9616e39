// The ratio of training noise at equal leakage, on levels whose cosines follow the formulas exactly, and its closed-form limits.

import { describe, expect, it } from 'vitest';
import { equalCosinesOf } from '../../../src/calibration/analysis/equal-cosine.js';
import { noiseRatiosOf } from '../../../src/calibration/analysis/noise-ratio.js';
import type { Estimate, Level, LevelResults } from '../../../src/calibration/analysis/results.js';
import { meanCosine } from '../../../src/mechanisms/index.js';
import { seededSource } from '../../../src/random/index.js';
import { makeResults } from '../../report/fixtures.js';

const pair = ['gaussian-normalised', 'directional'] as const;
const [members, length] = [125, 90];
const estimate = (...values: number[]): Estimate => ({ mean: values[0] as number, lower: 0, upper: 1, values });

interface Sizes {
  readonly trained: number;
  readonly shared: number;
}

/** What the formulas give at a level: the cosine of a shared gradient, and that of a release of training. */
function cosinesAt({ mechanism, parameter }: Level, { trained, shared }: Sizes): [number, number] {
  if (parameter === undefined) return [1, 1];
  if (mechanism === 'directional') {
    const [one, draw] = [shared, trained].map((dimension) => meanCosine({ dimension, concentration: parameter })) as [
      number,
      number,
    ];
    return [one, (draw * length) / Math.sqrt((draw * length) ** 2 + members * (1 - draw ** 2))];
  }
  return [1 / Math.sqrt(1 + parameter ** 2 * shared), length / Math.sqrt(length ** 2 + parameter ** 2 * trained)];
}

function levelAt(level: Level, sizes: Sizes, accuracy = 0.9): LevelResults {
  const [shared, release] = cosinesAt(level, sizes);
  const text = { mean: shared, lower: shared, upper: shared, values: [] };
  return {
    level,
    utility: {
      accuracy: estimate(accuracy, accuracy, accuracy),
      matthews: estimate(0),
      macroF1: estimate(0),
      gap: estimate(0),
      cosineToSum: estimate(release, release, release),
      sumNorm: estimate(length, length, length),
    },
    leakage: { span: { main: text, measures: {}, floor: 0, cosine: text, comparisons: [] } },
  };
}

const start: Level = { mechanism: 'normalised', startOf: pair, label: 'normalised' };
const noises = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 0.1, 1, 10].map(
  (parameter): Level => ({ mechanism: pair[0], parameter }),
);
const concentrations = [1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2].map(
  (parameter): Level => ({ mechanism: pair[1], parameter }),
);

function resultsOf(sizes: Sizes, levels: readonly Level[] = [start, ...noises, ...concentrations]) {
  const base = makeResults();
  const named = (name: string) => ({ ...(base.mechanisms[0] as (typeof base.mechanisms)[0]), name });
  return {
    ...base,
    mechanisms: pair.map(named),
    trainable: { ...base.trainable, numbers: sizes.trained },
    shared: { ...base.shared, numbers: sizes.shared },
    data: { ...base.data, train: 2000 },
    levels: levels.map((level) => levelAt(level, sizes)),
  };
}

const readingsOf = (sizes: Sizes) => noiseRatiosOf(resultsOf(sizes))[0]?.readings ?? [];

describe('the noise of training at equal leakage', () => {
  const sizes = { trained: 66_306, shared: 5_339_906 };

  it('is measured as it is predicted where cosines follow the formulas', () => {
    const readings = readingsOf(sizes);
    expect(readings.length).toBeGreaterThanOrEqual(3);
    for (const { predicted, measured } of readings) {
      expect(measured.mean / predicted).toBeCloseTo(1, 6);
      expect(measured.values).toHaveLength(3);
    }
  });

  it('is B·c/A: B where the same numbers are trained and shared, and never below B·K_t/K_s', () => {
    for (const { predicted } of readingsOf({ trained: 66_306, shared: 66_306 })) expect(predicted).toBeCloseTo(125, 4);
    for (const { level, cosine, predicted } of readingsOf(sizes)) {
      const drawn = meanCosine({ dimension: sizes.trained, concentration: level.parameter as number });
      expect(predicted / ((125 * cosine) / drawn)).toBeCloseTo(1, 3);
      expect(predicted).toBeGreaterThan((125 * sizes.trained) / sizes.shared);
      expect(predicted).toBeLessThan(125);
    }
    const [first, last] = [readingsOf(sizes)[0], readingsOf(sizes).at(-1)];
    expect(first?.predicted).toBeGreaterThan(last?.predicted as number);
  });

  it('is not read where a seed is missing, because seeds are compared one by one', () => {
    const results = resultsOf(sizes);
    const [first, ...rest] = noiseRatiosOf(results)[0]?.readings ?? [];
    const short = results.levels.map((one) =>
      one.level.parameter === first?.level.parameter && one.level.mechanism === pair[1]
        ? { ...one, utility: { ...(one.utility as NonNullable<typeof one.utility>), cosineToSum: estimate(0.9, 0.9) } }
        : one,
    );
    expect(noiseRatiosOf({ ...results, levels: short })[0]?.readings).toEqual(rest);
  });

  it('is not read where the cosine of the shared texts may be chance', () => {
    const results = resultsOf(sizes);
    const unsure = results.levels.map((one) => {
      const span = one.leakage.span as NonNullable<(typeof one.leakage)['span']>;
      const mean = span.main.mean;
      const cosine = { mean, lower: mean - 0.001, upper: mean + 0.001, values: [] };
      return { ...one, leakage: { span: { ...span, cosine } } };
    });
    const read = noiseRatiosOf({ ...results, levels: unsure })[0]?.readings ?? [];
    expect(read.length).toBeGreaterThan(2);
    expect(Math.min(...read.map(({ cosine }) => cosine))).toBeGreaterThan(0.005);
    expect(read.length).toBeLessThan(readingsOf(sizes).length);
  });

  it('is not given for mechanisms that also bound gradients differently, nor tensor by tensor', () => {
    const results = resultsOf(sizes);
    const apart = results.levels.map((one) =>
      one.level === start ? { ...one, level: { ...start, startOf: ['directional'] } } : one,
    );
    expect(noiseRatiosOf({ ...results, levels: apart })).toEqual([]);
    const sharing = { ...results.study.sharing, scope: 'tensor' as const };
    expect(noiseRatiosOf({ ...results, study: { ...results.study, sharing } })).toEqual([]);
  });
});

describe('utility at equal cosine', () => {
  it('is the same for two noises if utility follows the cosine, and tells them apart if it does not', () => {
    const sizes = { trained: 66_306, shared: 66_306 };
    const results = resultsOf(sizes);
    const following = (shift: number) =>
      results.levels.map((one) => {
        const log = Math.log10(one.utility?.cosineToSum?.mean as number);
        const values = [0, 0.001, 0.002].map(
          (seed) => 0.9 + 0.1 * log + seed + (one.level.mechanism === pair[1] ? shift : 0),
        );
        return {
          ...one,
          utility: { ...(one.utility as NonNullable<typeof one.utility>), accuracy: estimate(...values) },
        };
      });
    const compare = (shift: number) => equalCosinesOf(seededSource(1), { ...results, levels: following(shift) })[0];
    expect(compare(0)).toMatchObject({ mechanisms: pair, sameStart: true, overall: { winner: 'no clear winner' } });
    expect(compare(0)?.overall.difference).toBeCloseTo(0, 6);
    const apart = compare(-0.05);
    expect(apart?.overall.winner).toBe(pair[0]);
    expect(apart?.readings.map(({ cosine }) => cosine)).toEqual(
      apart?.readings.map(({ cosine }) => cosine).toSorted((a, b) => b - a),
    );
  });

  it('leaves out levels whose cosine has no logarithm', () => {
    const results = resultsOf({ trained: 66_306, shared: 66_306 });
    const lost = results.levels.map((one, place) =>
      place === results.levels.length - 1
        ? {
            ...one,
            utility: { ...(one.utility as NonNullable<typeof one.utility>), cosineToSum: estimate(-0.001, 0.001) },
          }
        : one,
    );
    const [found] = equalCosinesOf(seededSource(1), { ...results, levels: lost });
    expect(found?.readings.every(({ cosine }) => cosine > 0)).toBe(true);
  });
});
