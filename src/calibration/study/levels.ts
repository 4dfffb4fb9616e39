// The noise levels of a study as amounts: σ and κ, found from ε or from a cosine where those were asked for.

import type { Protection, Scope } from '../../attacks/index.js';
import { ArgumentError } from '../../checks/index.js';
import { bisect } from '../../math/index.js';
import { meanCosine } from '../../mechanisms/index.js';
import { makePlan, type Plan } from '../../training/index.js';
import type { Level } from '../analysis/results.js';
import type { StudyInputs } from './inputs.js';

type LevelInputs = Pick<StudyInputs, 'study' | 'train' | 'shared'>;

/** Without noise first, then each mechanism from the least to the most noise. */
export function levelsOf(inputs: LevelInputs): Level[] {
  const levelsIn = (mechanism: 'gaussian' | 'directional'): Level[] => {
    const grid: Partial<Record<GridKind, readonly number[]>> = inputs.study.mechanisms[mechanism] ?? {};
    const kinds = Object.keys(grid) as GridKind[];
    return kinds.flatMap((kind) => (grid[kind] ?? []).map((value) => levelFor(inputs, mechanism, kind, value)));
  };
  const byNoise = (a: Level, b: Level) => (a.parameter as number) - (b.parameter as number);
  return [
    { mechanism: 'none' },
    ...levelsIn('gaussian').sort(byNoise),
    ...levelsIn('directional').sort((a, b) => byNoise(b, a)),
  ];
}

type GridKind = 'noise' | 'concentration' | 'epsilon' | 'cosine';

function levelFor(inputs: LevelInputs, mechanism: 'gaussian' | 'directional', kind: GridKind, value: number): Level {
  switch (kind) {
    case 'noise':
    case 'concentration':
      return { mechanism, parameter: value };
    case 'epsilon': {
      const { noiseMultiplier } = gaussianPlan(inputs, { epsilon: value });
      return { mechanism, parameter: noiseMultiplier as number, target: { kind, value } };
    }
    case 'cosine': {
      if (inputs.study.sharing.scope === 'tensor') {
        throw new ArgumentError(
          'a grid of cosines needs sharing.scope joint: tensors of different sizes have different cosines',
        );
      }
      const find = mechanism === 'gaussian' ? noiseForCosine : concentrationForCosine;
      return { mechanism, parameter: find(value, inputs.shared.numbers), target: { kind, value } };
    }
  }
}

/** σ after which a gradient of the clip norm has this expected cosine: 1/√(1 + σ²K). */
export const noiseForCosine = (cosine: number, numbers: number): number => Math.sqrt((1 / cosine ** 2 - 1) / numbers);

/** κ at which directions have this mean cosine. */
export function concentrationForCosine(cosine: number, numbers: number): number {
  const reaches = (exponent: number) => meanCosine({ dimension: numbers, concentration: 10 ** exponent }) >= cosine;
  return 10 ** bisect(reaches, -6, 18, { absolute: 1e-9 });
}

const sizesOf = ({ study, train }: Pick<StudyInputs, 'study' | 'train'>) => ({
  examples: train.inputIds.length,
  epochs: study.training.epochs,
  batchSize: Math.min(study.training.batchSize, train.inputIds.length),
});

function gaussianPlan(
  inputs: Pick<StudyInputs, 'study' | 'train'>,
  noise: { readonly epsilon: number } | { readonly noiseMultiplier: number },
): Plan {
  const { clipNorm, delta } = inputs.study.training;
  return makePlan({ mechanism: 'gaussian', ...sizesOf(inputs), ...noise, clipNorm, ...(delta && { delta }) });
}

/** How a level trains. */
export function planOf(inputs: Pick<StudyInputs, 'study' | 'train'>, { mechanism, parameter: noise }: Level): Plan {
  switch (mechanism) {
    case 'none':
      return makePlan({ mechanism, ...sizesOf(inputs) });
    case 'gaussian':
      return gaussianPlan(inputs, { noiseMultiplier: noise as number });
    case 'directional':
      return makePlan({ mechanism, ...sizesOf(inputs), concentration: noise as number });
    default:
      throw new ArgumentError(`invalid mechanism: expected none, gaussian or directional, got ${mechanism}`);
  }
}

/** The level's noise on what is shared. */
export function protectionOf(
  { mechanism, parameter = 0 }: Level,
  { scope, clipNorm }: { readonly scope: Scope; readonly clipNorm: number },
): Protection {
  switch (mechanism) {
    case 'none':
      return { mechanism };
    case 'gaussian':
      return { mechanism, scope, clipping: 'clip', clipNorm, noiseMultiplier: parameter };
    case 'directional':
      return { mechanism, scope, concentration: parameter };
    default:
      throw new ArgumentError(`unknown mechanism ${mechanism}`);
  }
}

/** σ = 0.01, κ = 1e5; for people. */
export function describeLevel({ mechanism, parameter: noise }: Level): string {
  if (mechanism === 'none') return 'no noise';
  const amount = Number((noise as number).toPrecision(3));
  return `${mechanism === 'gaussian' ? 'σ' : 'κ'} = ${amount >= 1e5 ? amount.toExponential().replace('e+', 'e') : amount}`;
}
