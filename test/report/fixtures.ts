// Synthetic results with curves whose answers are known.

import { bridgesOf } from '../../src/calibration/analysis/bridge.js';
import { sharedGuaranteeOf } from '../../src/calibration/analysis/guarantees.js';
import { answer } from '../../src/calibration/analysis/question.js';
import {
  type AboutAttack,
  type AboutMechanism,
  type Comparison,
  conclude,
  type Estimate,
  equalLeakagesOf,
  type Leakage,
  type Level,
  type LevelResults,
  type StudyResults,
} from '../../src/calibration/index.js';
import { seededSource } from '../../src/random/index.js';

/** Values around a mean, with an interval of the given half-width. */
export const estimate = (mean: number, half = 0.006, count = 3): Estimate => ({
  mean,
  lower: mean - half,
  upper: mean + half,
  values: Array.from({ length: count }, (_, i) => mean + half * (i - (count - 1) / 2)),
});

/** Seeds that move at every level by another amount, as real ones do. */
const jittered = (mean: number, { parameter: amount = 0 }: Level): Estimate => {
  const turn = Math.sin(1e3 * Math.log10(amount + 1e-9)) * 0.004;
  return { mean, lower: mean - 0.009, upper: mean + 0.009, values: [mean - turn, mean + turn / 2, mean + turn / 2] };
};

export const single = (mean: number): Estimate => ({ mean, lower: mean, upper: mean, values: [mean] });

export const mechanisms: readonly AboutMechanism[] = [
  {
    name: 'gaussian',
    label: 'Gaussian noise',
    short: 'Gaussian',
    parameter: 'noise multiplier',
    symbol: 'σ',
    ascii: 'sigma',
    moreNoise: 'higher',
    definition: 'σ is the standard deviation.',
  },
  {
    name: 'directional',
    label: 'directional noise',
    short: 'directional',
    parameter: 'concentration',
    symbol: 'κ',
    ascii: 'kappa',
    moreNoise: 'lower',
    definition: 'κ is the concentration.',
  },
];

/** One that no file of the source knows. */
export const third: AboutMechanism = {
  name: 'staircase',
  label: 'staircase noise',
  short: 'staircase',
  parameter: 'stair width',
  symbol: 'γ',
  ascii: 'gamma',
  moreNoise: 'lower',
  definition: 'γ is the width of a stair.',
};

const lcsRatio = { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] } as const;
const auc = { key: 'auc', name: 'AUC', scale: '1 is certainty, 0.5 guessing', range: [0.5, 0.6] } as const;

export const attacks: readonly AboutAttack[] = [
  {
    name: 'span',
    label: 'span',
    goal: 'reconstruction',
    situation: 'gradients',
    measure: lcsRatio,
    texts: 1,
    definition: 'Reads one text.',
  },
  {
    name: 'decepticons',
    label: 'Decepticons',
    goal: 'reconstruction',
    situation: 'server',
    measure: lcsRatio,
    texts: 8,
    definition: 'Reads a batch.',
  },
  {
    name: 'membership',
    label: 'membership',
    goal: 'membership',
    situation: 'model',
    measure: auc,
    texts: 128,
    definition: 'Reads losses.',
  },
];

export const sigmas = [1e-5, 1e-4, 1e-3, 0.1, 1, 10];
const kappas = [1e8, 1e7, 1e6, 1e4, 1e3, 100];
const gammas = [1e5, 1e3, 1, 0.1];

export const none: Level = { mechanism: 'none' };
export const gaussian = (noise: number): Level => ({ mechanism: 'gaussian', parameter: noise });
export const directional = (noise: number): Level => ({ mechanism: 'directional', parameter: noise });
export const staircase = (noise: number): Level => ({ mechanism: 'staircase', parameter: noise });

/** From 1 at no noise to 0, half of it gone at `half` (a logarithm of noise). */
export const fall = (amount: number, half: number, steepness = 3): number =>
  1 / (1 + 10 ** (steepness * (amount - half)));

/** Rising with noise. */
export function amountOf({ mechanism, parameter = 0 }: Level): number {
  const amounts: Readonly<Record<string, number>> = {
    none: Number.NEGATIVE_INFINITY,
    normalised: Number.NEGATIVE_INFINITY,
    gaussian: Math.log10(parameter),
    directional: 3 - Math.log10(parameter),
    staircase: -Math.log10(parameter),
  };
  return amounts[mechanism] as number;
}

const truth = 'Please send the signed contract to Mara Lindqvist before Friday noon';
const words = truth.toLowerCase().split(' ');
const noise = ['the', '##ing', 'report', 'of', 'blue', 'seven', 'who', '##s'];

function comparison(share: number, text = truth, tokens: readonly string[] = words): Comparison {
  const guessTokens = tokens.map((token, i) =>
    (i * 7919) % 11 < share * 11 ? token : (noise[i % noise.length] as string),
  );
  return { truth: text, guess: guessTokens.join(' '), truthTokens: tokens, guessTokens, lcsRatio: share };
}

export interface Shape {
  readonly levels?: readonly Level[];
  readonly utility?: ((level: Level) => Estimate) | undefined;
  readonly leakage?: Readonly<Record<string, (level: Level) => Estimate>>;
  readonly floors?: Readonly<Record<string, number | ((level: Level) => number)>>;
  readonly comparisons?: (level: Level, share: number) => readonly Comparison[];
}

const allLevels = [none, ...sigmas.map(gaussian), ...kappas.map(directional)];
const levelsOfThree = [...allLevels, ...gammas.map(staircase)];

const usual = {
  utility: (level: Level) =>
    jittered(0.56 + (level.mechanism === 'directional' ? 0.36 : 0.39) * fall(amountOf(level), 0.4, 2), level),
  leakage: {
    span: (level: Level) => estimate(0.02 + 0.97 * fall(amountOf(level), -3.6), 0.02, 20),
    decepticons: (level: Level) => estimate(0.03 + 0.88 * fall(amountOf(level), -4.4), 0.03, 16),
    membership: (level: Level) => estimate(0.5 + 0.09 * fall(amountOf(level), -1, 1), 0.012, 2),
  },
};

const floors: Readonly<Record<string, number>> = { span: 0.02, decepticons: 0.03, membership: 0.5 };

const shared = { selection: 'all', tensors: 71, numbers: 3_236_354 };

function levelResults(level: Level, shape: Shape): LevelResults {
  const utility = 'utility' in shape ? shape.utility : usual.utility;
  const leakage = shape.leakage ?? usual.leakage;
  const cosine = level.mechanism === 'none' ? 1 : 1 / Math.sqrt(1 + (10 ** amountOf(level) * 1800) ** 2);
  const accuracy = utility?.(level);
  const entries = Object.entries(leakage).map(([attack, make]): [string, Leakage] => {
    const main = make(level);
    const texts = shape.comparisons?.(level, main.mean) ?? [comparison(main.mean)];
    const floor = shape.floors?.[attack] ?? floors[attack] ?? 0;
    return [
      attack,
      {
        main,
        measures: { [attack === 'membership' ? 'auc' : 'lcsRatio']: main },
        floor: typeof floor === 'function' ? floor(level) : floor,
        ...(attack !== 'membership' && {
          cosine: estimate(cosine, 0.001),
          cosineRead: estimate(Math.min(1, cosine * 1.1), 0.001),
        }),
        comparisons: attack === 'membership' ? [] : texts,
      },
    ];
  });
  return {
    level,
    settings: { learningRate: 2e-3, epochs: 3 },
    ...(accuracy && {
      utility: {
        accuracy,
        matthews: estimate(accuracy.mean * 2 - 1, 0.02),
        macroF1: estimate(accuracy.mean - 0.01),
        gap: estimate(0.02),
        ...(level.mechanism !== 'none' && {
          cosineToSum: estimate(Math.min(1, cosine * 3), 0.01),
          cosineToGradient: estimate(Math.min(1, cosine * 1.5), 0.01),
        }),
      },
    }),
    ...(level.mechanism !== 'none' && { guarantee: guaranteeOf(level) }),
    ...(level.mechanism === 'gaussian' && { noiseLength: (level.parameter ?? 0) * Math.sqrt(shared.numbers) }),
    leakage: Object.fromEntries(entries),
  };
}

function guaranteeOf({ mechanism, parameter: noise = 1 }: Level): NonNullable<LevelResults['guarantee']> {
  const last = 'Not covered: data used before this, as in pretraining, and other runs on the same data, as in tuning.';
  if (mechanism === 'directional') {
    const epsilon = 6 * noise;
    return {
      epsilon,
      delta: 0,
      neighbours: 'replace-one',
      accountant: 'metric',
      bound: 'upper',
      statement: [
        `Epsilon is ${epsilon} with delta 0 for replacing one example, by the metric accountant.`,
        'This is an upper bound: the truth is at most this.',
        last,
      ],
    };
  }
  const epsilon = noise <= 1e-5 ? Number.POSITIVE_INFINITY : noise >= 1 ? 0.60012 / noise : 1 / noise ** 2;
  return {
    epsilon,
    delta: 8.8031e-5,
    neighbours: 'add-or-remove-one',
    accountant: 'pld',
    bound: 'upper',
    statement: [
      `Epsilon is ${epsilon} with delta 8.804e-5 for adding or removing one example, by the pld accountant.`,
      'This is an upper bound: the truth is at most this.',
      last,
    ],
  };
}

type Measured = Omit<StudyResults, 'equalLeakage' | 'conclusions' | 'answers' | 'bridges'>;

/** What follows from the levels. */
function concluded(measured: Measured): StudyResults {
  const equalLeakage = equalLeakagesOf(seededSource('equal leakage'), measured);
  const withShared = {
    ...measured,
    levels: measured.levels.map((one) => ({ ...one, ...sharedGuaranteeOf(measured, one.level) })),
  };
  return {
    ...withShared,
    equalLeakage,
    conclusions: conclude({ ...measured, equalLeakage }),
    answers: answer(withShared),
    bridges: bridgesOf(withShared),
  };
}

/** The same study with other levels. */
export const withLevels = (results: StudyResults, levels: readonly LevelResults[]): StudyResults =>
  concluded({ ...results, levels });

export function makeResults(shape: Shape = {}, over: Partial<Measured> = {}): StudyResults {
  const levels = (shape.levels ?? allLevels).map((level) => levelResults(level, shape));
  return concluded({
    study: {
      name: 'synthetic',
      description: 'Curves with known answers.',
      model: 'bundled:bert-mini',
      data: { source: 'bundled:mail', maxTokens: 32, limit: 2000 },
      training: {
        trainable: 'pooler+classifier',
        newHead: false,
        epochs: 3,
        batchSize: 128,
        learningRate: 2e-3,
        schedule: 'linear',
        warmup: 0.05,
        clipNorm: 1,
      },
      sharing: { parameters: 'all', scope: 'joint', clipNorm: 1 },
      mechanisms: { gaussian: { noise: sigmas }, directional: { concentration: kappas } },
      attacks: {
        span: { sentences: 20, maxTokens: 24 },
        decepticons: { batches: 2, sentences: 8, maxTokens: 24, attacker: 'noise-aware' },
        membership: {},
      },
      seeds: [1, 2, 3],
    },
    model: { name: 'bundled:bert-mini', parameters: 3_236_354, digest: '3f9a61c0d2' },
    data: {
      name: 'bundled:mail',
      classes: ['ham', 'spam'],
      train: 4812,
      test: 602,
      digest: '77b1e09a4c',
      majority: 0.56,
    },
    trainable: { selection: 'pooler+classifier', tensors: 4, numbers: 66_306 },
    shared,
    mechanisms,
    attacks,
    levels,
    tuning: [],
    equalCosine: [],
    noiseRatios: [],
    behaviours: [
      {
        attack: 'span',
        mechanism: 'gaussian',
        correlation: { mean: -0.93, lower: -1, upper: -0.82, values: [] },
        verdict: 'bottoms out',
        bottom: gaussian(1e-3),
      },
      {
        attack: 'span',
        mechanism: 'directional',
        correlation: { mean: -0.96, lower: -1, upper: -0.89, values: [] },
        verdict: 'bottoms out',
        bottom: directional(1e6),
      },
      {
        attack: 'membership',
        mechanism: 'gaussian',
        correlation: { mean: -1, lower: -1, upper: -0.61, values: [] },
        verdict: 'well behaved',
      },
    ],
    failures: [],
    missing: 0,
    version: '0.1.0',
    finished: '2026-11-16',
    ...over,
  });
}

/** With a mechanism that only the results describe. */
export const resultsOfThree = (shape: Shape = {}, over: Partial<Measured> = {}): StudyResults =>
  makeResults({ levels: levelsOfThree, ...shape }, { mechanisms: [...mechanisms, third], ...over });

/** Each piece breaks another rule of markup. */
export const hostile = `</p></style><script>document.title='owned'</script><img src=x onerror="document.title='owned'"> "quotes" 'and' & \u202eevil\u0000 ${'long'.repeat(60)}`;

export const hostileResults = (): StudyResults => {
  const tokens = hostile.split(' ');
  const results = makeResults({ comparisons: (_, share) => [comparison(share, hostile, tokens)] });
  return {
    ...results,
    study: { ...results.study, name: hostile, description: hostile },
    model: { ...results.model, name: hostile, digest: hostile },
    data: { ...results.data, name: hostile, classes: [hostile, 'b'] },
    trainable: { ...results.trainable, selection: hostile },
    failures: [{ trial: hostile, what: hostile, error: hostile }],
    version: hostile,
    finished: hostile,
  };
};
