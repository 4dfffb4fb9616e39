// The noise levels of a study as amounts: σ and κ, found from ε or from a cosine where those were asked for.

import { ArgumentError } from '../checks/index.js';
import { bisect } from '../math/index.js';
import { meanCosine } from '../mechanisms/index.js';
import { makePlan, type Plan } from '../training/index.js';
import type { Grounds } from './grounds.js';
import type { Level } from './results.js';

type LevelGrounds = Pick<Grounds, 'study' | 'train' | 'shared'>;

/** Without noise first, then each mechanism from the least to the most noise. */
export function levelsOf(grounds: LevelGrounds): Level[] {
  const levelsIn = (mechanism: 'gaussian' | 'vmf'): Level[] => {
    const grid: Partial<Record<GridKind, readonly number[]>> = grounds.study.mechanisms[mechanism] ?? {};
    const kinds = Object.keys(grid) as GridKind[];
    return kinds.flatMap((kind) => (grid[kind] ?? []).map((value) => levelFor(grounds, mechanism, kind, value)));
  };
  const byNoise = (a: Level, b: Level) => (a.noise as number) - (b.noise as number);
  return [
    { mechanism: 'none' },
    ...levelsIn('gaussian').sort(byNoise),
    ...levelsIn('vmf').sort((a, b) => byNoise(b, a)),
  ];
}

type GridKind = 'noise' | 'kappa' | 'epsilon' | 'cosine';

function levelFor(grounds: LevelGrounds, mechanism: 'gaussian' | 'vmf', kind: GridKind, value: number): Level {
  switch (kind) {
    case 'noise':
    case 'kappa':
      return { mechanism, noise: value };
    case 'epsilon': {
      const { noiseMultiplier } = gaussianPlan(grounds, { targetEpsilon: value });
      return { mechanism, noise: noiseMultiplier as number, target: { kind, value } };
    }
    case 'cosine': {
      if (grounds.study.sharing.scope === 'tensor') {
        throw new ArgumentError(
          'a grid of cosines needs sharing.scope joint: tensors of different sizes have different cosines',
        );
      }
      const find = mechanism === 'gaussian' ? noiseForCosine : concentrationForCosine;
      return { mechanism, noise: find(value, grounds.shared.numbers), target: { kind, value } };
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

const sizesOf = ({ study, train }: Pick<Grounds, 'study' | 'train'>) => ({
  examples: train.rows.length,
  epochs: study.training.epochs,
  lotSize: Math.min(study.training.lotSize, train.rows.length),
});

function gaussianPlan(
  grounds: Pick<Grounds, 'study' | 'train'>,
  noise: { readonly targetEpsilon: number } | { readonly noiseMultiplier: number },
): Plan {
  const { clipNorm, delta } = grounds.study.training;
  return makePlan({ mechanism: 'gaussian', ...sizesOf(grounds), ...noise, clipNorm, ...(delta && { delta }) });
}

/** How a level trains. */
export function planOf(grounds: Pick<Grounds, 'study' | 'train'>, { mechanism, noise }: Level): Plan {
  switch (mechanism) {
    case 'none':
      return makePlan({ mechanism, ...sizesOf(grounds) });
    case 'gaussian':
      return gaussianPlan(grounds, { noiseMultiplier: noise as number });
    case 'vmf':
      return makePlan({ mechanism, ...sizesOf(grounds), concentration: noise as number });
  }
}

/** σ = 0.01, κ = 1e5; for people. */
export function describeLevel({ mechanism, noise }: Level): string {
  if (mechanism === 'none') return 'no noise';
  const amount = Number((noise as number).toPrecision(3));
  return `${mechanism === 'gaussian' ? 'σ' : 'κ'} = ${amount >= 1e5 ? amount.toExponential().replace('e+', 'e') : amount}`;
}
