// The doorway to @huggingface/tokenizers: text to token ids and back.

import { createHash } from 'node:crypto';
import { Tokenizer as Library } from '@huggingface/tokenizers';
import { ArgumentError, FileError, option, positiveInteger, say } from '../checks/index.js';

/** Turns text into token ids and back. */
export interface Tokenizer {
  /** Number of ids, special tokens included. */
  readonly size: number;
  /** Ids of the special tokens. */
  readonly special: SpecialTokens;
  /** Number of special tokens that `encode` puts around a text. */
  readonly added: number;
  /** Ids of the special tokens that `encode` puts before a text, and after it. */
  readonly around: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** Token ids of a text, with special tokens around it unless `special` is false. */
  readonly encode: (text: string, options?: EncodeOptions) => number[];
  /**
   * The text of token ids, without special tokens unless `special` is true. The text of ids from `encode` encodes to
   * the same ids again, except for unknown words, whose token is special and left out.
   */
  readonly decode: (ids: readonly number[], options?: { readonly special?: boolean }) => string;
  /** The normalised text split into words, before words are split into pieces. */
  readonly words: (text: string) => string[];
  /** The token of an id, as the vocabulary writes it. */
  readonly tokenOf: (id: number) => string | undefined;
  /** The id of a token, as the vocabulary writes it. */
  readonly idOf: (token: string) => number | undefined;
  /** The tokenizer as data, in the form of tokenizer.json and tokenizer_config.json. */
  readonly description: TokenizerDescription;
  /** SHA-256 of `description.tokenizer`. */
  readonly digest: string;
}

/** How a text is encoded. */
export interface EncodeOptions {
  /** Truncates the text so that there are at most this many ids, special tokens included. Default: no limit. */
  readonly maxTokens?: number;
  /** Whether the special tokens are put around the text. Default: true. */
  readonly special?: boolean;
  /** Called with the number of ids before the text is truncated. */
  readonly onLength?: (tokens: number) => void;
}

/** Ids of the special tokens; absent if the vocabulary has none. */
export interface SpecialTokens {
  /** Fills short texts up; the end of text if there is no padding token (GPT-2). */
  readonly padding: number;
  /** Before a text: [CLS] or <s>. */
  readonly start?: number;
  /** After a text: [SEP], </s> or <|endoftext|>. */
  readonly end?: number;
  /** Stands for words that the vocabulary cannot write. */
  readonly unknown?: number;
  /** Hides a token in masked language modelling. */
  readonly mask?: number;
}

/** The contents of tokenizer.json and of tokenizer_config.json, which names the special tokens. */
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

/** Makes a tokenizer from its description; `origin`, such as the file's path, is named in errors. */
export function makeTokenizer(description: TokenizerDescription, origin: string): Tokenizer {
  const library = openLibrary(description, origin);
  const vocabulary: ReadonlyMap<string, number> = library.model?.tokens_to_ids ?? new Map();
  const size = checkVocabulary(library, vocabulary, origin);
  const special = findSpecial(description.config, vocabulary, origin);
  const around = findTemplate(library, vocabulary, origin);
  const { before, after } = around;
  const added = before.length + after.length;

  return {
    size,
    special,
    added,
    around,
    encode: (text, { maxTokens = Number.MAX_SAFE_INTEGER, special: wrap = true, onLength } = {}) => {
      positiveInteger({ maxTokens });
      const outside = wrap ? added : 0;
      if (maxTokens < outside) {
        throw new ArgumentError(
          say`invalid ${option('maxTokens')}: expected room for ${outside} special tokens, got ${maxTokens}`,
        );
      }
      const ids: number[] = library.encode(text, { add_special_tokens: false }).ids;
      onLength?.(ids.length + outside);
      const cut = ids.length + outside > maxTokens ? ids.slice(0, maxTokens - outside) : ids;
      return wrap ? [...before, ...cut, ...after] : cut;
    },
    decode: (ids, { special: withSpecial = false } = {}) => {
      const unknownId = ids.find((id) => library.id_to_token(id) === undefined);
      if (unknownId !== undefined)
        throw new ArgumentError(`invalid token id: expected 0 to ${size - 1}, got ${unknownId}`);
      if (ids.length === 0) return '';
      return library.decode([...ids], { skip_special_tokens: !withSpecial, clean_up_tokenization_spaces: false });
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

/** Holds a character that no vocabulary has, so that encoding it needs the token for unknown words. */
const probe = 'probe \u{10ffff}';
const mostIds = 2 ** 24;

function openLibrary({ tokenizer, config }: TokenizerDescription, origin: string): Library {
  try {
    const library = new Library(withoutCleanup(tokenizer), config);
    library.encode(probe);
    return library;
  } catch (error) {
    throw new FileError(`${origin}: the tokenizer cannot be used: ${error instanceof Error ? error.message : error}`);
  }
}

/** Checks that every id is a whole number of exactly one token and that every text can be encoded; returns the number of ids. */
function checkVocabulary(library: Library, vocabulary: ReadonlyMap<string, unknown>, origin: string): number {
  let size = 0;
  for (const [token, id] of vocabulary) {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= mostIds) {
      throw new FileError(
        `${origin}: token ${token}: expected a whole number below 2^24 as id, got ${JSON.stringify(id)}`,
      );
    }
    if (library.id_to_token(id) !== token) {
      throw new FileError(`${origin}: expected distinct ids, got ${id} for ${token} and ${library.id_to_token(id)}`);
    }
    size = Math.max(size, id + 1);
  }
  if (size === 0) throw new FileError(`${origin}: expected a vocabulary, got none`);
  const ids: unknown[] = library.encode(probe).ids;
  if (!ids.every(Number.isInteger)) throw new FileError(`${origin}: expected a token for unknown words, found none`);
  return size;
}

/** Turns off the decoder's clean-up ("do n't" to "don't"), which would change the ids that the text encodes to. */
function withoutCleanup(tokenizer: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { decoder } = tokenizer;
  const tidies = typeof decoder === 'object' && decoder !== null && 'cleanup' in decoder;
  return tidies ? { ...tokenizer, decoder: { ...decoder, cleanup: false } } : tokenizer;
}

/** Finds the special tokens that the configuration names, otherwise those with usual names. */
function findSpecial(
  config: Readonly<Record<string, unknown>>,
  vocabulary: ReadonlyMap<string, number>,
  origin: string,
): SpecialTokens {
  const found: Partial<Record<keyof SpecialTokens, number>> = {};
  for (const role of Object.keys(roles) as (keyof SpecialTokens)[]) {
    const named = config[configKeys[role]];
    const content = typeof named === 'object' && named !== null && 'content' in named ? named.content : named;
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

/** Finds the special tokens that the tokenizer puts before and after a text. */
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
