// The descriptor of DAGER: what it needs, what it keeps open, its options and words. Defaults are the published ones.

import { ArgumentError, option, say, setting } from '../../checks/index.js';
import type { GradientAttack } from '../attack.js';
import { openFirstInputs } from '../span/inputs.js';
import { openSecondInputs } from '../span/second-inputs.js';
import { reachOf, unknownLengthsOption } from '../unknown-lengths.js';
import { dagerAttack } from './dager.js';
import { distance } from './distance.js';
import { queryMaps } from './query-spans.js';

const options = {
  unknownLengths: unknownLengthsOption,
  tokenThreshold: {
    type: 'positive',
    default: 1e-5,
    help: 'a token is a candidate if its unit input is closer than this to the span of the first block',
  },
  sentenceThreshold: {
    type: 'positive',
    default: 1e-3,
    help: 'the beginning of a sentence is right if all its unit inputs are closer than this to the span of the second block',
  },
  rankTolerance: {
    type: 'positive',
    below: 1,
    help: 'singular values below this share of the largest count as zero; by default, the rounding of float32 numbers times the larger side of the matrix',
  },
  rankCutoff: {
    type: 'integer',
    least: 1,
    default: 20,
    help: 'the rank is at most the width of the model minus this',
  },
  candidates: {
    type: 'integer',
    least: 1,
    help: 'the most candidates per position; by default 1 for encoders, and all for decoders',
  },
  combinations: {
    type: 'integer',
    least: 1,
    default: 10_000_000,
    help: 'the most sentences that are compared by the second block; if there are more, so many are drawn at random',
  },
} as const;

export const dager: GradientAttack<typeof options> = {
  name: 'dager',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'curious',
  words: {
    label: 'DAGER',
    help: 'a published baseline, exact without noise: recover text by checking which tokens lie in the span of the first two blocks’ query gradients',
    definition:
      'A curious server sees the gradient of one sentence. It keeps the tokens whose inputs lie in the span of the gradient, within rounding, and makes no allowance for noise.',
    reference: 'DAGER, Petrov et al. 2024; written anew',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 1,
  largestBatch: 1,
  shares: 'read',
  losses: () => ['class'],
  hidesLengths: ({ unknownLengths }) => unknownLengths,
  check: ({ model, batchSize }, shared) => {
    if (batchSize > 1) {
      throw new ArgumentError(
        say`DAGER reads one sentence at a time, got a batch of ${batchSize}: use ${setting('batchSize', 1)}, or the span attack`,
      );
    }
    const needed = queryMaps(model).slice(0, 2);
    const unseen = needed.find(({ weight }) => !(shared ?? [weight]).includes(weight));
    if (unseen === undefined) return;
    throw new ArgumentError(
      say`DAGER reads ${unseen.weight}, which is not among the shared parameters: add it to ${option('shared')}`,
    );
  },
  open: async ({ model, options, longest, shared, random }) => {
    const reach = reachOf(model, longest, options.unknownLengths);
    const known = { model, parameters: {} };
    const inputs = await openFirstInputs(known, reach);
    const second = openSecondInputs(known, distance);
    const reads = queryMaps(model).map(({ weight }) => weight);
    return {
      reads: reads.filter((name) => (shared ?? reads).includes(name)),
      run: (view) =>
        dagerAttack(view, { ...options, inputs, second, longest: reach, random: random.stream('combinations') }),
      close: async () => {
        for (const one of [second, inputs]) await one.close();
      },
    };
  },
};
