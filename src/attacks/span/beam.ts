// From left to right through the candidates of each position: what the span says of each plus, by a weight, how likely the prior
// finds it after those before.

import type { Prior } from './prior.js';
import type { Scored } from './pursuit.js';

/** Beginnings that are kept, and candidates of each position. */
const [width, candidates] = [8, 12];

interface Beginning {
  readonly tokens: readonly number[];
  readonly value: number;
}

export async function searchWithPrior(
  positions: readonly (readonly Scored[])[],
  prior: Prior,
  weight: number,
): Promise<number[]> {
  let beam: Beginning[] = [{ tokens: [], value: 0 }];
  for (const [position, scored] of positions.entries()) {
    const few = scored.toSorted((a, b) => b.score - a.score).slice(0, candidates);
    // There is nothing before the first token by which to judge it.
    const likely = position === 0 ? undefined : await prior.next(beam.map(({ tokens }) => tokens));
    beam = beam
      .flatMap(({ tokens, value }, row) =>
        few.map(({ token, score }) => ({
          tokens: [...tokens, token],
          value: value + score + weight * (likely?.[row]?.[token] ?? 0),
        })),
      )
      .sort((a, b) => b.value - a.value)
      .slice(0, width);
  }
  return [...(beam[0] as Beginning).tokens];
}
