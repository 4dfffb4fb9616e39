// Nearness of meaning, as a sentence encoder sees it. The encoder is a model and comes as a function.

import { ArgumentError } from '../checks/index.js';

type Numbers = ArrayLike<number>;

/** One vector for each text, all of the same length. */
export type Embed = (texts: readonly string[]) => Promise<readonly Numbers[]>;

/** 0 where a vector is 0. */
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
  // Rounding must not make a text more than equal to itself.
  return product === 0 ? 0 : Math.max(-1, Math.min(1, product / Math.sqrt(squareLeft * squareRight)));
}

/** Of each pair of texts; a text that occurs often is embedded once. */
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
