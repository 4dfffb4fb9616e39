// Recovered names and numbers.

import { describe, expect, it } from 'vitest';
import { factsRecovered, learnFacts } from '../../src/metrics/index.js';

const facts = (text: string, ...others: string[]) => learnFacts([text, ...others])(text);

describe('facts', () => {
  it('are words with a capital inside a sentence, and everything with a digit', () => {
    expect(facts('Yesterday I met Mary Smith-Jones, who paid 3.50 on 2021-05-03 at B2.')).toEqual([
      'mary',
      'smith-jones',
      '3.50',
      '2021-05-03',
      'b2',
    ]);
  });

  it('are not the first words of sentences, nor I', () => {
    expect(facts('They left. "We stay!" (He) said. I\'ll go.')).toEqual([]);
  });

  it('are names at the start too, once seen inside a sentence and never in lower case', () => {
    expect(facts('Mary left.', 'I saw Mary.')).toEqual(['mary']);
    expect(facts('Will left.', 'I saw Will.', 'he will go')).toEqual([]);
  });

  it('count once per recovery, in any case', () => {
    const text = 'So Bob met Bob in Rome in 1999';
    const find = learnFacts([text]);
    expect(factsRecovered(text, 'bob went to ROME', find)).toBe(2 / 4);
    expect(factsRecovered(text, text.toLowerCase(), find)).toBe(1);
    expect(factsRecovered('nothing here', 'nothing', find)).toBeUndefined();
  });
});
