// What mechanisms, attacks and bounds are called in reports.

import type { AttackName, Level, LevelGuarantee, MechanismName, Study } from '../calibration/index.js';
import { writeCount, writeNoise, writeNumber } from './number.js';

export type NoisyMechanism = Exclude<MechanismName, 'none'>;

interface MechanismWords {
  readonly name: string;
  /** For table columns and legends. */
  readonly short: string;
  readonly symbol: 'σ' | 'κ';
  /** −1 where more of the parameter is less noise. */
  readonly sign: 1 | -1;
  readonly definition: string;
}

export const mechanisms: Readonly<Record<NoisyMechanism, MechanismWords>> = {
  gaussian: {
    name: 'Gaussian noise',
    short: 'Gaussian',
    symbol: 'σ',
    sign: 1,
    definition:
      'σ is the standard deviation of the normal noise on every number, in units of the clip norm C. More σ is more noise.',
  },
  directional: {
    name: 'directional noise',
    short: 'directional',
    symbol: 'κ',
    sign: -1,
    definition:
      'κ is the concentration of the von Mises–Fisher direction that replaces a gradient scaled to length 1. Less κ is more noise, and κ means nothing without K.',
  },
};

export const mechanismNames = Object.keys(mechanisms) as readonly NoisyMechanism[];

interface AttackWords {
  readonly name: string;
  readonly measure: string;
  /** Whether it brings back text from what a client shares, or looks at the trained model. */
  readonly reconstructs: boolean;
  /** How many texts' gradients are added up in what it sees. */
  readonly texts: (study: Study) => number;
  readonly definition: string;
}

export const attacks: Readonly<Record<AttackName, AttackWords>> = {
  span: {
    name: 'span',
    measure: 'LCS ratio',
    reconstructs: true,
    texts: () => 1,
    definition:
      'A curious server reads the gradient of one sentence: the tokens whose vectors lie in the span of the first block’s gradients.',
  },
  decepticons: {
    name: 'Decepticons',
    measure: 'LCS ratio',
    reconstructs: true,
    texts: ({ attacks: { decepticons } }) => decepticons?.batchSize ?? 1,
    definition: 'A malicious server sets the parameters so that the gradient of a batch shows single tokens.',
  },
  membership: {
    name: 'membership',
    measure: 'AUC',
    reconstructs: false,
    texts: ({ training }) => training.batchSize,
    definition:
      'Whoever sees the trained model’s losses tells training examples from others: what it was trained on, it fits better.',
  },
};

export const attackNames = Object.keys(attacks) as readonly AttackName[];

/** Not broken over lines. */
export const equation = (name: string, value: string): string => `${name}\u00a0=\u00a0${value}`;

/** K of a set of parameters. */
export const sizeName = (numbers: number): string => equation('K', writeCount(numbers));

export function levelName({ mechanism, parameter: noise }: Level): string {
  if (mechanism === 'none' || noise === undefined) return 'no noise';
  return equation(mechanisms[mechanism].symbol, writeNoise(noise));
}

/** What was asked for where the noise was found from it. */
export const targetName = ({ target }: Level): string | undefined =>
  target && `for ${equation(target.kind === 'epsilon' ? 'ε' : 'cosine', writeNumber(target.value))}`;

/** ε of a bound is rounded up; an approximation has no side. */
export const epsilonOf = ({ epsilon, bound }: LevelGuarantee): string =>
  writeNumber(epsilon, 3, bound === 'approximate' ? 'near' : 'up');

const changes: Readonly<Record<string, string>> = {
  'add-or-remove-one': 'adding or removing one example',
  'replace-one': 'replacing one example',
};
const bounds: Readonly<Record<string, string>> = {
  exact: 'exact',
  upper: 'upper bound',
  approximate: 'approximation, not a bound',
};

/** All that belongs to an ε. */
export const guaranteeTerms = ({ delta, neighbours, accountant, bound }: LevelGuarantee): string =>
  [
    equation('δ', writeNumber(delta, 3, bound === 'approximate' ? 'near' : 'up')),
    changes[neighbours] ?? neighbours,
    `${accountant} accountant`,
    bounds[bound] ?? bound,
  ].join(', ');

/** One, two and three. */
export const list = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
