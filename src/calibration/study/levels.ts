// The noise levels of a study as values of each mechanism's parameter, computed from ε or a cosine where the study gives those.

import { ArgumentError } from '../../checks/index.js';
import {
  isNoisy,
  type MechanismName,
  mechanismNames,
  mechanismOf,
  type NoiseGrid,
  type NoisyMechanism,
  noisyNames,
  type Plan,
  type Protection,
  parameterOf,
  planSizes,
  type SharingSettings,
} from '../../mechanisms/index.js';
import { makePlan } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from './inputs.js';
import type { Study } from './study.js';

type LevelInputs = Pick<StudyInputs, 'study' | 'train' | 'shared'>;

/** Without noise first, then each mechanism from the least to the most noise. */
export const levelsOf = (inputs: LevelInputs): Level[] => [
  ...mechanismNames.flatMap((name) => levelWithoutNoise(name, inputs.study)),
  ...noisyNames.flatMap((mechanism) => levelsIn(inputs, mechanism)),
];

/** The level of a mechanism without noise, with the mechanisms of the study that begin there. A control needs one that does. */
function levelWithoutNoise(mechanism: MechanismName, { mechanisms }: Study): Level[] {
  const { isControl, words } = mechanismOf(mechanism);
  if (isNoisy(mechanism)) return [];
  const startOf = noisyNames.filter((name) => name in mechanisms && mechanismOf(name).withoutNoise === mechanism);
  if (!isControl) return [{ mechanism, startOf }];
  return startOf.length === 0 ? [] : [{ mechanism, startOf, label: words.short }];
}

function levelsIn(inputs: LevelInputs, mechanism: NoisyMechanism): Level[] {
  const { flag } = parameterOf(mechanism);
  const grid: Readonly<Record<string, readonly number[]>> = inputs.study.mechanisms[mechanism] ?? {};
  const levels = Object.entries(grid).flatMap(([kind, values]) =>
    values.map((value): Level => {
      const parameter = parameterFor(inputs, mechanism, kind, value);
      return { mechanism, parameter, ...(kind !== flag && { target: { kind, value } }) };
    }),
  );
  return levels.sort((a, b) => amountOfNoise(a) - amountOfNoise(b));
}

function parameterFor(inputs: LevelInputs, mechanism: NoisyMechanism, kind: string, value: number): number {
  const { study, shared } = inputs;
  const sizes = planSizes(sizesOf(inputs));
  const context = { sizes, training: trainingOf(inputs), numbers: shared.numbers, scope: study.sharing.scope };
  return (mechanismOf(mechanism).grids[kind] as NoiseGrid).parameterFor(value, context);
}

/** Grows with the noise and is 0 without any; sorts the levels of one mechanism. */
function amountOfNoise({ mechanism, parameter = 0 }: Level): number {
  if (!isNoisy(mechanism)) return 0;
  return parameterOf(mechanism).moreNoise === 'higher' ? parameter : 1 / parameter;
}

type TrainingInputs = Pick<StudyInputs, 'study' | 'train'>;

const sizesOf = ({ study, train }: TrainingInputs) => ({
  examples: train.inputIds.length,
  epochs: study.training.epochs,
  batchSize: Math.min(study.training.batchSize, train.inputIds.length),
});

function trainingOf({ study }: TrainingInputs) {
  const { clipNorm, delta } = study.training;
  return { clipNorm, ...(delta !== undefined && { delta }) };
}

/** The training plan of a level. */
export const planOf = (inputs: TrainingInputs, level: Level): Plan =>
  makePlan({ ...mechanismOf(level.mechanism).planAt(amountOf(level), trainingOf(inputs)), ...sizesOf(inputs) });

/** The protection of shared gradients at a level. */
export const protectionOf = (level: Level, { scope, clipNorm }: SharingSettings): Protection =>
  mechanismOf(level.mechanism).protectionAt(amountOf(level), { scope, clipNorm });

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
