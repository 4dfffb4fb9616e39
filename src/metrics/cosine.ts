// Similarity of meaning, by the vectors of a sentence encoder, which is passed as a function.

import { ArgumentError } from '../checks/index.js';

type Numbers = ArrayLike<number>;

/** A sentence encoder: one vector per text, all of the same length. */
export type Embed = (texts: readonly string[]) => Promise<readonly Numbers[]>;

/** The cosine of two vectors; 0 where one of them is 0. */
export function cosine(left: Numbers, right: Numbers): number {
  if (left.length !== right.length) {
    throw new ArgumentError(`cosine: expected vectors of one length, got ${left.length} and ${right.length}`);
  }
  let [product, squareLeft, squareRight] = [0, 0, 0];
  for (let place = 0; place < left.length; place++) {
    const [a, b] = [left[place] as number, right[place] as number];
    product += a * b;
    squareLeft += a * a;
    squareRight += b * b;
  }
  // Rounding must not bring a cosine above 1.
  return product === 0 ? 0 : Math.max(-1, Math.min(1, product / Math.sqrt(squareLeft * squareRight)));
}

/** The cosine of each pair of texts; a text that occurs several times is embedded once. */
export async function cosines(
  references: readonly string[],
  hypotheses: readonly string[],
  embed: Embed,
): Promise<number[]> {
  const texts = [...new Set([...references, ...hypotheses])];
  const vectors = await embed(texts);
  const vectorOf = new Map(texts.map((text, index) => [text, vectors[index] as Numbers]));
  const find = (text: string | undefined) => vectorOf.get(text as string) as Numbers;
  return references.map((reference, index) => cosine(find(reference), find(hypotheses[index])));
}
