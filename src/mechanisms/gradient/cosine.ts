// Normal noise on each tensor that leaves a given expected cosine to the true one. It depends on the gradient's own length, so it
// gives no guarantee: it serves to measure attacks, not to protect.

import { check, type OptionSchema, type OptionValues } from '../../checks/index.js';
import { normOf } from '../clipping.js';
import type { Protector } from './gradient-mechanism.js';
import { addGradientNoise } from './gradient-noise.js';
import { sumOf } from './vectors.js';

const protectOptions = {
  cosine: { type: 'positive', help: 'noise on each tensor that leaves this expected cosine to the truth' },
} as const satisfies OptionSchema;

export type CosineProtection = { readonly mechanism: 'cosine' } & Required<OptionValues<typeof protectOptions>>;

export const cosine = {
  name: 'cosine',
  parameter: {
    key: 'cosine',
    flag: 'cosine',
    symbol: 'cosine',
    ascii: 'cosine',
    unit: 'expected cosine of each shared tensor to the true one',
    moreNoise: 'lower',
  },
  words: {
    label: 'noise for a cosine',
    short: 'cosine',
    definition:
      'Normal noise on each tensor, as much as leaves the expected cosine to the true one: to measure attacks, not to protect.',
  },
  protectOptions,
  protect: (vectors, { cosine: asked }, random, into) => {
    check({ cosine: asked }, 'above 0 and at most 1', (value) => value > 0 && value <= 1);
    const sum = sumOf(vectors, [], into);
    const deviation = normOf(sum) * Math.sqrt((1 / (asked * asked) - 1) / sum.length);
    if (deviation > 0) addGradientNoise(random, { gradients: { sum } }, { deviation });
    return { sum, deviation };
  },
  describeProtection: ({ cosine: asked }) => `normal noise, expected cosine ${asked} for each tensor`,
  protectionAt: (asked): CosineProtection => ({ mechanism: 'cosine', cosine: asked }),
} satisfies Protector<'cosine', CosineProtection>;
