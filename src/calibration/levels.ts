// The noise levels of a study as amounts: σ and κ, found from ε or from a cosine where those were asked for.

import { ArgumentError, bisect } from '../math/index.js';
import { meanCosine } from '../mechanisms/index.js';
import { makePlan, type Plan } from '../training/index.js';
import type { Grounds } from './grounds.js';
import type { Level } from './results.js';

/** Without noise first, then each mechanism from the least to the most noise. */
export function levelsOf(grounds: Pick<Grounds, 'study' | 'train' | 'shared' | 'trained'>): Level[] {
  const { gaussian, vmf } = grounds.study.mechanisms;
  const cosineSize = () => {
    if (grounds.study.sharing.scope === 'tensor') {
      throw new ArgumentError(
        'a grid of cosines needs sharing.scope joint: tensors of different sizes have different cosines',
      );
    }
    return grounds.shared.numbers;
  };
  const found: Level[] = [{ mechanism: 'none' }];
  const normal: Level[] = [];
  if (gaussian !== undefined && 'noise' in gaussian)
    for (const noise of gaussian.noise) normal.push({ mechanism: 'gaussian', noise });
  if (gaussian !== undefined && 'epsilon' in gaussian) {
    for (const value of gaussian.epsilon) {
      const noise = gaussianPlan(grounds, { targetEpsilon: value }).noiseMultiplier as number;
      normal.push({ mechanism: 'gaussian', noise, target: { kind: 'epsilon', value } });
    }
  }
  if (gaussian !== undefined && 'cosine' in gaussian) {
    for (const value of gaussian.cosine) {
      const noise = noiseForCosine(value, cosineSize());
      normal.push({ mechanism: 'gaussian', noise, target: { kind: 'cosine', value } });
    }
  }
  const directions: Level[] = [];
  if (vmf !== undefined && 'kappa' in vmf) for (const noise of vmf.kappa) directions.push({ mechanism: 'vmf', noise });
  if (vmf !== undefined && 'cosine' in vmf) {
    for (const value of vmf.cosine) {
      const noise = concentrationForCosine(value, cosineSize());
      directions.push({ mechanism: 'vmf', noise, target: { kind: 'cosine', value } });
    }
  }
  normal.sort((a, b) => (a.noise as number) - (b.noise as number));
  directions.sort((a, b) => (b.noise as number) - (a.noise as number));
  return [...found, ...normal, ...directions];
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
