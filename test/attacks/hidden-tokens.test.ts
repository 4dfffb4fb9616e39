// The tokens that a client hides to train on them: 15 %, at least one, never a special one.

import { expect, it } from 'vitest';
import { hideTokens } from '../../src/attacks/client-loss.js';
import { loadModel } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const { tokenizer } = await loadModel(await writeTiny(makeRoot(), 'bert'), { numLabels: 2 });
/** Between the special tokens around every text, so many words. */
const sentence = (words: number) => tokenizer.encode(Array(words).fill('a').join(' '));
const hide = (sentences: readonly (readonly number[])[], seed = 1) =>
  hideTokens(tokenizer, sentences, seededSource(seed));

it('are 15 % of the words, rounded, and at least one', () => {
  const counts = [1, 3, 4, 10, 17, 20, 36];
  const { places, maskToken } = hide(counts.map(sentence));
  expect(places.map(({ length }) => length)).toEqual([1, 1, 1, 2, 3, 3, 5]);
  expect(tokenizer.tokenOf(maskToken)).toBe('[MASK]');
});

it('are different places of the sentence, none of a special token', () => {
  const mixed = [2, 1, 7, 1, 8, 0, 9, 3]; // [CLS] [UNK] c [UNK] d [PAD] e [SEP]
  for (let seed = 0; seed < 20; seed++) {
    const { places } = hide([mixed, sentence(36)], seed);
    expect([2, 4, 6]).toContain(places[0]?.[0]);
    expect(new Set(places[1]).size).toBe(5);
  }
});

it('are the same for the same seed, and every place is chosen at some seed', () => {
  expect(hide([sentence(20)], 5)).toEqual(hide([sentence(20)], 5));
  // A place is hidden with chance 3/20; that one of 20 is never hidden in 200 rounds has a chance below 20 · .85²⁰⁰ < 1e-12.
  const seen = new Set(Array.from({ length: 200 }, (_, seed) => hide([sentence(20)], seed).places[0] ?? []).flat());
  expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

it('need a mask token', () => {
  const { mask: _, ...special } = tokenizer.special;
  const without = { ...tokenizer, special };
  expect(() => hideTokens(without, [sentence(3)], seededSource(1))).toThrow('needs a tokenizer with a mask token');
});
