// Tokenizers from the files of a folder: valid ones open, problems are reported with the path.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import { describeWordPiece, openTokenizer } from '../../src/data/index.js';
import { makeFolder } from './files.js';
import { mergesFile, readGolden, small, writeFolder } from './vocabularies.js';

const write = makeFolder();
let folders = 0;
const open = (files: Readonly<Record<string, unknown>>) => openTokenizer(writeFolder(write, `${folders++}`, files));

const lines = small.pieces.join('\n');
const { tokenizer } = describeWordPiece(small.pieces);
const model = tokenizer.model as { vocab: Record<string, number> };
const withModel = (changes: object) => ({ ...tokenizer, model: { ...model, ...changes } });
const withId = (id: unknown) => withModel({ vocab: { ...model.vocab, king: id } });
const whole = { special: false } as const;

describe('a folder with', () => {
  it('tokenizer.json is opened from it, whatever else there is', async () => {
    const plain = await open({ 'tokenizer.json': tokenizer });
    const both = await open({ 'tokenizer.json': tokenizer, 'vocab.txt': 'broken', 'encoder.json': '{' });
    expect(both.digest).toBe(plain.digest);
    expect(plain.encode('sir michael')).toEqual([2, ...plain.encode('sir michael', whole), 3]);
  });

  it('vocab.txt is opened with any line ends', async () => {
    const plain = await open({ 'vocab.txt': lines });
    for (const text of [`${lines}\n`, `${lines}\n`.replaceAll('\n', '\r\n')]) {
      const other = await open({ 'vocab.txt': text });
      expect([other.size, other.digest]).toEqual([small.pieces.length, plain.digest]);
    }
    expect((await open({ 'tokenizer.json': tokenizer })).encode('king')).toEqual(plain.encode('king'));
  });

  it('vocab.txt and a configuration keeps capitals if that says so', async () => {
    const config = (lower: unknown) => open({ 'vocab.txt': lines, 'tokenizer_config.json': { do_lower_case: lower } });
    expect((await config(false)).encode('KING', whole)).toEqual([1]);
    expect((await config(true)).encode('KING', whole)).toEqual([small.pieces.indexOf('king')]);
    expect((await open({ 'vocab.txt': lines })).encode('KING', whole)).toEqual([small.pieces.indexOf('king')]);
  });

  it('vocab.json and merges.txt is opened like encoder.json and vocab.bpe', async () => {
    const one = await open({ 'encoder.json': small.encoder, 'vocab.bpe': mergesFile });
    const other = await open({ 'vocab.json': small.encoder, 'merges.txt': mergesFile.replaceAll('\n', '\r\n') });
    expect(other.digest).toBe(one.digest);
  });

  it('the vocabulary of RoBERTa puts its tokens around the ids of GPT-2', async () => {
    const shifted = Object.entries(small.encoder).map(([token, id]) => [token, id + 4]);
    const last = Math.max(...shifted.map(([, id]) => id as number));
    const special = { '<s>': 0, '<pad>': 1, '</s>': 2, '<unk>': 3, '<mask>': last + 1 };
    const vocabulary = { ...special, ...Object.fromEntries(shifted) };
    const roberta = await open({ 'vocab.json': vocabulary, 'merges.txt': mergesFile });
    expect(roberta.special).toEqual({ start: 0, padding: 1, end: 2, unknown: 3, mask: last + 1 });
    expect([roberta.around, roberta.added]).toEqual([{ before: [0], after: [2] }, 2]);
    const plain = small.texts.filter(([text]) => !text.includes('<'));
    expect(plain.length).toBeGreaterThan(5);
    for (const [text, , , ids] of plain) {
      expect(roberta.encode(text)).toEqual([0, ...ids.map((id) => id + 4), 2]);
      expect(roberta.decode(roberta.encode(text))).toBe(text);
    }
    expect(roberta.encode('a <mask>', whole)).toEqual([...roberta.encode('a', whole), last + 1]);
  });

  it('the Unigram tokenizer of XLM-RoBERTa gives the ids of the reference', async () => {
    const golden = readGolden<{ tokenizer: object; texts: [string, number[], string][] }>('unigram.json');
    const unigram = await open({ 'tokenizer.json': golden.tokenizer });
    expect(unigram.special).toEqual({ start: 0, padding: 1, end: 2, unknown: 3, mask: 17 });
    for (const [text, ids, decoded] of golden.texts) {
      expect(unigram.encode(text), text).toEqual(ids);
      expect(unigram.decode(ids), text).toBe(decoded);
    }
  });

  it('a configuration takes the special tokens it names', async () => {
    const config = (pad: unknown) => open({ 'tokenizer.json': tokenizer, 'tokenizer_config.json': { pad_token: pad } });
    expect((await config('[MASK]')).special.padding).toBe(4);
    expect((await config({ content: '[MASK]', lstrip: false })).special.padding).toBe(4);
    expect((await config(null)).special.padding).toBe(0);
  });
});

const { '<|endoftext|>': end, ...withoutEnd } = small.encoder;
const { z: byte, ...withoutByte } = small.encoder;
const unknownless = {
  ...withModel({ vocab: { '[PAD]': 0, '[CLS]': 1, '[SEP]': 2, '[MASK]': 3, a: 4 } }),
  added_tokens: [],
};
const template = {
  single: [{ SpecialToken: { id: '[START]', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [],
  special_tokens: {},
};

/** Name, files, the file that the error names, the message. */
const broken: [string, Readonly<Record<string, unknown>>, string, string][] = [
  ['no files', {}, '', 'expected tokenizer.json, or vocab.txt (BERT), or encoder.json and vocab.bpe (GPT-2)'],
  ['half of the files', { 'encoder.json': small.encoder }, '', 'found none of them'],
  ['broken JSON', { 'tokenizer.json': '{"version":' }, 'tokenizer.json', 'not JSON: '],
  ['an empty file', { 'tokenizer.json': '' }, 'tokenizer.json', 'not JSON: '],
  ['a list', { 'tokenizer.json': [] }, 'tokenizer.json', 'expected a JSON object'],
  ['null', { 'tokenizer.json': null }, 'tokenizer.json', 'expected a JSON object'],
  ['no tokenizer', { 'tokenizer.json': { a: 1 } }, 'tokenizer.json', 'the tokenizer cannot be used: '],
  ['no model', { 'tokenizer.json': { ...tokenizer, model: null } }, 'tokenizer.json', 'the tokenizer cannot be used'],
  [
    'an unknown model',
    { 'tokenizer.json': { ...tokenizer, model: { type: 'Oracle' } } },
    'tokenizer.json',
    'the tokenizer cannot be used',
  ],
  ['no vocabulary', { 'tokenizer.json': withModel({ vocab: null }) }, 'tokenizer.json', 'the tokenizer cannot be used'],
  [
    'an empty vocabulary',
    { 'tokenizer.json': { ...withModel({ vocab: {} }), added_tokens: [] } },
    'tokenizer.json',
    'expected a vocabulary, got none',
  ],
  [
    'a list as vocabulary',
    { 'tokenizer.json': withModel({ vocab: ['a', 'b'] }) },
    'tokenizer.json',
    'token 0: expected',
  ],
  [
    'no added tokens',
    { 'tokenizer.json': { ...tokenizer, added_tokens: null } },
    'tokenizer.json',
    'the tokenizer cannot be used',
  ],
  [
    'a text as id',
    { 'tokenizer.json': withId(`${model.vocab.king}`) },
    'tokenizer.json',
    'token king: expected a whole number below 2^24',
  ],
  ['half an id', { 'tokenizer.json': withId(9.5) }, 'tokenizer.json', 'as id, got 9.5'],
  ['a negative id', { 'tokenizer.json': withId(-1) }, 'tokenizer.json', 'as id, got -1'],
  ['no id', { 'tokenizer.json': withId(null) }, 'tokenizer.json', 'as id, got null'],
  ['an enormous id', { 'tokenizer.json': withId(4e9) }, 'tokenizer.json', 'as id, got 4000000000'],
  ['one id for two', { 'tokenizer.json': withId(7) }, 'tokenizer.json', 'expected distinct ids, got 7 for '],
  ['no unknown token', { 'tokenizer.json': unknownless }, 'tokenizer.json', 'expected a token for unknown words'],
  [
    'an unknown token that is not named',
    { 'tokenizer.json': withModel({ unk_token: undefined }) },
    'tokenizer.json',
    'expected a token for unknown words',
  ],
  [
    'a template with a token that is not there',
    { 'tokenizer.json': { ...tokenizer, post_processor: { type: 'TemplateProcessing', ...template } } },
    'tokenizer.json',
    'expected the special token [START], which is missing',
  ],
  [
    'no padding token',
    { 'tokenizer.json': { ...withModel({ vocab: { '[UNK]': 0, a: 1 } }), added_tokens: [], post_processor: null } },
    'tokenizer.json',
    'expected a padding token ([PAD], <pad> or <|endoftext|>), found none',
  ],
  [
    'a broken configuration',
    { 'tokenizer.json': tokenizer, 'tokenizer_config.json': '{' },
    'tokenizer_config.json',
    'not JSON: ',
  ],
  ['a piece twice', { 'vocab.txt': `${lines}\nking` }, 'vocab.txt', 'expected distinct pieces, got "king" twice'],
  ['an empty vocab.txt', { 'vocab.txt': '' }, 'vocab.txt', 'expected the piece [PAD], which is missing'],
  ...['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((piece): (typeof broken)[number] => [
    `no ${piece}`,
    { 'vocab.txt': lines.replace(`${piece}\n`, '') },
    'vocab.txt',
    `expected the piece ${piece}, which is missing`,
  ]),
  ['broken JSON of bytes', { 'encoder.json': '{', 'vocab.bpe': '' }, 'encoder.json', 'not JSON: '],
  ['a list of bytes', { 'encoder.json': '[]', 'vocab.bpe': '' }, 'encoder.json', 'expected a JSON object'],
  [
    'no end of text',
    { 'encoder.json': withoutEnd, 'vocab.bpe': mergesFile },
    'encoder.json',
    'expected the token <|endoftext|>, which is missing',
  ],
  [
    'a missing byte',
    { 'encoder.json': withoutByte, 'vocab.bpe': '' },
    'encoder.json',
    'expected the token z, which is missing',
  ],
  [
    'a text as id of bytes',
    { 'encoder.json': { ...small.encoder, z: `${byte}` }, 'vocab.bpe': mergesFile },
    'encoder.json',
    'token z: expected a whole number below 2^24 as id, got "',
  ],
  [
    'a text as id of the end',
    { 'encoder.json': { ...small.encoder, '<|endoftext|>': `${end}` }, 'vocab.bpe': mergesFile },
    'encoder.json',
    'token <|endoftext|>: expected a whole number',
  ],
  [
    'one id for two bytes',
    { 'encoder.json': { ...small.encoder, z: small.encoder.y }, 'vocab.bpe': mergesFile },
    'encoder.json',
    'expected distinct ids',
  ],
  [
    'a pair that makes no token',
    { 'encoder.json': small.encoder, 'vocab.bpe': `#version: 0.2\n${small.merges[0]}\nz z\n` },
    'vocab.bpe',
    'line 3: expected the vocabulary to hold zz',
  ],
  [
    'half a pair',
    { 'encoder.json': small.encoder, 'vocab.bpe': `${mergesFile}single\n` },
    'vocab.bpe',
    'expected two tokens, got "single"',
  ],
];

describe('refuses', () => {
  it.each(broken)('%s', async (_, files, file, message) => {
    const folder = writeFolder(write, `${folders++}`, files);
    const error = await openTokenizer(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FileError);
    expect((error as FileError).message).toContain(message);
    expect((error as FileError).message.startsWith(`${join(folder, file)}: `)).toBe(true);
    expect((error as FileError).message).not.toContain('\n');
  });

  it('a missing folder, or a file in its place', async () => {
    const file = write('alone.txt', 'text');
    for (const path of [join(file, '..', 'nowhere'), file]) {
      await expect(openTokenizer(path)).rejects.toThrow(`${path}: no such folder`);
      await expect(openTokenizer(path)).rejects.toBeInstanceOf(FileError);
    }
  });

  it('missing or repeated pieces, also without a file', () => {
    expect(() => describeWordPiece(small.pieces.slice(1))).toThrow('vocabulary: expected the piece [PAD]');
    expect(() => describeWordPiece(['[PAD]', '[PAD]'])).toThrow('vocabulary: expected distinct pieces');
  });
});
