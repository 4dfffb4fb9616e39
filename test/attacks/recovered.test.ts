// Matching recovered sentences with true ones, and where the floor comes from.

import { expect, it } from 'vitest';
import { type AttackedBatch, batchesOf, recoverSentences, sampleSentences } from '../../src/attacks/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const model: Model = await loadModel(await writeTiny(makeRoot(), 'bert'), { numLabels: 2 });
const { tokenizer } = model;
const ids = (text: string) => [...tokenizer.encode(text)];
const attacked = (batch: number, ...texts: string[]): AttackedBatch => ({
  batch,
  guesses: texts.map(ids),
  confidence: texts.map((text) => ids(text).map((_, place) => place / 10)),
  cosine: { all: 1, read: 1 },
  figures: {},
  seconds: { client: 0, attack: 0 },
});

it('matches the sentences of a batch, and takes the floor from the next batch in the same way', () => {
  const truths = ['a b', 'c d', 'e f', 'g h'].map(ids);
  const found = recoverSentences(tokenizer, truths, batchesOf(4, 2), [
    attacked(0, 'c x', 'a b'),
    attacked(1, 'd y', 'g z'),
  ]);
  expect(found.map(({ truth, guess }) => [truth, guess])).toEqual([
    ['a b', 'a b'],
    ['c d', 'c x'],
    ['e f', 'd y'],
    ['g h', 'g z'],
  ]);
  // “d y” shares a word with “c d”, so that is the one it is compared with.
  expect(found.map(({ unrelated }) => unrelated)).toEqual(['g z', 'd y', expect.any(String), expect.any(String)]);
  expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
});

it('has no floor from a single batch unless other guesses are given', () => {
  const [truths, batches, only] = [['a b'].map(ids), batchesOf(1, 1), [attacked(0, 'a c')]];
  expect(recoverSentences(tokenizer, truths, batches, only)[0]).not.toHaveProperty('unrelated');
  const [one] = recoverSentences(tokenizer, truths, batches, only, [attacked(0, 'z z')]);
  expect(one).toMatchObject({ guess: 'a c', unrelated: 'z z', truthTokens: ['[CLS]', 'a', 'b', '[SEP]'] });
});

it('leaves out ids that have no token', () => {
  const batch = { ...attacked(0), guesses: [[2, 5, tokenizer.size + 7, 3]] };
  const [one] = recoverSentences(tokenizer, [ids('a b')], batchesOf(1, 1), [batch]);
  expect(one?.guessTokens).toContain(`${tokenizer.size + 7}`);
  expect(one?.guess).toBe(tokenizer.decode([2, 5, 3]));
});

it('draws sentences with words, the same for the same seed, and refuses if there are too few', () => {
  const examples = ['a b', '   ', 'c d e', 'f'].map((text, label) => ({ text, label: label % 2 }));
  const draw = (count: number, seed = 1) => sampleSentences(model, examples, { count, seed, maxTokens: 4 });
  expect(draw(3)).toEqual(draw(3));
  expect(draw(3).inputIds.every((row) => row.length >= 3 && row.length <= 4)).toBe(true);
  expect(() => draw(4)).toThrow(
    'expected 4 texts with words in them, got 3 in the data: lower count, or give more data',
  );
});
