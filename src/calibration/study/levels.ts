// The noise levels of a study as values of each mechanism's parameter, computed from ε or a cosine where the study gives those.

import { ArgumentError, messageOf, renameOptions, say, writeMessage } from '../../checks/index.js';
import {
  isNoisy,
  type MechanismName,
  type MechanismOptions,
  mechanismNames,
  mechanismOf,
  type NoiseContext,
  type NoisyMechanism,
  noisyNames,
  type Plan,
  type Protection,
  parameterOf,
  planSizes,
} from '../../mechanisms/index.js';
import { groupsByLayer, makePlan } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from './inputs.js';
import type { Study } from './study.js';
import { type TunedSettings, triedSettings } from './tuning.js';

type LevelInputs = Pick<StudyInputs, 'study' | 'train' | 'shared'>;

/** Without noise first, then each mechanism from the least to the most noise. */
export const levelsOf = (inputs: LevelInputs): Level[] => [
  ...mechanismNames.flatMap((name) => levelWithoutNoise(name, inputs.study)),
  ...noisyNames.flatMap((mechanism) => levelsIn(inputs, mechanism)),
];

/** The level of a mechanism without noise, with the mechanisms of the study that begin there. A control needs one that does. */
function levelWithoutNoise(mechanism: MechanismName, study: Study): Level[] {
  const { isControl, words } = mechanismOf(mechanism);
  if (isNoisy(mechanism)) return [];
  const startOf = noisyNames.filter(
    (name) => name in study.mechanisms && mechanismOf(name).withoutNoise?.(optionsFor(study, name)) === mechanism,
  );
  if (!isControl) return [{ mechanism, startOf }];
  return startOf.length === 0 ? [] : [{ mechanism, startOf, label: words.short }];
}

function levelsIn(inputs: LevelInputs, mechanism: NoisyMechanism): Level[] {
  const { flag } = parameterOf(mechanism);
  const { grids } = mechanismOf(mechanism);
  const levels = Object.entries(inputs.study.mechanisms[mechanism] ?? {}).flatMap(([kind, given]) => {
    const grid = grids[kind];
    if (grid === undefined) return [];
    return (given as readonly number[]).map((value): Level => {
      const parameter = grid.parameterFor(value, noiseContext(inputs, mechanism));
      return { mechanism, parameter, ...(kind !== flag && { target: { kind, value } }) };
    });
  });
  return levels.sort((a, b) => amountOfNoise(a) - amountOfNoise(b));
}

function noiseContext(inputs: LevelInputs, mechanism: NoisyMechanism): NoiseContext {
  const { study, shared } = inputs;
  return {
    // Noise that depends on the number of epochs is only asked for where a study has a single one.
    sizes: planSizes(sizesOf(inputs, (triedSettings(study.training)[0] as TunedSettings).epochs)),
    training: trainingOf(inputs),
    options: optionsFor(study, mechanism),
    numbers: shared.numbers,
    scope: study.sharing.scope,
  };
}

/** The options that a study sets for all levels of a mechanism. */
export function optionsFor({ mechanisms }: Pick<Study, 'mechanisms'>, name: string): MechanismOptions {
  if (!isNoisy(name)) return {};
  const { grids } = mechanismOf(name);
  const given: Readonly<Record<string, unknown>> = mechanisms[name] ?? {};
  return Object.fromEntries(Object.entries(given).filter(([key]) => !(key in grids))) as MechanismOptions;
}

/** Grows with the noise and is 0 without any; sorts the levels of one mechanism. */
function amountOfNoise({ mechanism, parameter = 0 }: Level): number {
  if (!isNoisy(mechanism)) return 0;
  return parameterOf(mechanism).moreNoise === 'higher' ? parameter : 1 / parameter;
}

type TrainingInputs = Pick<StudyInputs, 'study' | 'train'>;

const sizesOf = ({ study, train }: TrainingInputs, epochs: number) => ({
  examples: train.inputIds.length,
  epochs,
  batchSize: Math.min(study.training.batchSize, train.inputIds.length),
});

function trainingOf({ study }: TrainingInputs) {
  const { clipNorm, delta } = study.training;
  return { clipNorm, ...(delta !== undefined && { delta }) };
}

type PlanInputs = TrainingInputs & Pick<StudyInputs, 'model' | 'trainable'>;

/** The training plan of a level. */
export const planOf = (inputs: PlanInputs, level: Level, epochs: number): Plan =>
  planWith(inputs, level, sizesOf(inputs, epochs));

/** A plan with the noise of a level, for training of another size. */
export function planWith(
  inputs: PlanInputs,
  level: Level,
  sizes: { readonly examples: number; readonly epochs: number; readonly batchSize: number },
): Plan {
  const options = optionsFor(inputs.study, level.mechanism);
  return makePlan({
    ...mechanismOf(level.mechanism).planAt(amountOf(level), trainingOf(inputs), options),
    ...sizes,
    layers: groupsByLayer(inputs.model, inputs.trainable.names),
  });
}

/** Refuses options that do not fit a mechanism, before anything runs: plans at the most noise, which are the quickest to account for. */
export function checkPlans(inputs: Parameters<typeof planOf>[0], levels: readonly Level[]): void {
  for (const name of noisyNames) {
    const last = levels.findLast(({ mechanism }) => mechanism === name);
    if (last === undefined) continue;
    try {
      for (const { epochs } of triedSettings(inputs.study.training)) planOf(inputs, last, epochs);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      const found = messageOf(error);
      const said = renameOptions(found, (word) => ({ ...word, option: `mechanisms.${name}.${word.option}` }));
      // A message that names an option names the mechanism with it.
      const isNamed = writeMessage(said) !== writeMessage(found);
      throw new ArgumentError(isNamed ? said : say`invalid mechanisms.${name}: ${said}`);
    }
  }
}

/** The protection of shared gradients at a level. */
export const protectionOf = (level: Level, study: Pick<Study, 'mechanisms' | 'sharing'>): Protection => {
  const { scope, clipNorm } = study.sharing;
  const options = optionsFor(study, level.mechanism);
  return mechanismOf(level.mechanism).protectionAt(amountOf(level), { scope, clipNorm }, options);
};

/** A level of a noisy mechanism must say how much noise: a missing amount would pass for none. */
function amountOf({ mechanism, parameter }: Level): number {
  if (!isNoisy(mechanism)) return 0;
  if (parameter !== undefined) return parameter;
  throw new ArgumentError(`invalid level: expected a ${parameterOf(mechanism).key} for ${mechanism}, got none`);
}

/** A level for people: `σ = 0.01`, `κ = 1e5`, or `no noise`. */
export function describeLevel(level: Level): string {
  const { mechanism } = level;
  if (!isNoisy(mechanism)) return mechanismOf(mechanism).words.label;
  const amount = Number(amountOf(level).toPrecision(3));
  const { symbol } = parameterOf(mechanism);
  return `${symbol} = ${amount >= 1e5 ? amount.toExponential().replace('e+', 'e') : amount}`;
}
