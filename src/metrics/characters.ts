// Scores that see letters: an attack that finds "snorkels" for "snorkel" has found something, which whole words miss.

import { matchGuesses } from './assignment.js';

/** 1 − edit distance over the length of the longer text, in characters; 1 for two empty texts. */
export function editSimilarity(reference: string, hypothesis: string): number {
  const [left, right] = [[...reference], [...hypothesis]];
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - editDistance(left, right) / longer;
}

/**
 * Words of both texts are paired such that their edit similarities add up to the most; that total over the number of words of
 * the longer text. The order of words does not matter.
 */
export function wordSimilarity(reference: readonly string[], hypothesis: readonly string[]): number {
  const longer = Math.max(reference.length, hypothesis.length);
  if (longer === 0) return 0;
  const pairs = matchGuesses(reference, hypothesis, editSimilarity);
  let total = 0;
  for (const [place, word] of reference.entries()) {
    const partner = hypothesis[pairs[place] as number];
    if (partner !== undefined) total += editSimilarity(word, partner);
  }
  return total / longer;
}

/** Levenshtein (1966): insertions, deletions and replacements. */
function editDistance(left: readonly string[], right: readonly string[]): number {
  const row = new Uint32Array(right.length + 1).map((_, column) => column);
  for (const [index, letter] of left.entries()) {
    let diagonal = index;
    row[0] = index + 1;
    for (let column = 1; column <= right.length; column++) {
      const above = row[column] as number;
      const replaced = diagonal + Number(letter !== right[column - 1]);
      row[column] = Math.min(replaced, above + 1, (row[column - 1] as number) + 1);
      diagonal = above;
    }
  }
  return row[right.length] as number;
}
