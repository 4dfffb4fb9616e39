// What is to be said about the mechanisms and attacks of a study.

import type { Study } from '../study.js';
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

const lcsRatio = { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] } as const;
const auc = { key: 'auc', name: 'AUC', scale: '1 is certainty, 0.5 guessing', range: [0.5, 0.6] } as const;

interface KnownAttack extends Omit<AboutAttack, 'texts'> {
  readonly texts: (study: Study) => number;
}

const attacks: readonly KnownAttack[] = [
  {
    name: 'span',
    label: 'span',
    goal: 'reconstruction',
    measure: lcsRatio,
    texts: () => 1,
    definition:
      'A curious server sees the gradient of one sentence. It tests every token of the vocabulary at every position, and keeps those that can have left this gradient.',
  },
  {
    name: 'decepticons',
    label: 'Decepticons',
    goal: 'reconstruction',
    measure: lcsRatio,
    texts: ({ attacks: { decepticons } }) => decepticons?.sentences ?? 1,
    definition: 'A malicious server sets the parameters so that the gradient of a batch shows single tokens.',
  },
  {
    name: 'membership',
    label: 'membership',
    goal: 'membership',
    measure: auc,
    texts: ({ training }) => training.batchSize,
    definition:
      'Whoever sees the trained model’s losses tells training examples from others: what it was trained on, it fits better.',
  },
];

export const aboutMechanisms = (study: Study): AboutMechanism[] =>
  mechanisms.filter(({ name }) => name in study.mechanisms).map(({ noiseLength: _, ...about }) => about);

export const aboutAttacks = (study: Study): AboutAttack[] =>
  attacks.filter(({ name }) => name in study.attacks).map(({ texts, ...about }) => ({ ...about, texts: texts(study) }));

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
