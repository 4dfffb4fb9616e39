// What is to be said about the mechanisms and attacks of a study.

import { attacks } from '../../attacks/index.js';
import type { Study } from '../study/study.js';
import type { AboutAttack, AboutMechanism, Level, SetSize } from './results.js';

interface KnownMechanism extends AboutMechanism {
  /** The expected length of noise on this many numbers, over the bound of the gradient. */
  readonly noiseLength?: (parameter: number, numbers: number) => number;
}

const mechanisms: readonly KnownMechanism[] = [
  {
    name: 'gaussian',
    label: 'Gaussian noise',
    short: 'Gaussian',
    symbol: 'σ',
    ascii: 'sigma',
    moreNoise: 'higher',
    definition:
      'σ is the standard deviation of the normal noise on every number, in units of the clip norm C. More σ is more noise.',
    noiseLength: (sigma, numbers) => sigma * Math.sqrt(numbers),
  },
  {
    name: 'directional',
    label: 'directional noise',
    short: 'directional',
    symbol: 'κ',
    ascii: 'kappa',
    moreNoise: 'lower',
    definition:
      'κ is the concentration of the von Mises–Fisher direction that replaces a gradient scaled to length 1. Less κ is more noise, and κ means nothing without K.',
  },
];

export const aboutMechanisms = (study: Study): AboutMechanism[] =>
  mechanisms.filter(({ name }) => name in study.mechanisms).map(({ noiseLength: _, ...about }) => about);

export const aboutAttacks = (study: Study): AboutAttack[] =>
  attacks
    .filter(({ name }) => name in study.attacks)
    .map((attack) => {
      const { name, goal, measure, words } = attack;
      const { batchSize } = study.attacks[name] ?? {};
      // Of a trained model it sees what a batch of training examples left there.
      const texts = attack.sees === 'gradient' ? (batchSize ?? attack.batchSize) : study.training.batchSize;
      return { name, label: words.label, goal, measure, texts, definition: words.definition };
    });

/** For `LevelResults`: of the noise on one shared gradient, bounded as one vector or tensor by tensor. */
export function noiseLengthAt(
  { mechanism, parameter }: Level,
  { sharing }: Study,
  shared: SetSize,
): { readonly noiseLength?: number } {
  const { noiseLength } = mechanisms.find(({ name }) => name === mechanism) ?? {};
  if (noiseLength === undefined || parameter === undefined) return {};
  const vectors = sharing.scope === 'tensor' ? shared.tensors : 1;
  return { noiseLength: noiseLength(parameter, shared.numbers / vectors) };
}
