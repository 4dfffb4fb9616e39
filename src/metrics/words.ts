// Texts as lists of words. Scores depend more on how texts are split than on their formulas, so the choice is explicit.

import { ArgumentError, option, say } from '../checks/index.js';

/** Splits a text into words. */
export type SplitWords = (text: string) => string[];

/** Ways to split texts into words; all give lower case. */
export const splitters = {
  /** At white space only, for texts that are tokenised already, as in GLUE. */
  spaces: (text) => text.toLowerCase().match(/\S+/g) ?? [],
  /** Letters and digits (with inner apostrophes and combining marks) form words; every other character is a word of its own. */
  words: (text) =>
    text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*|[^\s\p{L}\p{N}\p{M}]/gu) ?? [],
} satisfies Record<string, SplitWords>;

type SplitterName = keyof typeof splitters;

/** The splitter of this name. Throws, listing the names, if there is none. */
export function findSplitter(name: string): SplitWords {
  if (Object.hasOwn(splitters, name)) return splitters[name as SplitterName];
  throw new ArgumentError(
    say`invalid ${option('tokens')}: expected ${Object.keys(splitters).join(' or ')}, got ${name}`,
  );
}
