// Texts as lists of words. Scores depend on this choice more than on their formulas, so it is always visible.

import { ArgumentError } from '../checks/index.js';

export type SplitWords = (text: string) => string[];

/** How texts are cut into words; all in lower case. */
export const splitters = {
  /** At white space only: texts that are tokenised already, as in GLUE. */
  spaces: (text) => text.toLowerCase().match(/\S+/g) ?? [],
  /** Letters and digits make words (with inner apostrophes and combining marks), every other mark is a word of its own. */
  words: (text) =>
    text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}\p{M}]/gu) ?? [],
} satisfies Record<string, SplitWords>;

type SplitterName = keyof typeof splitters;

export function findSplitter(name: string): SplitWords {
  if (Object.hasOwn(splitters, name)) return splitters[name as SplitterName];
  throw new ArgumentError(`invalid tokens: expected ${Object.keys(splitters).join(' or ')}, got ${name}`);
}
