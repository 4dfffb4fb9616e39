// Text to ids and back, against Hugging Face's library.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { describeWordPiece, makeTokenizer, openTokenizer, type Tokenizer } from '../../src/data/index.js';
import { makeFolder, shared } from './files.js';
import {
  bertFolder,
  gpt2Folder,
  mergesFile,
  readGolden,
  realVocabularies,
  small,
  writeFolder,
} from './vocabularies.js';

const write = makeFolder();
const whole = { special: false } as const;

/** Any text without lone surrogates. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(' ', '  ', '\n', '\t', '\u00a0', "'s", "'", 'a', 'The', '9', '!', 'é'),
    maxLength: 20,
  }),
);
/** Words and punctuation that every vocabulary here has pieces for. */
const plainText = fc
  .array(fc.oneof(fc.string({ unit: fc.constantFrom(...'aehiklmnorst'), minLength: 1 }), fc.constantFrom(...",.;:'")))
  .map((words) => words.join(' '));

function encodesAgain(tokenizer: Tokenizer, text: string): void {
  const ids = tokenizer.encode(text);
  expect(tokenizer.encode(tokenizer.decode(ids))).toEqual(ids);
}

describe('WordPiece', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    const folder = writeFolder(write, 'small-bert', { 'vocab.txt': `${small.pieces.join('\n')}\n` });
    tokenizer = await openTokenizer(folder);
  });

  it('gives the ids of the Python library, lower-cased and cased', () => {
    const cased = makeTokenizer(describeWordPiece(small.pieces, { lowercase: false }), 'cased');
    for (const [text, lowered, kept] of small.texts) {
      expect(tokenizer.encode(text, whole), JSON.stringify(text)).toEqual(lowered);
      expect(cased.encode(text, whole), JSON.stringify(text)).toEqual(kept);
    }
    expect(small.texts.length).toBeGreaterThan(100);
  });

  it('knows its special tokens and puts two around a text', () => {
    expect(tokenizer.special).toEqual({ padding: 0, unknown: 1, start: 2, end: 3, mask: 4 });
    expect(tokenizer.size).toBe(small.pieces.length);
    expect(tokenizer.added).toBe(2);
    expect(tokenizer.encode('')).toEqual([2, 3]);
    expect(tokenizer.encode('', whole)).toEqual([]);
    expect(tokenizer.encode('king')).toEqual([2, ...tokenizer.encode('king', whole), 3]);
    expect(tokenizer.encode('king [MASK]')).toEqual([2, ...tokenizer.encode('king', whole), 4, 3]);
  });

  it('truncates a text so that the special tokens still fit', () => {
    const text = 'hie , good sir michael ; bear this sealed brief';
    const ids = tokenizer.encode(text, whole);
    for (const maxTokens of [2, 3, 7, ids.length + 1, ids.length + 2, 1000]) {
      expect(tokenizer.encode(text, { maxTokens })).toEqual([2, ...ids.slice(0, maxTokens - 2), 3]);
      expect(tokenizer.encode(text, { maxTokens, special: false })).toEqual(ids.slice(0, maxTokens));
    }
    expect(tokenizer.encode(text, { maxTokens: 1, special: false })).toEqual(ids.slice(0, 1));
    const short = () => tokenizer.encode(text, { maxTokens: 1 });
    expect(short).toThrow(ArgumentError);
    expect(short).toThrow('invalid maxTokens: expected room for 2 special tokens, got 1');
    for (const maxTokens of [0, -1, 2.5, Number.NaN]) {
      expect(() => tokenizer.encode(text, { maxTokens, special: false })).toThrow('invalid maxTokens');
    }
  });

  it('decodes without special tokens by default, and does not clean up', () => {
    const ids = tokenizer.encode("King's, 中");
    expect(tokenizer.decode(ids)).toBe("king ' s , 中");
    expect(tokenizer.decode(ids, { special: true })).toBe("[CLS] king ' s , 中 [SEP]");
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.decode([2, 3])).toBe('');
    expect(tokenizer.decode(tokenizer.encode('king ☃ king'))).toBe('king king');
    expect(tokenizer.decode(tokenizer.encode('king ☃ king'), { special: true })).toBe('[CLS] king [UNK] king [SEP]');
  });

  it('encodes a decoded text to the same ids', () => {
    fc.assert(
      fc.property(plainText, (text) => encodesAgain(tokenizer, text)),
      { seed: 1 },
    );
    // Also words that are cut off in the middle.
    const cut = fc.property(plainText, fc.integer({ min: 2, max: 12 }), (text, maxTokens) => {
      const ids = tokenizer.encode(text, { maxTokens });
      expect(tokenizer.encode(tokenizer.decode(ids))).toEqual(ids);
    });
    fc.assert(cut, { seed: 2 });
    // Unknown words are restored if special tokens are included.
    const any = fc.property(anyText, (text) => {
      const ids = tokenizer.encode(text);
      expect(tokenizer.encode(tokenizer.decode(ids, { special: true }), whole)).toEqual(ids);
    });
    fc.assert(any, { seed: 3 });
  });

  it('refuses to decode an unknown id', () => {
    for (const id of [-1, small.pieces.length, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => tokenizer.decode([5, id])).toThrow(ArgumentError);
      expect(() => tokenizer.decode([5, id])).toThrow(
        `invalid token id: expected 0 to ${small.pieces.length - 1}, got ${id}`,
      );
    }
  });

  it('maps between words, tokens and ids', () => {
    expect(tokenizer.words("Hello, WÖRLD! don't\u00a0a中b")).toEqual([
      ...['hello', ',', 'world', '!', 'don', "'", 't', 'a', '中', 'b'],
    ]);
    expect(tokenizer.words(' \n ')).toEqual([]);
    for (const [id, piece] of small.pieces.entries()) {
      expect(tokenizer.tokenOf(id)).toBe(piece);
      expect(tokenizer.idOf(piece)).toBe(id);
    }
    expect(tokenizer.tokenOf(small.pieces.length)).toBeUndefined();
    expect(tokenizer.tokenOf(-1)).toBeUndefined();
    expect(tokenizer.idOf('not a piece')).toBeUndefined();
    expect(tokenizer.idOf('constructor')).toBeUndefined();
  });

  it('has a digest of its description', () => {
    const same = makeTokenizer(describeWordPiece(small.pieces), 'elsewhere');
    const other = makeTokenizer(describeWordPiece(small.pieces.toSpliced(-1, 1)), 'elsewhere');
    expect(tokenizer.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(same.digest).toBe(tokenizer.digest);
    expect(other.digest).not.toBe(tokenizer.digest);
    const again = makeTokenizer(JSON.parse(JSON.stringify(tokenizer.description)), 'saved');
    expect(again.digest).toBe(tokenizer.digest);
    expect(again.encode('king')).toEqual(tokenizer.encode('king'));
  });

  it('encodes words that are also names of object properties', () => {
    const pieces = [...small.pieces, 'constructor', '__', '##proto', '##__'];
    const odd = makeTokenizer(describeWordPiece(pieces), 'odd');
    expect(odd.encode('constructor', whole)).toEqual([pieces.indexOf('constructor')]);
    const plain = tokenizer.encode('constructor', whole);
    expect(plain.every((id) => Number.isInteger(id) && id < small.pieces.length)).toBe(true);
  });
});

describe('bytes', () => {
  let tokenizer: Tokenizer;
  beforeAll(async () => {
    const files = { 'encoder.json': small.encoder, 'vocab.bpe': mergesFile };
    tokenizer = await openTokenizer(writeFolder(write, 'small-gpt2', files));
  });

  it('give the ids of the Python library', () => {
    for (const [text, , , ids] of small.texts) expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids);
  });

  it('have one special token, which is not put around a text', () => {
    const end = small.encoder['<|endoftext|>'];
    expect(tokenizer.special).toEqual({ padding: end, end });
    expect(tokenizer.added).toBe(0);
    expect(tokenizer.size).toBe(Object.keys(small.encoder).length);
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.encode('<|endoftext|>')).toEqual([end]);
    expect(tokenizer.encode('power', { maxTokens: 1 })).toEqual(tokenizer.encode('power').slice(0, 1));
  });

  it('are restored exactly', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
      }),
      { seed: 4, numRuns: 300 },
    );
    expect(tokenizer.decode([])).toBe('');
    expect(tokenizer.decode(tokenizer.encode('a<|endoftext|>b'))).toBe('ab');
    expect(tokenizer.decode(tokenizer.encode('a<|endoftext|>b'), { special: true })).toBe('a<|endoftext|>b');
    expect(() => tokenizer.decode([tokenizer.size])).toThrow(ArgumentError);
  });
});

interface RealGolden {
  /** Text, ids of BERT, ids of GPT-2. */
  readonly texts: readonly (readonly [string, number[], number[]])[];
  readonly differences: readonly { vocabulary: string; text: string; why: string; python: number[]; npm: number[] }[];
  /** Texts of ids that end within a character. */
  readonly cuts: readonly (readonly [string, number[]])[];
}

describe.skipIf(!realVocabularies)('the vocabularies of BERT and GPT-2 (only where ../shared is)', () => {
  const { texts, differences, cuts } = readGolden<RealGolden>('tokenizers.json');
  let bert: Tokenizer;
  let fromPieces: Tokenizer;
  let gpt2: Tokenizer;
  beforeAll(async () => {
    const pieces = readFileSync(join(bertFolder, 'vocab.txt'), 'utf8');
    const folder = writeFolder(write, 'pieces', { 'vocab.txt': pieces });
    [bert, fromPieces, gpt2] = (await Promise.all([bertFolder, folder, gpt2Folder].map(openTokenizer))) as [
      Tokenizer,
      Tokenizer,
      Tokenizer,
    ];
  });

  it('give the ids of the Python libraries, from any of their files', () => {
    expect(texts.length).toBeGreaterThan(300);
    for (const [text, bertIds, gpt2Ids] of texts) {
      expect(bert.encode(text), JSON.stringify(text)).toEqual([101, ...bertIds, 102]);
      expect(fromPieces.encode(text), JSON.stringify(text)).toEqual([101, ...bertIds, 102]);
      expect(gpt2.encode(text), JSON.stringify(text)).toEqual(gpt2Ids);
    }
  });

  it.each(differences)('differ from the Python library in $text: $why', ({ vocabulary, text, python, npm }) => {
    const ids = (vocabulary === 'bert' ? bert : gpt2).encode(text, whole);
    expect(ids).toEqual(npm);
    expect(ids).not.toEqual(python);
  });

  it('have the usual special tokens', () => {
    for (const one of [bert, fromPieces]) {
      expect(one.special).toEqual({ padding: 0, unknown: 100, start: 101, end: 102, mask: 103 });
      expect([one.size, one.added]).toEqual([30522, 2]);
    }
    expect(gpt2.special).toEqual({ padding: 50256, end: 50256 });
    expect([gpt2.size, gpt2.added]).toEqual([50257, 0]);
  });

  it('decode bytes that end within a character as the Python library does', () => {
    for (const [text, ids] of cuts) expect(gpt2.decode(ids)).toBe(text);
    expect(cuts.length).toBe(40);
  });

  it('restore the ids of BERT and the text of GPT-2', () => {
    const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 90 });
    fc.assert(
      fc.property(ascii, (text) => encodesAgain(bert, text)),
      { seed: 5, numRuns: 300 },
    );
    // Twelve ideographs of U+2F800 to U+2FA1F become others, around which the npm package does put spaces.
    const property = fc.property(
      anyText.filter((text) => !/[\u{2f800}-\u{2fa1f}]/u.test(text)),
      (text) => {
        const ids = bert.encode(text);
        expect(bert.encode(bert.decode(ids, { special: true }), whole)).toEqual(ids);
        expect(gpt2.decode(gpt2.encode(text))).toBe(text);
      },
    );
    fc.assert(property, { seed: 6, numRuns: 400 });
  });

  const reviews = join(shared, 'sst2', 'dev.tsv');
  it.skipIf(!existsSync(reviews))('restore real sentences', () => {
    const lines = readFileSync(reviews, 'utf8').split('\n').slice(1, 201);
    expect(lines.length).toBe(200);
    for (const line of lines) {
      encodesAgain(bert, line);
      expect(gpt2.decode(gpt2.encode(line))).toBe(line);
    }
  });
});
