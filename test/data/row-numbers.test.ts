import { expect, it } from 'vitest';
import { numberRows, pick } from '../../src/data/index.js';

it('finds examples again by what they are, not by their text', () => {
  const examples = ['a', 'b', 'a', 'c'].map((text) => ({ text }));
  const test = [{ text: 'a' }];
  const find = numberRows({ splits: { train: examples, test } });
  expect(pick(examples, Uint32Array.of(2, 3, 0)).map(find)).toEqual([
    { split: 'train', row: 3 },
    { split: 'train', row: 4 },
    { split: 'train', row: 1 },
  ]);
  expect(find(test[0] as { text: string })).toEqual({ split: 'test', row: 1 });
  expect(find({ text: 'a' })).toBeUndefined();
});
