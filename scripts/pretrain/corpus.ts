// The pretraining corpus: 100 novels in the public domain and messages of the Ubuntu IRC channel (CC BY 4.0). Text becomes
// a sequence of units, each [CLS] … [SEP]: a few sentences of a novel, or one IRC message.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Tokenizer } from '../../src/data/index.js';

export interface Document {
  readonly kind: 'novel' | 'irc';
  readonly name: string;
  /** Held out: for measuring, never for training. */
  readonly heldOut: boolean;
  readonly sentences: readonly string[];
}

/** One document in twenty, chosen by its name. */
const isHeldOut = (name: string): boolean => (createHash('sha256').update(name).digest()[0] as number) % 20 === 0;

/** `novels` is a folder of text files, `irc` a gzipped file with one user per line. */
export function* readCorpus(novels: string, irc: string): Generator<Document> {
  for (const name of readdirSync(novels).sort()) {
    const text = readFileSync(join(novels, name), 'utf8').replace(/^\uFEFF/, '');
    yield { kind: 'novel', name, heldOut: isHeldOut(name), sentences: [...novelSentences(text)] };
  }
  for (const line of gunzipSync(readFileSync(irc)).toString('utf8').split('\n')) {
    if (line === '') continue;
    const { user, messages } = JSON.parse(line) as { user: string; messages: { text: string }[] };
    const sentences = messages.map(({ text }) => text.trim()).filter((text) => text !== '');
    yield { kind: 'irc', name: user, heldOut: isHeldOut(user), sentences };
  }
}

/** Lines are wrapped; a paragraph begins after an empty line or with an indented one. */
function* novelSentences(text: string): Generator<string> {
  for (const paragraph of text.split(/\r?\n(?=[ \t])|\r?\n\s*\n/)) {
    const joined = paragraph.replace(/\s+/g, ' ').trim();
    for (const sentence of joined.split(/(?<=[.!?]["'”’)]?) (?=["'“‘(]?[A-Z])/)) {
      if (sentence !== '') yield sentence;
    }
  }
}

const longestUnit = 126;

/** The tokens of a document; sentences of a novel are joined while they fit into one unit. */
export function encodeDocument({ kind, sentences }: Document, tokenizer: Tokenizer): number[] {
  const { start, end } = tokenizer.special as { start: number; end: number };
  const all: number[] = [];
  let unit: number[] = [];
  const close = () => {
    if (unit.length > 0) all.push(start, ...unit, end);
    unit = [];
  };
  for (const sentence of sentences) {
    const ids = tokenizer.encode(sentence, { special: false, maxTokens: 4096 });
    if (kind === 'irc' || unit.length + ids.length > longestUnit) close();
    for (const id of ids) {
      if (unit.length === longestUnit) close();
      unit.push(id);
    }
  }
  close();
  return all;
}
