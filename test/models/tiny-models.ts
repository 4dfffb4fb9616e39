// Folders with tiny models for tests of loading, saving and features: the golden weights in any file format.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { describeWordPiece } from '../../src/data/index.js';
import type { TypedArray } from '../../src/engine/index.js';
import {
  type Model,
  openCheckpoint,
  readStored,
  type TensorToWrite,
  writeSafetensors,
} from '../../src/models/index.js';
import { ids, readGolden, runWith } from './describe-golden.js';

/** A folder for the test file, which also holds the cache. */
export function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
  process.env.EPSILENS_CACHE = join(root, 'cache');
  afterAll(() => {
    delete process.env.EPSILENS_CACHE;
    rmSync(root, { recursive: true });
  });
  return root;
}

export type TinyName = 'bert' | 'gpt2' | 'roberta' | 'distilbert';
type Tensors = Record<string, TensorToWrite>;

export const prefixes = {
  bert: 'bert.',
  gpt2: 'transformer.',
  roberta: 'roberta.',
  distilbert: 'distilbert.',
} as const;
const bare = {
  bert: /^(classifier|cls)\./,
  gpt2: /^(score|classifier)\./,
  roberta: /^(classifier|lm_head)\./,
  distilbert: /^(pre_classifier|classifier|vocab_\w+)\./,
} as const;

export interface TinyOptions {
  readonly dtype?: 'F32' | 'F16' | 'BF16';
  /** Whether names have the model's prefix. Default: as in the golden file. */
  readonly prefix?: boolean;
  /** Number of files. */
  readonly files?: number;
  readonly without?: RegExp;
  /** Another golden model of the same kind. */
  readonly golden?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  /** Changes tensors, by their bare names. */
  readonly change?: (tensors: Tensors) => void;
  readonly pieces?: number;
}

const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...letters, ...letters.map((letter) => `##${letter}`)];

/** RoBERTa's kind of tokenizer: byte pairs, of which each letter joins the space before it. */
function describeBytePairs(): Readonly<Record<string, unknown>> {
  const special = ['<s>', '<pad>', '</s>', '<unk>', '<mask>'];
  const spaced = letters.map((letter) => `Ġ${letter}`);
  const vocabulary = Object.fromEntries([...special, 'Ġ', ...letters, ...spaced].map((token, id) => [token, id]));
  const added = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({ id, content, ...added })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: {
      type: 'RobertaProcessing',
      sep: ['</s>', 2],
      cls: ['<s>', 0],
      trim_offsets: true,
      add_prefix_space: false,
    },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: '<unk>',
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      vocab: vocabulary,
      merges: letters.map((letter) => `Ġ ${letter}`),
    },
  };
}

/** Writes the golden model `name` into a new folder and returns its path. */
export async function writeTiny(folder: string, name: TinyName, options: TinyOptions = {}): Promise<string> {
  const { dtype = 'F32', prefix = true, files = 1, without, golden = `tiny-${name}`, config, change } = options;
  const checkpoint = await openCheckpoint(join(import.meta.dirname, '..', 'golden', golden));
  const tensors: Tensors = {};
  for (const [full, stored] of checkpoint.tensors) {
    const data = await readStored(stored, stored.shape);
    tensors[full.replace(prefixes[name], '')] = { shape: stored.shape, data, dtype };
  }
  change?.(tensors);
  const entries = Object.entries(tensors)
    .filter(([key]) => !without?.test(key))
    .map(([key, tensor]): [string, TensorToWrite] => [
      prefix && !bare[name].test(key) ? `${prefixes[name]}${key}` : key,
      tensor,
    ]);

  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: unknown) => writeFileSync(join(folder, file), JSON.stringify(value));
  write('config.json', { ...readGolden(golden, 'config.json'), ...config });
  const count = options.pieces ?? pieces.length;
  const all = [...pieces, ...Array.from({ length: count }, (_, i) => `word${i}`)].slice(0, count);
  write('tokenizer.json', name === 'roberta' ? describeBytePairs() : describeWordPiece(all).tokenizer);
  if (files === 1) {
    await writeSafetensors(join(folder, 'model.safetensors'), Object.fromEntries(entries));
    return folder;
  }
  const shardOf = (index: number) => `model-${(index % files) + 1}.safetensors`;
  for (let file = 0; file < files; file++) {
    const own = entries.filter((_, index) => index % files === file);
    await writeSafetensors(join(folder, shardOf(file)), Object.fromEntries(own));
  }
  const map = Object.fromEntries(entries.map(([key], index) => [key, shardOf(index)]));
  write('model.safetensors.index.json', { weight_map: map });
  return folder;
}

/** The golden examples of a tiny model. */
function goldenFeeds(name: TinyName) {
  const expected = readGolden(`tiny-${name}`, 'expected.json');
  return { ids: ids(expected.input_ids), mask: Float32Array.from(expected.attention_mask.flat()) };
}

/** The logits of the golden examples, with all weights as constants. */
export async function goldenLogits(model: Model, name: TinyName): Promise<Float32Array> {
  const built = model.build({ batch: 3, tokens: 12 });
  return (await runWith({ logits: built.classify() }, goldenFeeds(name))).logits as Float32Array;
}

/** Padded rows, as inputs of a model. */
export function feedRows(rows: readonly (readonly number[])[], tokens: number): Record<'ids' | 'mask', TypedArray> {
  const padded = rows.map((row) => [...row, ...Array<number>(tokens - row.length).fill(0)]);
  const mask = rows.flatMap(({ length }) => Array.from({ length: tokens }, (_, i) => Number(i < length)));
  return { ids: ids(padded), mask: Float32Array.from(mask) };
}
