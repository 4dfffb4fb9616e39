// Suggests the known word that was probably meant.

import { editSimilarity } from '../../metrics/index.js';

/** The most similar known word; undefined if none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((candidate) => ({ candidate, similarity: editSimilarity(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => b.similarity - a.similarity)[0];
  return near !== undefined && near.similarity >= 0.5 ? near.candidate : undefined;
}
