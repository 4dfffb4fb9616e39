// Opens the tokenizer in a model's folder: tokenizer.json, or BERT's vocab.txt, or the vocabulary and merges of GPT-2 or RoBERTa.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../checks/index.js';
import { readJsonObject } from '../platform/index.js';
import { makeTokenizer, type Tokenizer, type TokenizerDescription } from './tokenizer.js';

/**
 * Opens the tokenizer in a folder: `tokenizer.json`, BERT's `vocab.txt`, or GPT-2's `encoder.json` and `vocab.bpe` (also
 * named `vocab.json` and `merges.txt`; RoBERTa's too), the first of these that is there.
 */
export async function openTokenizer(folder: string): Promise<Tokenizer> {
  const names = await readdir(folder).catch(() => {
    throw new FileError(`${folder}: no such folder`);
  });
  const config = names.includes('tokenizer_config.json')
    ? await readJsonObject(join(folder, 'tokenizer_config.json'))
    : {};
  if (names.includes('tokenizer.json')) {
    const path = join(folder, 'tokenizer.json');
    return makeTokenizer({ tokenizer: await readJsonObject(path), config }, path);
  }
  if (names.includes('vocab.txt')) {
    const path = join(folder, 'vocab.txt');
    const pieces = (await readText(path)).replace(/\r?\n$/, '').split(/\r?\n/);
    // Cased models say so in their configuration; the usual vocabularies are lower case.
    const lowercase = config.do_lower_case !== false;
    return makeTokenizer({ ...describeWordPiece(pieces, { lowercase }, path), config }, path);
  }
  for (const [vocabularyName, mergesName] of [
    ['encoder.json', 'vocab.bpe'],
    ['vocab.json', 'merges.txt'],
  ] as const) {
    if (!names.includes(vocabularyName) || !names.includes(mergesName)) continue;
    const path = join(folder, vocabularyName);
    const vocabulary = await readJsonObject(path);
    const merges = await readMerges(join(folder, mergesName), vocabulary);
    return makeTokenizer({ ...describeByteLevel(vocabulary, merges, path), config }, path);
  }
  throw new FileError(
    `${folder}: expected tokenizer.json, or vocab.txt (BERT), or encoder.json and vocab.bpe (GPT-2), found none of them`,
  );
}

/** BERT's special tokens, which come first in a new vocabulary. */
export const specialPieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/**
 * Describes BERT's tokenizer with this vocabulary, for `makeTokenizer`. A piece's index is its id; the five special pieces
 * must be among them. Text is lower-cased by default. `origin` is named in errors.
 */
export function describeWordPiece(
  pieces: readonly string[],
  { lowercase = true }: { readonly lowercase?: boolean } = {},
  origin = 'vocabulary',
): TokenizerDescription {
  const vocabulary = new Map(pieces.map((piece, id) => [piece, id]));
  if (vocabulary.size !== pieces.length) {
    const twice = pieces.find((piece, id) => vocabulary.get(piece) !== id);
    throw new FileError(`${origin}: expected distinct pieces, got ${JSON.stringify(twice)} twice`);
  }
  const idOf = (piece: string): number => {
    const id = vocabulary.get(piece);
    if (id === undefined) throw new FileError(`${origin}: expected the piece ${piece}, which is missing`);
    return id;
  };
  const special = (piece: string) => ({ SpecialToken: { id: piece, type_id: 0 } });
  const described = (piece: string) => [piece, { id: piece, ids: [idOf(piece)], tokens: [piece] }];
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: specialPieces.map((piece) => addedToken(idOf(piece), piece)),
      normalizer: {
        type: 'BertNormalizer',
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase,
      },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
        pair: [
          special('[CLS]'),
          { Sequence: { id: 'A', type_id: 0 } },
          special('[SEP]'),
          { Sequence: { id: 'B', type_id: 1 } },
          { SpecialToken: { id: '[SEP]', type_id: 1 } },
        ],
        special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map(described)),
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: false },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(vocabulary),
      },
    },
    config: {},
  };
}

/** Reads the pairs to merge. Their results must be in the vocabulary, or text would be lost. */
async function readMerges(path: string, vocabulary: Readonly<Record<string, unknown>>): Promise<string[]> {
  const lines = (await readText(path)).split(/\r?\n/);
  const isPair = (line: string) => line !== '' && !line.startsWith('#version');
  for (const [index, line] of lines.entries()) {
    const [left = '', right = '', ...others] = line.split(' ');
    if (!isPair(line)) continue;
    if (left === '' || right === '' || others.length > 0) {
      throw new FileError(`${path}: line ${index + 1}: expected two tokens, got ${JSON.stringify(line)}`);
    }
    const lacking = [left, right, left + right].find((token) => !Object.hasOwn(vocabulary, token));
    if (lacking !== undefined) {
      throw new FileError(`${path}: line ${index + 1}: expected the vocabulary to hold ${lacking}`);
    }
  }
  return lines.filter(isPair);
}

/** The characters that represent the 256 bytes: printable ones themselves, the others from U+0100 on. */
function byteSymbols(): string[] {
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : 256 + others++);
  });
}

const endOfText = '<|endoftext|>';

/** RoBERTa's special tokens; a vocabulary with all of them is RoBERTa's, which may have the end of text too. */
const robertaTokens = ['<s>', '<pad>', '</s>', '<unk>', '<mask>'];

/** The tokenizer of GPT-2, or of RoBERTa, which puts tokens around texts: bytes, merged in the order of the merges file. */
function describeByteLevel(
  vocabulary: Readonly<Record<string, unknown>>,
  merges: readonly string[],
  origin: string,
): TokenizerDescription {
  const ofRoberta = robertaTokens.every((token) => Object.hasOwn(vocabulary, token));
  const special = ofRoberta ? robertaTokens : [endOfText];
  const missing = [...special, ...byteSymbols()].find((token) => !Object.hasOwn(vocabulary, token));
  if (missing !== undefined) throw new FileError(`${origin}: expected the token ${missing}, which is missing`);
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: special.map((token) => addedToken(vocabulary[token], token)),
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      post_processor: ofRoberta
        ? {
            type: 'RobertaProcessing',
            sep: ['</s>', vocabulary['</s>']],
            cls: ['<s>', vocabulary['<s>']],
            trim_offsets: true,
            add_prefix_space: false,
          }
        : { type: 'ByteLevel', add_prefix_space: true, trim_offsets: false, use_regex: true },
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: '',
        end_of_word_suffix: '',
        fuse_unk: false,
        vocab: vocabulary,
        merges,
      },
    },
    config: {},
  };
}

const addedToken = (id: unknown, content: string) => ({
  id,
  content,
  single_word: false,
  // RoBERTa's mask takes the space before it.
  lstrip: content === '<mask>',
  rstrip: false,
  normalized: false,
  special: true,
});

const readText = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch(() => {
    throw new FileError(`${path}: cannot be read`);
  });
