// METEOR, stems and synonyms against NLTK.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { meteor, openLexicon } from '../../src/metrics/index.js';

interface Pair {
  readonly reference: string;
  readonly hypothesis: string;
  readonly meteor: number;
  readonly nltk_meteor: number;
}

const golden = (name: string) =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', `${name}.json`), 'utf8'));
const {
  stems,
  synonyms,
  pairs: random,
} = golden('lexicon') as {
  stems: string[];
  synonyms: Record<string, string[]>;
  pairs: Pair[];
};
const { pairs } = golden('meteor') as { pairs: Pair[] };
const lexicon = openLexicon();

describe('stems', () => {
  it('are those of NLTK', () => {
    expect(stems.map((line) => `${line.split(' ')[0]} ${lexicon.stemOf(line.split(' ')[0] as string)}`)).toEqual(stems);
  });
});

describe('synonyms', () => {
  it('are those of NLTK', () => {
    const found = Object.keys(synonyms).map((word) => [word, [...lexicon.synonymsOf(word)].sort()]);
    expect(Object.fromEntries(found)).toEqual(synonyms);
  });

  it('of a text that is no word are the text itself', () => {
    for (const text of ['', ' ', 's', '\u{10ffff}', '1', 'the software']) {
      expect(lexicon.synonymsOf(text).has(text)).toBe(true);
    }
    expect([...lexicon.synonymsOf('')]).toEqual(['']);
    expect([...lexicon.synonymsOf('zzzz')]).toEqual(['zzzz']);
  });
});

describe('METEOR', () => {
  it.each([...pairs, ...random])('$reference / $hypothesis', ({ reference, hypothesis, ...expected }) => {
    const texts = [reference.split(/\s+/), hypothesis.split(/\s+/).filter((word) => word !== '')] as const;
    expect(meteor(...texts, lexicon)).toBeCloseTo(expected.meteor, 11);
    expect(meteor(...texts, lexicon, { synonymsOf: 'stem' })).toBeCloseTo(expected.nltk_meteor, 11);
  });

  it('is 0 for empty texts', () => {
    expect([meteor([], [], lexicon), meteor(['a'], [], lexicon), meteor([], ['a'], lexicon)]).toEqual([0, 0, 0]);
  });
});
