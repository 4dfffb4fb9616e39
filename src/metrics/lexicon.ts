// What METEOR needs to know about words, cached because texts repeat their words.

import { stemWord } from './porter-stem.js';
import { openWordNet, type SynonymsOf } from './wordnet.js';

/** Stems and synonyms of words in lower case. */
export interface Lexicon {
  readonly stemOf: (word: string) => string;
  readonly synonymsOf: SynonymsOf;
}

/** Reads WordNet into memory (28 MB) once. */
export const openLexicon = (): Lexicon => ({ stemOf: remember(stemWord), synonymsOf: remember(openWordNet()) });

const mostRemembered = 50_000;

function remember<T>(answer: (word: string) => T): (word: string) => T {
  const known = new Map<string, T>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= mostRemembered) known.clear();
    const found = answer(word);
    known.set(word, found);
    return found;
  };
}
