// The descriptor of TIGER: what it needs, what it keeps open, its options and words.

import { ArgumentError, option, say, setting } from '../../checks/index.js';
import type { GradientAttack } from '../attack.js';
import { projectionsOf } from '../span/first-block.js';
import { openFirstInputs } from '../span/inputs.js';
import { readableBlocks } from './blocks.js';
import { openWordTable } from './nearest.js';
import { compileObjective, type ObjectiveProgram } from './objective.js';
import { tigerAttack } from './tiger.js';

const options = {
  steps: { type: 'integer', least: 1, default: 60, help: 'steps of Adam per round' },
  rounds: {
    type: 'integer',
    least: 1,
    default: 6,
    help: 'rounds of optimisation, after each of which the tokens that fit best are decided',
  },
  restarts: { type: 'integer', least: 1, default: 4, help: 'random starts of each round' },
  learningRate: {
    type: 'positive',
    default: 0.3,
    help: 'learning rate of Adam, in standard deviations of the numbers of the word table',
  },
} as const;

export const tiger: GradientAttack<typeof options> = {
  name: 'tiger',
  sees: 'gradient',
  goal: 'reconstruction',
  server: 'curious',
  words: {
    label: 'TIGER',
    help: 'a published baseline: recover text by optimising embeddings until the inputs of the blocks lie in the subspaces of their gradients',
    definition:
      'A curious server sees the gradient of one sentence. It moves continuous embeddings until they could have produced the subspaces of this gradient, and takes the nearest tokens.',
    reference: 'after TIGER, Kalikman et al. 2026; written from its description',
  },
  options,
  measure: { key: 'lcsRatio', name: 'LCS ratio', scale: '1 is every word in order', range: [0, 1] },
  batchSize: 1,
  largestBatch: 1,
  shares: 'read',
  losses: () => ['class'],
  check: ({ model, batchSize }, shared) => {
    if (batchSize > 1) {
      throw new ArgumentError(
        say`TIGER reads one sentence at a time, got a batch of ${batchSize}: use ${setting('batchSize', 1)}, or the span attack`,
      );
    }
    const unseen = projectionsOf(model, 0).find((name) => !(shared ?? [name]).includes(name));
    if (unseen === undefined) return;
    throw new ArgumentError(
      say`TIGER reads ${unseen}, which is not among the shared parameters: add it to ${option('shared')}`,
    );
  },
  open: async ({ model, options, longest, shared }) => {
    const blocks = readableBlocks(model, shared);
    const inputs = await openFirstInputs({ model, parameters: {} }, longest);
    const table = await openWordTable(model);
    const programs = new Map<number, Promise<ObjectiveProgram>>();
    const objective = async (length: number) => {
      const tokens = Math.min(model.config.positions, roundUp(length));
      const compiled = programs.get(tokens) ?? compileObjective(model, { restarts: options.restarts, tokens, blocks });
      programs.set(tokens, compiled);
      return { program: await compiled, tokens };
    };
    return {
      reads: blocks.flatMap((block) => projectionsOf(model, block)),
      run: (view) => tigerAttack(view, { ...options, blocks, inputs, table, objective }),
      about: {
        lines: [
          `It fits the inputs of ${blocks.length === 1 ? 'the first block' : `the first ${blocks.length} blocks`}.`,
        ],
        data: { blocks: blocks.length },
      },
      close: async () => {
        for (const program of programs.values()) await (await program).close();
        for (const one of [table, inputs]) await one.close();
      },
    };
  },
};

/** Numbers of tokens are rounded up to a multiple of this, so that few programs are compiled. */
const step = 4;
const roundUp = (count: number): number => Math.ceil(count / step) * step;
