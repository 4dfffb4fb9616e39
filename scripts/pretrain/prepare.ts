// Prepares what both models need, once: the shared tokenizer, the corpus as token ids, the sentences for distillation.

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { countWords, describeWordPiece, makeTokenizer, type Tokenizer, trainWordPiece } from '../../src/data/index.js';
import { seededSource, shuffled } from '../../src/random/index.js';
import { type Document, encodeDocument, readCorpus } from './corpus.js';

export interface Places {
  readonly novels: string;
  readonly irc: string;
  /** Rebuilt where it is missing. */
  readonly cache: string;
  /** The folder of the bundled models. */
  readonly models: string;
}

export interface Corpus {
  readonly novel: Uint16Array;
  readonly irc: Uint16Array;
}

export interface Prepared {
  readonly tokenizer: Tokenizer;
  readonly train: Corpus;
  readonly heldOut: Corpus;
  /** Sentences for distillation in random order, none from held-out documents. */
  readonly sentences: readonly string[];
  readonly heldOutSentences: readonly string[];
}

const vocabularySize = 8000;
/** IRC is the smaller part and closer to the text people fine-tune on, so its words count three times. */
const ircWeight = 3;

export async function prepare(places: Places, log: (line: string) => void): Promise<Prepared> {
  const documents = once(() => [...readCorpus(places.novels, places.irc)]);
  const tokenizer = await prepareTokenizer(places, documents, log);
  const arrays = Object.fromEntries(
    (['train', 'heldOut'] as const).flatMap((part) =>
      (['novel', 'irc'] as const).map((kind) => {
        const path = join(places.cache, `${part}-${kind}-${tokenizer.digest.slice(0, 8)}.u16`);
        if (!existsSync(path)) {
          const chosen = documents().filter((one) => one.kind === kind && one.heldOut === (part === 'heldOut'));
          const ids = Uint16Array.from(chosen.flatMap((one) => encodeDocument(one, tokenizer)));
          write(path, new Uint8Array(ids.buffer));
          log(`${part} ${kind}: ${chosen.length} documents, ${ids.length} tokens`);
        }
        return [`${part}-${kind}`, readIds(path)] as const;
      }),
    ),
  ) as Record<string, Uint16Array>;
  const corpus = (part: string): Corpus => ({
    novel: arrays[`${part}-novel`] as Uint16Array,
    irc: arrays[`${part}-irc`] as Uint16Array,
  });
  const sentences = (part: 'train' | 'heldOut', count: number) => {
    const path = join(places.cache, `${part}-sentences.json`);
    if (!existsSync(path)) write(path, JSON.stringify(chooseSentences(documents(), part === 'heldOut', count)));
    return JSON.parse(readFileSync(path, 'utf8')) as string[];
  };
  return {
    tokenizer,
    train: corpus('train'),
    heldOut: corpus('heldOut'),
    sentences: sentences('train', 163_840),
    heldOutSentences: sentences('heldOut', 1024),
  };
}

async function prepareTokenizer(
  { models }: Places,
  documents: () => readonly Document[],
  log: (line: string) => void,
): Promise<Tokenizer> {
  const path = join(models, 'bert-mini', 'tokenizer.json');
  if (existsSync(path)) return makeTokenizer({ tokenizer: JSON.parse(readFileSync(path, 'utf8')), config: {} }, path);
  const train = documents().filter(({ heldOut }) => !heldOut);
  const words = await countWords(train.filter(({ kind }) => kind === 'novel').flatMap(({ sentences }) => sentences));
  const irc = await countWords(train.filter(({ kind }) => kind === 'irc').flatMap(({ sentences }) => sentences));
  for (const [word, count] of irc) words.set(word, (words.get(word) ?? 0) + ircWeight * count);
  const pieces = trainWordPiece(words, { size: vocabularySize, alphabet: 300 });
  log(`tokenizer: ${words.size} words, ${pieces.length} pieces`);
  const description = describeWordPiece(pieces);
  const text = `${JSON.stringify(description.tokenizer)}\n`;
  for (const model of ['bert-mini', 'gpt2-mini']) write(join(models, model, 'tokenizer.json'), text);
  return makeTokenizer(description, path);
}

/** Sentences of 5 to 24 words, half from novels and half from IRC. */
function chooseSentences(documents: readonly Document[], heldOut: boolean, count: number): string[] {
  const random = seededSource('pretrain').stream(`sentences ${heldOut}`);
  const chosen = (['novel', 'irc'] as const).flatMap((kind) => {
    const fitting = documents
      .filter((one) => one.kind === kind && one.heldOut === heldOut)
      .flatMap(({ sentences }) => sentences)
      .filter((sentence) => {
        const words = sentence.split(' ').length;
        return words >= 5 && words <= 24;
      });
    return shuffled(random, [...new Set(fitting)]).slice(0, count / 2);
  });
  return shuffled(random, chosen);
}

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.tmp`, content);
  renameSync(`${path}.tmp`, path);
}

function readIds(path: string): Uint16Array {
  const bytes = readFileSync(path);
  return new Uint16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
