// The doorway to @huggingface/tokenizers: text to token ids and back.

import { createHash } from 'node:crypto';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { ArgumentError, FileError, positiveInteger } from '../checks/index.js';

export interface Tokenizer {
  /** Number of ids, special tokens included. */
  readonly size: number;
  /** Ids of the special tokens; absent where the vocabulary has none. */
  readonly special: SpecialTokens;
  /** Number of special tokens that `encode` puts around a text. */
  readonly added: number;
  readonly encode: (text: string, options?: EncodeOptions) => number[];
  /**
   * Without special tokens unless asked. Ids made by `encode` give a text that encodes to the same ids, but for unknown
   * words, which are special tokens too.
   */
  readonly decode: (ids: readonly number[], options?: { readonly special?: boolean }) => string;
  /** The text normalised and cut into words, before words are cut into pieces. */
  readonly words: (text: string) => string[];
  readonly tokenOf: (id: number) => string | undefined;
  readonly idOf: (token: string) => number | undefined;
  /** What it was made from, in the form of tokenizer.json. */
  readonly description: TokenizerDescription;
  /** SHA-256 of the description. */
  readonly digest: string;
}

export interface EncodeOptions {
  /** The text is cut so that the ids, special tokens included, are at most this many. */
  readonly maxTokens?: number;
  /** Put the special tokens around the text (default). */
  readonly special?: boolean;
}

export interface SpecialTokens {
  /** What short texts are filled up with; the end of text where there is no padding token (GPT-2). */
  readonly padding: number;
  readonly start?: number;
  readonly end?: number;
  readonly unknown?: number;
  readonly mask?: number;
}

/** The content of tokenizer.json, and which of its tokens play which part. */
export interface TokenizerDescription {
  readonly tokenizer: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
}

const roles: Readonly<Record<keyof SpecialTokens, readonly string[]>> = {
  padding: ['[PAD]', '<pad>', '<|endoftext|>'],
  start: ['[CLS]', '<s>'],
  end: ['[SEP]', '</s>', '<|endoftext|>'],
  unknown: ['[UNK]', '<unk>'],
  mask: ['[MASK]', '<mask>'],
};
const configKeys: Readonly<Record<keyof SpecialTokens, string>> = {
  padding: 'pad_token',
  start: 'cls_token',
  end: 'sep_token',
  unknown: 'unk_token',
  mask: 'mask_token',
};

/** `origin` is named in errors. */
export function makeTokenizer(description: TokenizerDescription, origin: string): Tokenizer {
  const library = openLibrary(description, origin);
  const vocabulary: ReadonlyMap<string, number> = library.model?.tokens_to_ids ?? new Map();
  const size = checkVocabulary(library, vocabulary, origin);
  const special = findSpecial(description.config, vocabulary, origin);
  const { before, after } = findTemplate(library, vocabulary, origin);
  const added = before.length + after.length;

  return {
    size,
    special,
    added,
    encode: (text, { maxTokens = Number.MAX_SAFE_INTEGER, special: wrap = true } = {}) => {
      positiveInteger({ maxTokens });
      const around = wrap ? added : 0;
      if (maxTokens < around) {
        throw new ArgumentError(`invalid maxTokens: expected room for ${around} special tokens, got ${maxTokens}`);
      }
      const ids: number[] = library.encode(text, { add_special_tokens: false }).ids;
      const kept = ids.length + around > maxTokens ? ids.slice(0, maxTokens - around) : ids;
      return wrap ? [...before, ...kept, ...after] : kept;
    },
    decode: (ids, { special: keep = false } = {}) => {
      const stranger = ids.find((id) => library.id_to_token(id) === undefined);
      if (stranger !== undefined)
        throw new ArgumentError(`invalid token id: expected 0 to ${size - 1}, got ${stranger}`);
      if (ids.length === 0) return '';
      return library.decode([...ids], { skip_special_tokens: !keep, clean_up_tokenization_spaces: false });
    },
    words: (text) => {
      const normal: string = library.normalizer === null ? text : library.normalizer.normalize(text);
      return library.pre_tokenizer === null ? [normal] : library.pre_tokenizer.pre_tokenize(normal);
    },
    tokenOf: (id) => library.id_to_token(id),
    idOf: (token) => vocabulary.get(token),
    description,
    digest: createHash('sha256').update(JSON.stringify(description.tokenizer)).digest('hex'),
  };
}

/** A word for which no vocabulary has pieces, so that the token for unknown words is needed too. */
const probe = 'probe \u{10ffff}';
const mostIds = 2 ** 24;

function openLibrary({ tokenizer, config }: TokenizerDescription, origin: string): Library {
  try {
    const library = new Library(withoutCleanup(tokenizer), config);
    library.encode(probe);
    return library;
  } catch (error) {
    throw new FileError(
      `${origin}: not a tokenizer that can be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** The number of ids, when each is a whole number of one token and every text can be encoded. */
function checkVocabulary(library: Library, vocabulary: ReadonlyMap<string, unknown>, origin: string): number {
  let size = 0;
  for (const [token, id] of vocabulary) {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= mostIds) {
      throw new FileError(
        `${origin}: token ${token}: expected a whole number below 2^24 as id, got ${JSON.stringify(id)}`,
      );
    }
    if (library.id_to_token(id) !== token) {
      throw new FileError(`${origin}: expected every id once, got ${id} for ${token} and ${library.id_to_token(id)}`);
    }
    size = Math.max(size, id + 1);
  }
  if (size === 0) throw new FileError(`${origin}: expected a vocabulary, got none`);
  const ids: unknown[] = library.encode(probe).ids;
  if (!ids.every(Number.isInteger)) throw new FileError(`${origin}: expected a token for unknown words, found none`);
  return size;
}

/** The decoder's own tidying ("do n't" to "don't") would change what the text encodes to. */
function withoutCleanup(tokenizer: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { decoder } = tokenizer;
  const tidies = typeof decoder === 'object' && decoder !== null && 'cleanup' in decoder;
  return tidies ? { ...tokenizer, decoder: { ...decoder, cleanup: false } } : tokenizer;
}

/** By the configuration's word, or by the usual names. */
function findSpecial(
  config: Readonly<Record<string, unknown>>,
  vocabulary: ReadonlyMap<string, number>,
  origin: string,
): SpecialTokens {
  const found: Partial<Record<keyof SpecialTokens, number>> = {};
  for (const role of Object.keys(roles) as (keyof SpecialTokens)[]) {
    const said = config[configKeys[role]];
    const content = typeof said === 'object' && said !== null && 'content' in said ? said.content : said;
    const names = typeof content === 'string' ? [content] : roles[role];
    const id = names.map((name) => vocabulary.get(name)).find((candidate) => candidate !== undefined);
    if (id !== undefined) found[role] = id;
  }
  const padding = found.padding ?? found.end;
  if (padding === undefined) {
    throw new FileError(`${origin}: expected a padding token ([PAD], <pad> or <|endoftext|>), found none`);
  }
  return { ...found, padding };
}

/** The special tokens that the tokenizer puts before and after a text. */
function findTemplate(
  library: Library,
  vocabulary: ReadonlyMap<string, number>,
  origin: string,
): { before: number[]; after: number[] } {
  const body: string[] = library.encode('a', { add_special_tokens: false }).tokens;
  const whole: string[] = library.encode('a').tokens;
  const idOf = (token: string): number => {
    const id = vocabulary.get(token);
    if (id === undefined) throw new FileError(`${origin}: expected the special token ${token}, which is missing`);
    return id;
  };
  for (let start = 0; start <= whole.length - body.length; start++) {
    if (body.every((token, i) => whole[start + i] === token)) {
      return { before: whole.slice(0, start).map(idOf), after: whole.slice(start + body.length).map(idOf) };
    }
  }
  return { before: [], after: [] };
}
