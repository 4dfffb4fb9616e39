// What comes back with certainty: right, in place, and known to be right.

import { expect, it } from 'vitest';
import { certaintyOf } from '../../src/attacks/evaluation/certainty.js';
import { certainShare, statedTokens } from '../../src/attacks/index.js';
import { seededSource } from '../../src/random/index.js';

const around = { before: [2], after: [3] };
/** Special tokens are always right and certain, which must not count. */
const sentence = (truth: string, guess: string, confidence: readonly number[]) => ({
  truthTokens: ['[CLS]', ...truth.split(' '), '[SEP]'],
  guessTokens: ['[CLS]', ...guess.split(' '), '[SEP]'],
  confidence: [1, ...confidence, 1],
});

it('needs the right token, its place and a confidence of 0.9', () => {
  const one = sentence('a b c d', 'a b d c', [0.9, 0.89, 0.99, 0.1]);
  expect(statedTokens(one, around)).toEqual([
    { confidence: 0.9, right: true },
    { confidence: 0.89, right: true },
    { confidence: 0.99, right: false },
    { confidence: 0.1, right: false },
  ]);
  expect(certainShare(one, around)).toBe(1 / 4);
});

it('is a share of the truth, position by position, whatever length was found', () => {
  expect(certainShare(sentence('a b c d', 'a b', [1, 1]), around)).toBe(2 / 4);
  expect(certainShare(sentence('a b', 'a b c d', [1, 1, 1, 1]), around)).toBe(1);
  expect(statedTokens(sentence('a b', 'a b c d', [1, 1, 1, 1]), around).map(({ right }) => right)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(certainShare({ truthTokens: ['[CLS]', '[SEP]'], guessTokens: [] }, around)).toBe(0);
});

it('counts texts alike, however long, and tells how often the attacker is right to be sure', () => {
  const sentences = [sentence('a', 'a', [0.95]), sentence('b c d', 'b x d', [1, 0.92, 0.5])];
  const found = certaintyOf(seededSource(1), sentences, around);
  expect(found?.share).toMatchObject({ mean: (1 + 1 / 3) / 2, count: 2, lower: 1 / 3, upper: 1 });
  expect(found).toMatchObject({ given: 3, right: 2 });
  expect(found?.reliability.map(({ from, answers, right }) => [from, answers, right])).toEqual([
    [0.5, 1, 1],
    [0.9, 2, 1],
    [0.99, 1, 1],
  ]);
  // |1 − 0.5| + |1 − 1.87| + |1 − 1| over four tokens.
  expect(found?.calibrationError).toBeCloseTo((0.5 + 0.87) / 4, 12);
  expect(certaintyOf(seededSource(1), [], around)).toBeUndefined();
});
