// Splitting texts into words.

import { describe, expect, it } from 'vitest';
import { findSplitter, splitters } from '../../src/metrics/index.js';

describe('splitters', () => {
  it('split at white space and lower the case', () => {
    expect(splitters.spaces(" The queen 's\tmen,\u00a0[CLS]belly \n")).toEqual([
      'the',
      'queen',
      "'s",
      'men,',
      '[cls]belly',
    ]);
    expect(splitters.spaces(' \n')).toEqual([]);
  });

  it('separate punctuation, but not an apostrophe inside a word', () => {
    expect(splitters.words("Don't pay £3.50, Zoë!")).toEqual(["don't", 'pay', '£', '3', '.', '50', ',', 'zoë', '!']);
    expect(splitters.words('')).toEqual([]);
  });

  it('are found by name', () => {
    expect(findSplitter('words')).toBe(splitters.words);
    expect(() => findSplitter('toString')).toThrow('invalid tokens: expected spaces or words, got toString');
  });
});
