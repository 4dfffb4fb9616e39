// From a study to its trials: features → tuning runs → training → attacks.

import { findAttack } from '../../attacks/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from '../study/inputs.js';
import { describeLevel, dropoutAt, optionsFor, protectionOf } from '../study/levels.js';
import type { Study } from '../study/study.js';
import { triedSettings, tuningLevelOf, tuningSeeds } from '../study/tuning.js';
import { makeTrial, type Trial } from './trial.js';

type Expanded = Pick<StudyInputs, 'study' | 'weights' | 'data'>;

/** Lists the trials of a study, each after those that it needs. */
export function expandStudy(inputs: Expanded, levels: readonly Level[]): readonly Trial[] {
  const { study } = inputs;
  const features = makeTrial('features', featureSettings(inputs), [], 'features of the frozen part');
  const tuning = new Map(tunedLevels(study, levels).map((level) => [level, tuningRuns(inputs, level, features)]));
  return [
    features,
    ...[...tuning.values()].flat(),
    ...levels.flatMap((level) => {
      const runs = tuning.get(tuningLevelOf(level, levels, study.training.tuning?.levels)) ?? [];
      const trained = trainingRuns(inputs, level, [features, ...runs]);
      return [...trained, ...attackTrials(inputs, level, trained)];
    }),
  ];
}

/** The levels at which values are tried; none if nothing is tuned. */
export function tunedLevels({ training: { tuning } }: Pick<Study, 'training'>, levels: readonly Level[]): Level[] {
  if (tuning === undefined) return [];
  return [...new Set(levels.map((level) => tuningLevelOf(level, levels, tuning.levels)))];
}

const originOf = ({ weights, data }: Expanded) => ({ weights, data });

const featureSettings = (inputs: Expanded) => ({
  ...originOf(inputs),
  trainable: inputs.study.training.trainable,
  maxTokens: inputs.study.data.maxTokens,
});

function trainSettings(inputs: Expanded, level: Level) {
  const { tuning: _, dropout: __, ...training } = inputs.study.training;
  const dropout = dropoutAt(inputs.study, level);
  const options = optionsFor(inputs.study, level.mechanism);
  return {
    ...featureSettings(inputs),
    ...training,
    // A rate of 0 is none, so that studies without dropout keep their trials.
    ...(dropout && { dropout }),
    ...(inputs.study.plan && { plannedExamples: inputs.study.plan.examples }),
    ...(Object.keys(options).length > 0 && { options }),
    level: withoutTarget(level),
  };
}

function tuningRuns(inputs: Expanded, level: Level, features: Trial): Trial[] {
  const { study } = inputs;
  const { learningRate, epochs } = study.training;
  return triedSettings({ learningRate, epochs }).flatMap((tried) =>
    tuningSeeds(study).map((seed) => {
      const named = [
        ...(typeof learningRate === 'number' ? [] : [`learning rate ${tried.learningRate}`]),
        ...(typeof epochs === 'number' ? [] : [`${tried.epochs} epochs`]),
      ];
      const settings = { ...trainSettings(inputs, level), ...tried, seed, purpose: 'tuning' as const };
      return makeTrial(
        'train',
        settings,
        [features.id],
        `tuning, ${describeLevel(level)}, ${named.join(', ')}, seed ${seed}`,
      );
    }),
  );
}

function trainingRuns(inputs: Expanded, level: Level, needs: readonly Trial[]): Trial[] {
  const { seeds, training } = inputs.study;
  const accounted = training.tuning?.accounted ? { accounted: true as const } : {};
  return seeds.map((seed) =>
    makeTrial(
      'train',
      { ...trainSettings(inputs, level), ...accounted, seed },
      needs.map(({ id }) => id),
      `train, ${describeLevel(level)}, seed ${seed}`,
    ),
  );
}

/** Attacks on the models of a level, one per training run, and on what a client shares at that level. */
function attackTrials(inputs: Expanded, level: Level, trained: readonly Trial[]): Trial[] {
  const { study } = inputs;
  const { split } = study.data;
  const label = describeLevel(level);
  const attacks = Object.entries(study.attacks).map(([name, settings]) => ({ ...findAttack(name), settings }));
  const onModels = study.seeds.flatMap((seed, place) =>
    attacks.flatMap(({ name, sees, settings, words }) => {
      if (sees !== 'losses') return [];
      const own = { sees, attack: name, settings, seed, ...(split && { split }) };
      return [makeTrial('attack', own, [trained[place]?.id as string], `${words.label}, ${label}, seed ${seed}`)];
    }),
  );
  // A client has no dropout, and worlds train by recipes of their own: a control differs from no noise only in the model of the study.
  if (level.dropout !== undefined) return onModels;
  const onGradients = attacks.flatMap(({ name, sees, settings, words }) => {
    if (sees !== 'gradient') return [];
    const own = {
      sees,
      attack: name,
      settings,
      shared: study.sharing.parameters,
      protection: protectionOf(level, study),
      newHead: study.training.newHead,
      level: withoutTarget(level),
      seed: study.seeds[0] as number,
    };
    return [makeTrial('attack', { ...originOf(inputs), ...own }, [], `${words.label}, ${label}`)];
  });
  const onWorlds = study.seeds.flatMap((seed) =>
    attacks.flatMap(({ name, sees, settings, words }) => {
      if (sees !== 'models') return [];
      const { clipNorm, delta } = study.training;
      const options = optionsFor(study, level.mechanism);
      const own = {
        ...featureSettings(inputs),
        sees,
        attack: name,
        settings,
        clipNorm,
        ...(delta !== undefined && { delta }),
        ...(Object.keys(options).length > 0 && { options }),
        level: withoutTarget(level),
        seed,
      };
      return [makeTrial('attack', own, [], `${words.label}, ${label}, seed ${seed}`)];
    }),
  );
  return [...onModels, ...onGradients, ...onWorlds];
}

/** The target from which the noise was found does not change the result. */
const withoutTarget = ({ mechanism, parameter, dropout }: Level): Level => ({
  mechanism,
  ...(parameter !== undefined && { parameter }),
  ...(dropout !== undefined && { dropout }),
});
