// How much noise two mechanisms put on training where a shared gradient keeps the same cosine under both: derived from their formulas,
// and measured. One of them may add noise once per batch and the other once per example, and the shared gradient may have more numbers
// than are trained: then equal leakage is not equal noise in training. docs/calibration.md has the derivation and its assumptions.

import { mechanismOf } from '../../mechanisms/index.js';
import { studentInterval } from '../../metrics/index.js';
import type { Study } from '../study/study.js';
import type { Pair } from './compare-curves.js';
import { haveSameStart } from './equal-cosine.js';
import { pairsOf } from './equal-leakage.js';
import { readsTrainedModel } from './goals.js';
import type { Estimate, Level, StudyResults } from './results.js';

/** The noise of two mechanisms in training where one shared gradient keeps the same cosine under both. */
export interface NoiseRatio {
  readonly mechanisms: Pair<string>;
  /** The mean number of examples per batch. */
  readonly batchSize: number;
  /** One entry per level of the second mechanism at which both can be read, from the least noise to the most. */
  readonly readings: readonly NoiseRatioReading[];
}

/** The ratio at one level. */
export interface NoiseRatioReading {
  readonly level: Level;
  /** Mean cosine between the shared and the true gradient of one text. */
  readonly cosine: number;
  /** Variance of the training noise over the squared signal, second mechanism over first, by their formulas. */
  readonly predicted: number;
  /** The same from the measured cosines of the releases, one value per seed. */
  readonly measured: Estimate;
}

type Measured = Pick<StudyResults, 'levels' | 'mechanisms' | 'attacks' | 'trainable' | 'shared' | 'data'> & {
  readonly study: Study;
};

/** Only for mechanisms that differ in nothing but their noise, and gradients that are protected as one vector. */
export function noiseRatiosOf(results: Measured): NoiseRatio[] {
  const { levels, mechanisms, attacks, study, data } = results;
  const attack = attacks.find((one) => !readsTrainedModel(one) && one.texts === 1);
  if (attack === undefined || study.sharing.scope !== 'joint') return [];
  // The last batch of an epoch may be smaller.
  const batchSize = data.train / Math.ceil(data.train / study.training.batchSize);
  return pairsOf(mechanisms.map(({ name }) => name)).flatMap((pair) => {
    if (!haveSameStart(levels, pair) || pair.some((name) => !mechanismOf(name).noiseToSignal)) return [];
    const [first, second] = pair.map((name) => noisesOf(results, name, attack.name)) as [LevelNoise[], LevelNoise[]];
    const readings = second.flatMap((at) => {
      const other = noiseAt(first, at.cosine);
      if (other === undefined) return [];
      const ratios = at.noise.map((noise, seed) => noise / (other[seed] as number));
      const { mean, lower, upper } = studentInterval(ratios);
      const measured = { mean, lower: Math.max(0, lower), upper, values: ratios };
      return [
        { level: at.level, cosine: at.cosine, predicted: predict(results, pair, at.cosine, batchSize), measured },
      ];
    });
    return readings.length > 0 ? [{ mechanisms: pair, batchSize, readings }] : [];
  });
}

interface LevelNoise {
  readonly level: Level;
  /** Of a shared gradient. */
  readonly cosine: number;
  /** Variance of the training noise on each number over the squared signal, one value per seed. */
  readonly noise: readonly number[];
}

/** The cosine of a release to its sum tells the length of the noise: 1/cos² − 1 = noise²/signal². */
const noisesOf = (
  { levels, trainable: { numbers }, study }: Measured,
  mechanism: string,
  attack: string,
  seeds = study.seeds.length,
): LevelNoise[] =>
  levels.flatMap(({ level, utility, leakage }) => {
    const { mean: cosine, lower, upper } = leakage[attack]?.cosine ?? unknown;
    const { cosineToSum, sumNorm } = utility ?? {};
    if (level.mechanism !== mechanism || !isInside(cosine) || !cosineToSum || !sumNorm) return [];
    // Under strong noise the cosine of a few texts is chance.
    if ((upper - lower) / 2 > mostError * cosine) return [];
    // Values are matched by their place, which is that of the seed only where no seed is missing.
    if (cosineToSum.values.length !== seeds || !cosineToSum.values.every(isInside)) return [];
    const noise = cosineToSum.values.map(
      (value, seed) => ((1 / value ** 2 - 1) * (sumNorm.values[seed] as number) ** 2) / numbers,
    );
    return [{ level, cosine, noise }];
  });

const unknown = { mean: 0, lower: 0, upper: 0 };
/** Half the interval of the mean cosine of a shared gradient, at most, as a share of it. */
const mostError = 0.2;

/** At 0 nothing is left of the gradient, and at 1 there is no noise to measure. */
const isInside = (cosine: number | undefined): cosine is number => cosine !== undefined && cosine > 0 && cosine < 1;

/** The noise where a shared gradient has this cosine: both are read on logarithmic scales, on which they lie on a line. */
function noiseAt(levels: readonly LevelNoise[], cosine: number): number[] | undefined {
  const scale = (value: number) => Math.log(1 / value ** 2 - 1);
  const after = levels.findIndex((one) => one.cosine <= cosine);
  const [left, right] = [levels[after - 1], levels[after]];
  if (!left || !right || left.cosine === right.cosine) return undefined;
  const share = (scale(cosine) - scale(left.cosine)) / (scale(right.cosine) - scale(left.cosine));
  return left.noise.map((noise, seed) => noise ** (1 - share) * (right.noise[seed] as number) ** share);
}

function predict(
  { study, trainable, shared, data }: Measured,
  mechanisms: Pair<string>,
  cosine: number,
  members: number,
): number {
  const [first, second] = mechanisms.map((name) => {
    const { grids, noiseToSignal } = mechanismOf(name);
    const { clipNorm } = study.training;
    const sizes = { examples: data.train, epochs: 1, batchSize: members, stepsPerEpoch: 1, steps: 1 };
    const context = { sizes, training: { clipNorm }, numbers: shared.numbers, scope: study.sharing.scope };
    const parameter = grids.cosine?.parameterFor(cosine, context) ?? Number.NaN;
    return noiseToSignal?.(parameter, { numbers: trainable.numbers, members }) ?? Number.NaN;
  }) as [number, number];
  return second / first;
}
