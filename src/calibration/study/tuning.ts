// Settings of training that are tuned: which values are tried, at which levels, and which one is chosen.

import { isNoisy, parameterOf } from '../../mechanisms/index.js';
import type { Level } from '../analysis/results.js';
import type { Study, StudyTraining, Tunable } from './study.js';

/** The settings of training that a study can tune. */
export interface TunedSettings {
  readonly learningRate: number;
  readonly epochs: number;
}

/** Whether a setting has values to choose from. */
export const isTuned = (setting: Tunable): setting is { readonly tune: readonly number[] } =>
  typeof setting !== 'number';

const valuesOf = (setting: Tunable): readonly number[] => (isTuned(setting) ? setting.tune : [setting]);

/** All combinations of the values to try; a single one if nothing is tuned. */
export const triedSettings = ({
  learningRate,
  epochs,
}: Pick<StudyTraining, 'learningRate' | 'epochs'>): TunedSettings[] =>
  valuesOf(epochs).flatMap((one) => valuesOf(learningRate).map((rate) => ({ learningRate: rate, epochs: one })));

/** The seeds with which values are tried. */
export const tuningSeeds = ({ seeds, training }: Pick<Study, 'seeds' | 'training'>): readonly number[] =>
  seeds.slice(0, training.tuning?.seeds);

/**
 * The level whose tuning decides the settings of a level: the nearest one of its mechanism, by the ratio of the noise. With n levels to
 * try, a mechanism's levels are cut into n runs of about equal length, and the middle of each is tried.
 */
export function tuningLevelOf(level: Level, levels: readonly Level[], most = Number.POSITIVE_INFINITY): Level {
  const own = levels.filter(({ mechanism, dropout }) => mechanism === level.mechanism && dropout === level.dropout);
  const count = Math.min(most, own.length);
  const tried = Array.from({ length: count }, (_, run) => own[Math.floor(((run + 0.5) * own.length) / count)] as Level);
  const distance = (other: Level) => Math.abs(logNoise(other) - logNoise(level));
  return tried.reduce((nearest, other) => (distance(other) < distance(nearest) ? other : nearest));
}

const logNoise = ({ mechanism, parameter }: Level): number =>
  parameter === undefined || !isNoisy(mechanism)
    ? 0
    : (parameterOf(mechanism).moreNoise === 'higher' ? 1 : -1) * Math.log(parameter);

/** What one run scored on validation data. */
export interface TuningRun {
  readonly settings: TunedSettings;
  readonly accuracy: number;
  readonly loss: number;
}

/** The runs of one combination of settings, with their means over the seeds. */
export interface TriedSettings {
  readonly settings: TunedSettings;
  readonly accuracies: readonly number[];
  readonly accuracy: number;
  readonly loss: number;
}

/** Puts runs with the same settings together, in the order in which they were tried. */
export function bySettings(runs: readonly TuningRun[]): TriedSettings[] {
  const groups = new Map<string, TuningRun[]>();
  for (const run of runs) {
    const key = `${run.settings.learningRate} ${run.settings.epochs}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...groups.values()].map((group) => ({
    settings: (group[0] as TuningRun).settings,
    accuracies: group.map(({ accuracy }) => accuracy),
    accuracy: mean(group.map(({ accuracy }) => accuracy)),
    loss: mean(group.map(({ loss }) => loss)),
  }));
}

/** The settings with the highest mean accuracy on validation data; of equal ones, those with the lower loss, then the first. */
export function chooseSettings(tried: readonly TriedSettings[]): TunedSettings {
  const better = (one: TriedSettings, best: TriedSettings) =>
    one.accuracy > best.accuracy || (one.accuracy === best.accuracy && one.loss < best.loss);
  return tried.reduce((best, one) => (better(one, best) ? one : best)).settings;
}
