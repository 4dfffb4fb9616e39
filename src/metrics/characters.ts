// Scores on characters: an attack that finds "snorkels" for "snorkel" has found something that scores on whole words miss.

import { assign } from './assignment.js';

type Letters = readonly string[];

/** 1 − edit distance / length of the longer text, in characters; 1 for two empty texts. */
export const editSimilarity = (reference: string, hypothesis: string): number =>
  similarity([...reference], [...hypothesis]);

/**
 * Pairs the words of both texts such that their edit similarities add up to the most, and divides that total by the number of
 * words of the longer text. The order of words does not matter; two empty texts score 0.
 */
export function wordSimilarity(reference: readonly string[], hypothesis: readonly string[]): number {
  const longer = Math.max(reference.length, hypothesis.length);
  if (longer === 0) return 0;
  const [left, right] = [lettersOf(reference), lettersOf(hypothesis)];
  const gains = left.map((word) => Float64Array.from(right, (other) => similarity(word, other)));
  const partners = assign(gains.map((row) => row.map((gain) => -gain)));
  const total = gains.reduce((sum, row, place) => sum + (row[partners[place] as number] ?? 0), 0);
  return total / longer;
}

const lettersOf = (words: readonly string[]): Letters[] => words.map((word) => [...word]);

function similarity(left: Letters, right: Letters): number {
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - editDistance(left, right) / longer;
}

/** Levenshtein (1966): insertions, deletions and replacements. */
function editDistance(left: Letters, right: Letters): number {
  const row: number[] = [0];
  for (let column = 1; column <= right.length; column++) row.push(column);
  for (let index = 0; index < left.length; index++) {
    const letter = left[index];
    let diagonal = index;
    row[0] = index + 1;
    for (let column = 1; column <= right.length; column++) {
      const above = row[column] as number;
      const replaced = letter === right[column - 1] ? diagonal : diagonal + 1;
      row[column] = Math.min(replaced, above + 1, (row[column - 1] as number) + 1);
      diagonal = above;
    }
  }
  return row[right.length] as number;
}
