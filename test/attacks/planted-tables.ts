// Word and position gradients planted for a known text: each place has its own vector, and a word's row is the sum over its places.

import type { TableProducts } from '../../src/attacks/likelihood/tables.js';
import { fillNormal, type SeededSource, seededSource } from '../../src/random/index.js';

export const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * (b[i] as number), 0);

export interface Planted {
  readonly words: Float64Array[];
  readonly places: Float64Array[];
}

export interface Planting {
  readonly hidden: number;
  readonly vocabulary: number;
  /** Length of the true vector of each place. */
  readonly lengths: readonly number[];
  readonly deviations: { readonly words: number; readonly places: number };
}

/** Draws the vectors of a text and the noise on both tables. */
export function plant(tokens: readonly number[], planting: Planting, seed: string): Planted {
  const { hidden, vocabulary, lengths, deviations } = planting;
  const source: SeededSource = seededSource(seed);
  const draw = (name: string, standardDeviation = 1) =>
    fillNormal(source.stream(name), new Float64Array(hidden), { standardDeviation });
  const truth = tokens.map((_, place) => {
    const vector = draw(`place ${place}`);
    const length = Math.sqrt(product(vector, vector));
    return vector.map((x) => (x / length) * (lengths[place] as number));
  });
  const words = Array.from({ length: vocabulary }, (_, token) => {
    const row = draw(`word noise ${token}`, deviations.words);
    for (const [place, own] of tokens.entries())
      if (own === token) for (let i = 0; i < hidden; i++) row[i] = (row[i] as number) + (truth[place]?.[i] as number);
    return row;
  });
  const places = truth.map((vector, place) => {
    const noise = draw(`place noise ${place}`, deviations.places);
    return vector.map((x, i) => x + (noise[i] as number));
  });
  return { words, places };
}

export const productsOf = ({ words, places }: Planted, { hidden, deviations }: Planting): TableProducts => ({
  hidden,
  crossed: places.map((place) => Float64Array.from(words, (word) => product(word, place))),
  squares: Float64Array.from(words, (word) => product(word, word)),
  gram: Float64Array.from(places.flatMap((one) => places.map((other) => product(one, other)))),
  deviations,
});
