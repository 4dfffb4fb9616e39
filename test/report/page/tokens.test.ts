import { describe, expect, it } from 'vitest';
import { markTokens } from '../../../src/report/page/tokens.js';

const marks = (truth: string, guess: string) =>
  markTokens(truth.split(' '), guess.split(' '))
    .map(({ text, right }) => (right ? text.toUpperCase() : text))
    .join(' ');

describe('marked tokens', () => {
  it('are right where they stand in the truth in the same order', () => {
    expect(marks('a b c d', 'a b c d')).toBe('A B C D');
    expect(marks('a b c d', 'a x c y')).toBe('A x C y');
    expect(marks('a b c d', 'b c d a')).toBe('B C D a');
    expect(marks('a b', 'x y z')).toBe('x y z');
    expect(markTokens([], ['x'])).toEqual([{ text: 'x', joined: false, right: false }]);
    expect(markTokens(['x'], [])).toEqual([]);
  });

  it('mark as many as the longest common subsequence has', () => {
    expect(marks('a b a c', 'c a b a')).toBe('c A B A');
    expect(marks('the cat the hat', 'the the the the').split('THE').length - 1).toBe(2);
  });

  it('leave out the special tokens around a text', () => {
    expect(marks('[CLS] a b [SEP]', '[CLS] a x [SEP] [PAD]')).toBe('A x');
  });

  it('are not right where the vocabulary knows no token', () => {
    expect(marks('a [UNK] b', 'a [UNK] b')).toBe('A [UNK] B');
    expect(markTokens(['[UNK]'], ['[UNK]'])[0]?.right).toBe(false);
  });

  it('are joined to words as WordPiece, GPT-2 and SentencePiece mean it', () => {
    const joined = (guess: readonly string[]) =>
      markTokens([], guess)
        .map(({ text, joined }) => (joined ? text : ` ${text}`))
        .join('')
        .trim();
    expect(joined(['un', '##believ', '##able', 'news'])).toBe('unbelievable news');
    expect(joined(['Hel', 'lo', 'Ġworld', 'Ċ'])).toBe('Hello world⏎');
    expect(joined(['▁Hel', 'lo', '▁world'])).toBe('Hello world');
  });
});
