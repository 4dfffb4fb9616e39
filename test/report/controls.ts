// Synthetic studies with a control: two mechanisms that scale every gradient and one that does not, tuned or not.

import { equalCosinesOf } from '../../src/calibration/analysis/equal-cosine.js';
import type { Estimate, Level, StudyResults, TunedSettings, TuningResults } from '../../src/calibration/index.js';
import { seededSource } from '../../src/random/index.js';
import {
  amountOf,
  directional,
  estimate,
  fall,
  gaussian,
  makeResults,
  none,
  resultsOfThree,
  staircase,
  withLevels,
} from './fixtures.js';

const scaled: Level = { mechanism: 'normalised', startOf: ['directional', 'staircase'], label: 'normalised' };
const plain: Level = { ...none, startOf: ['gaussian'] };

const controlLevels: readonly Level[] = [
  plain,
  scaled,
  ...[1e-4, 1e-3, 0.1, 1].map(gaussian),
  ...[1e7, 1e6, 1e4, 1e3].map(directional),
  ...[1e4, 1e3, 10, 1].map(staircase),
];

/** Cosine of a release to its own sum before noise. */
const cosineAt = (level: Level): number => 1 / Math.sqrt(1 + (10 ** amountOf(level) * 30) ** 2);

interface Controls {
  /** Accuracy at a cosine. Default: equal for mechanisms that scale, four points more for the one that does not. */
  readonly accuracy?: (level: Level, cosine: number) => number;
  /** How far seeds lie apart. */
  readonly spread?: number;
  readonly seeds?: number;
  /** The predicted cosine; undefined where there is none. */
  readonly predicted?: (level: Level, cosine: number) => number | undefined;
  readonly uniformShare?: (level: Level) => number | undefined;
}

const usual = ({ mechanism }: Level, cosine: number): number =>
  0.6 + (['none', 'gaussian'].includes(mechanism) ? 0.04 : 0) + 0.3 * cosine;

export function controlResults(controls: Controls = {}, over: Parameters<typeof makeResults>[1] = {}): StudyResults {
  const { accuracy = usual, spread = 0.002, seeds = 3, predicted = (_, cosine) => cosine, uniformShare } = controls;
  const seeded = (mean: number, level: Level): Estimate => {
    const turn = Math.sin(1e3 * Math.log10((level.parameter ?? 0.5) + 1e-9));
    const values = Array.from({ length: seeds }, (_, seed) => mean + spread * turn * (seed - (seeds - 1) / 2));
    const half = seeds > 1 ? 4 * spread : 0;
    return { mean, lower: mean - half, upper: mean + half, values };
  };
  const whole = resultsOfThree(
    {
      levels: controlLevels,
      utility: (level) => seeded(accuracy(level, cosineAt(level)), level),
      leakage: { span: (level) => estimate(0.02 + 0.97 * fall(amountOf(level), -2.6, 1), 0.02, 20) },
    },
    over,
  );
  const levels = whole.levels.map((one) => {
    const { level, utility } = one;
    if (utility === undefined) return one;
    const cosine = cosineAt(level);
    const [expected, share] = [predicted(level, cosine), uniformShare?.(level)];
    return {
      ...one,
      utility: {
        ...utility,
        cosineToSum: estimate(cosine, 0.001 * cosine, seeds),
        ...(expected !== undefined && { expectedCosine: estimate(expected, 0, seeds) }),
        ...(share !== undefined && { uniformShare: share }),
      },
    };
  });
  const results = withLevels(whole, levels);
  return { ...results, equalCosine: equalCosinesOf(seededSource('equal cosine'), results) };
}

const rates = [0.0005, 0.002, 0.01] as const;
export const withRate = (learningRate: number, epochs = 3): TunedSettings => ({ learningRate, epochs });

/** What was tried at a level: one accuracy per rate, of which the highest is chosen. */
function tried(level: Level, accuracies: readonly number[], seeds = 2): TuningResults {
  const best = accuracies.indexOf(Math.max(...accuracies));
  return {
    level,
    tried: accuracies.map((mean, place) => ({
      settings: withRate(rates[place] as number),
      accuracy: estimate(mean, 0.004, seeds),
      isChosen: place === best,
    })),
    atEdge: best === 0 || best === accuracies.length - 1 ? ['learningRate'] : [],
  };
}

type Training = StudyResults['study']['training'];

/** What a study is given to tune the learning rate, with the results of tuning at these levels. */
export function tunedOver(
  accuracies: (level: Level) => readonly number[],
  { levels = controlLevels, ...training }: Partial<Training> & { readonly levels?: readonly Level[] } = {},
): Parameters<typeof makeResults>[1] {
  const { study, data } = makeResults();
  return {
    study: {
      ...study,
      training: {
        ...study.training,
        learningRate: { tune: [...rates] },
        tuning: { seeds: 2, accounted: false },
        ...training,
      },
    },
    data: { ...data, validation: 481 },
    tuning: levels.map((level) => tried(level, accuracies(level))),
  };
}

/** The middle rate is the best everywhere, and the mechanism that does not scale is ahead with each rate. */
export const middleBest = (level: Level): readonly number[] => {
  const mean = usual(level, cosineAt(level));
  return [mean - 0.05, mean, mean - 0.03];
};

/** The mechanism that does not scale is behind at the lowest rate. */
export const orderChanges = (level: Level): readonly number[] => {
  const [low, ...others] = middleBest(level) as [number, ...number[]];
  return [['none', 'gaussian'].includes(level.mechanism) ? low - 0.1 : low, ...others];
};
