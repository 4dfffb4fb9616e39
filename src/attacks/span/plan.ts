// Checks what can be attacked, and plans how many tokens to look for at each position.

import { ArgumentError, check } from '../../checks/index.js';
import type { GradientView } from '../view.js';
import { spanParameters } from './first-block.js';
import type { Known } from './pursuit.js';

export function checkBatch(view: GradientView): void {
  const { batchSize, lengths, model } = view;
  check({ 'batch size': batchSize }, 'a whole number from 1', (count) => Number.isInteger(count) && count >= 1);
  if (lengths === undefined) {
    if (batchSize === 1) return;
    throw new ArgumentError(`the span attack needs the lengths of the sentences in a batch of ${batchSize}, got none`);
  }
  if (lengths.length !== batchSize) {
    throw new ArgumentError(`lengths: expected those of ${batchSize} sentences, got ${lengths.length}`);
  }
  if (batchSize === 1) return;
  // Every sentence has at least the special tokens around it.
  const least = Math.max(1, model.tokenizer.added);
  for (const length of lengths)
    check({ length }, `a whole number from ${least}`, (count) => Number.isInteger(count) && count >= least);
  spanParameters(view, batchSize);
  const tokens = lengths.reduce((sum, length) => sum + length, 0);
  const { hidden } = model.config;
  check({ 'tokens of the batch': tokens }, `fewer than the model's width ${hidden}`, (count) => count < hidden);
}

/**
 * How many tokens to look for. In a batch, the special tokens around every text are taken as known: they occur in several sentences
 * and places at once, and with the end of one sentence and a word at the place of another's end, that word at the first place is
 * almost in the span too. The rank says how many other tokens there are, but under noise not all of them stand out.
 */
export function planOf({ model, noise, gradients }: GradientView, lengths: readonly number[], rank: number) {
  const wanted = Array.from(
    { length: Math.max(...lengths) },
    (_, position) => lengths.filter((length) => length > position).length,
  );
  const all = lengths.reduce((sum, length) => sum + length, 0);
  const { start, end } = model.tokenizer.special;
  if (lengths.length === 1) return { wanted, total: all, known: [] as Known[], exact: false };
  const noisy = Object.keys(gradients).every((name) => (noise[name] ?? 0) > 0);
  if (model.tokenizer.added !== 2 || start === undefined || end === undefined) {
    return { wanted, total: noisy ? all : Math.min(all, rank), known: [], exact: !noisy };
  }
  wanted[0] = 0;
  for (const length of lengths) wanted[length - 1] = (wanted[length - 1] as number) - 1;
  const ends = [...new Set(lengths)].map((length) => ({ token: end, position: length - 1 }));
  const known = [{ token: start, position: 0 }, ...ends];
  const free = all - 2 * lengths.length;
  return { wanted, total: noisy ? free : Math.min(free, rank - known.length), known, exact: !noisy };
}
