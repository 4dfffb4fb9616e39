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
  type PlanSizeOptions,
  type Protection,
  parameterOf,
  planSizes,
} from '../../mechanisms/index.js';
import { dropoutRates } from '../../models/index.js';
import { expectDropoutActs, groupsByLayer, makePlan } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from './inputs.js';
import { amountKeys } from './plan-keys.js';
import { plannedSizes, runSizes } from './plan-sizes.js';
import type { Study } from './study.js';
import { type TunedSettings, triedSettings } from './tuning.js';

type LevelInputs = Pick<StudyInputs, 'study' | 'train' | 'shared'>;

/** Without noise first, then a control if there is one, then each mechanism from the least to the most noise. */
export const levelsOf = (inputs: LevelInputs): Level[] => [
  ...mechanismNames.flatMap((name) => levelWithoutNoise(name, inputs.study)),
  ...controlOf(inputs.study),
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

/** The model without noise but with dropout. No curve begins there. */
const controlOf = ({ control }: Study): Level[] =>
  control === undefined
    ? []
    : [{ mechanism: 'none', startOf: [], label: `no noise, dropout ${control.dropout}`, dropout: control.dropout }];

/** The dropout of training at a level. */
export const dropoutAt = ({ training }: Pick<Study, 'training'>, { dropout = training.dropout }: Level) => dropout;

/** Refuses dropout that would change nothing, before anything runs. */
export function checkDropout({ study, model, trainable }: PlanInputs, levels: readonly Level[]): void {
  for (const level of levels) {
    const rates = dropoutRates(model, dropoutAt(study, level));
    if (rates) expectDropoutActs(model, trainable.names, { rates });
  }
}

function levelsIn(inputs: LevelInputs, mechanism: NoisyMechanism): Level[] {
  const { plan, mechanisms } = inputs.study;
  const given = Object.entries(mechanisms[mechanism] ?? {});
  const levels = given.flatMap(([kind, values]) => levelsAt(inputs, mechanism, kind, values as readonly number[]));
  const planned =
    plan?.mechanism === mechanism
      ? amountKeys(mechanism).flatMap((kind) => levelsAt(inputs, mechanism, kind, [plan[kind]].filter(isNumber)))
      : [];
  const added = planned.filter((level) => !levels.some((other) => isAboutSame(level, other)));
  return [...levels, ...added].sort((a, b) => amountOfNoise(a) - amountOfNoise(b));
}

/** The levels of a mechanism at these σ, κ, ε or cosines; none if `kind` is an option that says nothing about the noise. */
function levelsAt(inputs: LevelInputs, mechanism: NoisyMechanism, kind: string, values: readonly number[]): Level[] {
  const grid = mechanismOf(mechanism).grids[kind];
  if (grid === undefined) return [];
  return values.map((value) => {
    const parameter = grid.parameterFor(value, noiseContext(inputs, mechanism));
    return { mechanism, parameter, ...(kind !== parameterOf(mechanism).flag && { target: { kind, value } }) };
  });
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Whether the noise of two levels differs by no more than a search for it may. */
const isAboutSame = ({ parameter: a = 0 }: Level, { parameter: b = 0 }: Level): boolean => Math.abs(a / b - 1) < 1e-4;

function noiseContext(inputs: LevelInputs, mechanism: NoisyMechanism): NoiseContext {
  const { study, shared } = inputs;
  return {
    // ε is a promise about the training that the study stands for. Without a plan, noise that depends on the number of epochs is only
    // asked for where a study has a single one.
    sizes:
      plannedSizes(study) ?? planSizes(sizesOf(inputs, (triedSettings(study.training)[0] as TunedSettings).epochs)),
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

const sizesOf = ({ study, train }: TrainingInputs, epochs: number) => runSizes(study, train.inputIds.length, epochs);

function trainingOf({ study }: Pick<TrainingInputs, 'study'>) {
  const { clipNorm, delta } = study.training;
  return { clipNorm, ...(delta !== undefined && { delta }) };
}

type PlanInputs = TrainingInputs & Pick<StudyInputs, 'model' | 'trainable'>;

/** The plan of a study's training runs at a level. */
export const planOf = (inputs: PlanInputs, level: Level, epochs: number): Plan =>
  planWith(inputs, level, sizesOf(inputs, epochs));

/** The plan of the training that a study stands for, with the noise of a level; undefined if that is the study's own. */
export function plannedAt(inputs: PlanInputs, level: Level): Plan | undefined {
  const sizes = plannedSizes(inputs.study);
  if (sizes === undefined) return undefined;
  const { examples, epochs, batchSize } = sizes;
  return planWith(inputs, level, { examples, epochs, batchSize });
}

/** A plan with the noise of a level, for training of another size. */
export function planWith(
  inputs: PlanInputs,
  level: Level,
  sizes: { readonly examples: number; readonly epochs: number; readonly batchSize: number },
): Plan {
  const plans = known.get(inputs) ?? new Map<string, Plan>();
  known.set(inputs, plans);
  const key = JSON.stringify([level, sizes]);
  const plan =
    plans.get(key) ??
    planOfStudy(inputs.study, level, sizes, () => groupsByLayer(inputs.model, inputs.trainable.names));
  plans.set(key, plan);
  return plan;
}

/** Makes the plan of a level from the study alone. `layers` are the trainable parameters by layer. */
export const planOfStudy = (
  study: Study,
  level: Level,
  sizes: Omit<PlanSizeOptions, 'layers'>,
  layersOf: () => PlanSizeOptions['layers'],
): Plan => {
  const amount = amountOf(level);
  const layers = layersOf();
  return makePlan({
    ...mechanismOf(level.mechanism).planAt(amount, trainingOf({ study }), optionsFor(study, level.mechanism)),
    ...sizes,
    ...(layers && { layers }),
  });
};

/** Plans that were made: accounting may take half a second, and every training run of a level asks for those that were tried too. */
const known = new WeakMap<PlanInputs, Map<string, Plan>>();

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
  if (level.dropout !== undefined) return level.label ?? `no noise, dropout ${level.dropout}`;
  if (!isNoisy(mechanism)) return mechanismOf(mechanism).words.label;
  const amount = Number(amountOf(level).toPrecision(3));
  const { symbol } = parameterOf(mechanism);
  return `${symbol} = ${amount >= 1e5 ? amount.toExponential().replace('e+', 'e') : amount}`;
}
