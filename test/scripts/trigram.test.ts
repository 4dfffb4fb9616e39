// The trigram baseline is a distribution, and learns.

import { expect, it } from 'vitest';
import { trainTrigram } from '../../scripts/pretrain/trigram.js';
import { integerBelow, seededSource } from '../../src/random/index.js';

it('gives probabilities that add up to 1, in contexts seen and unseen', () => {
  const random = seededSource(1).stream('text');
  const text = Uint16Array.from({ length: 3000 }, () => integerBelow(random, 12) * integerBelow(random, 3));
  const { probability } = trainTrigram([text]);
  for (const [a, b] of [
    [0, 0],
    [4, 2],
    [22, 22],
    [900, 901],
  ] as const) {
    let sum = 0;
    for (let next = 0; next < 2 ** 16; next++) sum += probability(a, b, next);
    expect(Math.abs(sum - 1)).toBeLessThan(1e-9);
  }
});

it('is nearly sure of what always follows', () => {
  const text = Uint16Array.from({ length: 3000 }, (_, i) => [5, 6, 7, 5, 8, 9][i % 6] as number);
  const { probability } = trainTrigram([text]);
  expect(probability(7, 5, 8)).toBeGreaterThan(0.99);
  expect(probability(9, 5, 6)).toBeGreaterThan(0.99);
  expect(probability(9, 5, 8)).toBeLessThan(0.01);
});
