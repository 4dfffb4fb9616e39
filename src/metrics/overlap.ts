// Scores that compare sets or whole lists of words.

type Words = readonly string[];

/** The number of different words in both texts over that in either; 0 for two empty texts. */
export function jaccard(reference: Words, hypothesis: Words): number {
  const [inReference, inHypothesis] = [new Set(reference), new Set(hypothesis)];
  let shared = 0;
  for (const word of inHypothesis) shared += Number(inReference.has(word));
  return shared === 0 ? 0 : shared / (inReference.size + inHypothesis.size - shared);
}

/** 1 when both texts have the same words in the same order, 0 otherwise. */
export const exactMatch = (reference: Words, hypothesis: Words): number =>
  Number(reference.length === hypothesis.length && reference.every((word, place) => word === hypothesis[place]));
