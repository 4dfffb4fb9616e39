// Options that several mechanisms share, described once.

import { ArgumentError, type Option } from '../../checks/index.js';
import { accountantNames } from '../../privacy/index.js';
import type { NoiseContext } from './gradient-mechanism.js';

export const samplers = ['poisson', 'shuffled'] as const;

export const scopeOption = {
  type: 'choice',
  choices: ['joint', 'tensor'],
  default: 'joint',
  help: 'joint (all shared tensors are one vector) or tensor (each by itself)',
} as const satisfies Option;

/** Any accountant can be named; a plan refuses those that do not fit, with the reason. */
export const accountantChoice = { type: 'choice', choices: accountantNames } as const;

export const neighboursOption = {
  type: 'choice',
  choices: ['add-or-remove-one', 'replace-one'],
  help: 'neighbouring data sets; they follow from the sampler, so this only checks them',
} as const satisfies Option;

export const cosineGrid = {
  type: 'positive',
  below: 1,
  help: 'expected cosine of a shared gradient to the truth, where it is at least as long as the clip norm',
} as const satisfies Option;

/** The numbers that one cosine describes. It needs the joint scope, because tensors of different sizes would need different noise. */
export function numbersTogether({ numbers, scope }: NoiseContext): number {
  if (scope === 'joint') return numbers;
  throw new ArgumentError(
    'a grid of cosines needs sharing.scope joint: tensors of different sizes have different cosines',
  );
}
