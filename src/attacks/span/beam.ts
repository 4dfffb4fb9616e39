// Beam search from left to right over the candidates of each position. A candidate's value is its score in the span plus, weighted,
// its log-probability after the tokens before it.

import type { Prior } from './prior.js';
import type { Scored } from './pursuit.js';

/** Beginnings that are kept, and candidates per position. */
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
    // The prior cannot judge the first token, which has nothing before it.
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
