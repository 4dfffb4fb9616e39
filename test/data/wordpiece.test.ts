// The WordPiece trainer against Hugging Face's and against a naive one.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { countWords, describeWordPiece, makeTokenizer, trainWordPiece } from '../../src/data/index.js';
import { trainNaively } from './naive-wordpiece.js';
import { readGolden } from './vocabularies.js';

interface Golden {
  readonly counts: Readonly<Record<string, number>>;
  readonly trained: readonly { size: number; minFrequency: number; alphabet: number; pieces: string[] }[];
}

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
/** Words of few letters have many pairs of equal count, overlapping ones ("aaaa"), and pieces made in two ways. */
const word = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'c', 'd', 'é', '😀'), minLength: 1, maxLength: 9 });
const count = fc.integer({ min: 1, max: 6 });
const someWords = fc.uniqueArray(fc.tuple(word, count), { selector: ([text]) => text, maxLength: 25 });
const plan = fc.record({
  // Six characters at most, alone and within a word.
  size: fc.integer({ min: 5 + 12, max: 70 }),
  minFrequency: fc.integer({ min: 1, max: 6 }),
  alphabet: fc.integer({ min: 1, max: 8 }),
});

describe('countWords', () => {
  it("counts words as BERT's tokenizer splits them", async () => {
    const counts = await countWords(['The cat, the CAT!', "Don't\u00a0naïve", '', '中文']);
    expect(Object.fromEntries(counts)).toEqual({
      ...{ the: 2, cat: 2, ',': 1, '!': 1, don: 1, "'": 1, t: 1, naive: 1, 中: 1, 文: 1 },
    });
  });

  it('keeps capitals and accents if asked, and reads streams', async () => {
    async function* texts() {
      yield 'The the';
      yield 'Émile the';
    }
    expect([...(await countWords(texts(), { lowercase: false }))]).toEqual([
      ['The', 1],
      ['the', 2],
      ['Émile', 1],
    ]);
  });
});

describe('trainWordPiece', () => {
  const { counts, trained } = readGolden<Golden>('wordpiece.json');
  const words = new Map(Object.entries(counts));

  it.each(trained)(
    'gives the pieces of Hugging Face: $size at most, $alphabet characters, pairs seen $minFrequency times',
    (golden) => {
      const { pieces, ...options } = golden;
      expect(trainWordPiece(words, options).toSorted()).toEqual(pieces.toSorted());
    },
  );

  it('gets the same counts from texts', async () => {
    const few = Object.entries(counts).map(([text, times]) => [text, 1 + (times % 9)] as const);
    const texts = few.map(([text, times]) => `${text.toUpperCase()} `.repeat(times));
    expect(await countWords(texts)).toEqual(new Map(few));
  });

  it('agrees with a naive implementation, including the order', () => {
    const property = fc.property(someWords, plan, (list, options) => {
      expect(trainWordPiece(new Map(list), options)).toEqual(trainNaively(list, options));
    });
    fc.assert(property, { seed: 1, numRuns: 150 });
    for (const { size, minFrequency, alphabet } of trained.slice(3)) {
      const options = { size, minFrequency, alphabet };
      expect(trainWordPiece(words, options)).toEqual(trainNaively(words, options));
    }
  });

  it('merges pairs of equal count in the order of their ids', () => {
    // Ids: a 5, b 6, c 7, d 8, then ##b 9 of "ab" and ##d 10 of "cd".
    const tie = new Map([
      ['cd', 3],
      ['ab', 3],
    ]);
    const characters = ['a', 'b', 'c', 'd', '##b', '##d'];
    expect(trainWordPiece(tie, { size: 12 })).toEqual([...special, ...characters, 'ab']);
    expect(trainWordPiece(tie, { size: 99 })).toEqual([...special, ...characters, 'ab', 'cd']);
  });

  it('does not depend on the order of the words', () => {
    const property = fc.property(someWords, plan, fc.infiniteStream(fc.nat()), (list, options, keys) => {
      const shuffled = list.map((entry) => ({ entry, key: keys.next().value as number }));
      shuffled.sort((a, b) => a.key - b.key);
      const other = new Map(shuffled.map(({ entry }) => entry));
      expect(trainWordPiece(other, options)).toEqual(trainWordPiece(new Map(list), options));
    });
    fc.assert(property, { seed: 2 });
  });

  it('stops at the given size, with distinct pieces and special ones first', () => {
    const full = trainWordPiece(words, { size: 10_000, minFrequency: 1 });
    for (const size of [60, 61, 100, 250, full.length - 1, full.length]) {
      const pieces = trainWordPiece(words, { size, minFrequency: 1 });
      expect(pieces).toEqual(full.slice(0, size));
      expect(new Set(pieces).size).toBe(size);
      expect(pieces.slice(0, 5)).toEqual(special);
    }
  });

  it('merges only pairs that are frequent enough, twice by default', () => {
    const list: [string, number][] = [
      ['ab', 5],
      ['cd', 2],
      ['ef', 1],
    ];
    const joined = (minFrequency?: number) =>
      trainWordPiece(new Map(list), { size: 99, ...(minFrequency && { minFrequency }) }).filter((piece) =>
        /^\w\w$/.test(piece),
      );
    expect(joined()).toEqual(['ab', 'cd']);
    expect(joined(1)).toEqual(['ab', 'cd', 'ef']);
    expect(joined(5)).toEqual(['ab']);
    expect(joined(6)).toEqual([]);
  });

  it('keeps the most frequent characters, and of equally frequent ones the smaller', () => {
    const list = new Map([
      ['aab', 10],
      ['zc', 3],
      ['yc', 3],
    ]);
    const pieces = (alphabet: number) => trainWordPiece(list, { size: 99, minFrequency: 99, alphabet }).slice(5);
    expect(pieces(1)).toEqual(['a', '##a']);
    expect(pieces(3)).toEqual(['a', 'b', 'c', '##a', '##b', '##c']);
    expect(pieces(4)).toEqual(['a', 'b', 'c', 'y', '##a', '##b', '##c']);
    expect(pieces(5)).toEqual(['a', 'b', 'c', 'y', 'z', '##a', '##b', '##c']);
  });

  it('can write every word of known characters', () => {
    const property = fc.property(someWords, plan, (list, options) => {
      const pieces = trainWordPiece(new Map(list), options);
      const tokenizer = makeTokenizer(describeWordPiece(pieces, { lowercase: false }), 'trained');
      for (const [text] of list) {
        const known = [...text].every((character) => pieces.includes(character));
        expect(tokenizer.encode(text).includes(1)).toBe(!known);
        if (known) expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }
    });
    fc.assert(property, { seed: 3 });
  });

  it('accepts an empty list of words', () => {
    expect(trainWordPiece(new Map(), { size: 5 })).toEqual(special);
  });

  it.each([
    [{ size: 0 }, 'invalid size: expected a whole number >= 1, got 0'],
    [{ size: 4 }, 'invalid size: expected room for 10 special pieces and characters, got 4'],
    [{ size: 9 }, 'invalid size: expected room for 10 special pieces and characters, got 9'],
    [{ size: 10.5 }, 'invalid size'],
    [{ size: 99, minFrequency: 0 }, 'invalid minFrequency'],
    [{ size: 99, alphabet: 0 }, 'invalid alphabet'],
  ])('refuses %j', (options, message) => {
    const act = () => trainWordPiece(new Map([['abc', 2]]), options);
    expect(act).toThrow(ArgumentError);
    expect(act).toThrow(message);
  });
});
