// The losses that a client may train on, and the targets of each.

import { ArgumentError, say, setting } from '../checks/index.js';
import type { Tokenizer } from '../data/index.js';
import { permutation, type SeededSource } from '../random/index.js';

/** The loss that a client trains on, with its targets. */
export type ClientLoss =
  /** The next token, at every position (GPT-2). */
  | { readonly loss: 'next' }
  /** Every token at its own position (masked language models, with no token masked). */
  | { readonly loss: 'all' }
  /** The tokens at these places of each sentence, replaced by the mask token. */
  | { readonly loss: 'masked'; readonly places: readonly (readonly number[])[]; readonly maskToken: number }
  /** The class of each sentence. */
  | { readonly loss: 'class'; readonly labels: readonly number[] };

/** `next`, `all`, `masked` or `class`. */
export type ClientLossName = ClientLoss['loss'];

/** Completes “loss of …” for people. */
export const lossWords: Readonly<Record<ClientLossName, string>> = {
  next: 'the next token',
  all: 'every token',
  masked: '15 % hidden tokens',
  class: 'the class',
};

const hiddenShare = 0.15;

/** Chooses 15 % of the tokens of each sentence, at least one, and no special tokens. */
export function hideTokens(tokenizer: Tokenizer, sentences: readonly (readonly number[])[], random: SeededSource) {
  const { mask, ...special } = tokenizer.special;
  if (mask === undefined)
    throw new ArgumentError(
      say`the masked loss needs a tokenizer with a mask token, got none: use ${setting('loss', 'all')}`,
    );
  const fixed = new Set(Object.values(special));
  const places = sentences.map((sentence) => {
    const free = [...sentence.keys()].filter((place) => !fixed.has(sentence[place] as number));
    const order = permutation(random, free.length);
    return [...order.subarray(0, Math.max(1, Math.round(hiddenShare * free.length)))].map((i) => free[i] as number);
  });
  return { places, maskToken: mask };
}
