// A start for the search where rows of words are those of one place, or the sum of those of two, nearly exactly. Without it, long rows of
// words take places that are not theirs, because even half of a long row is much explained.

import { freePlaces } from './candidates.js';
import { topTokens } from './moves.js';
import { empty, type Pieces, placesOf } from './objective.js';
import { blank } from './search.js';

/** Words whose rows are the longest, per place: nearly all that occur are among them. */
const wordsPerPlace = 2;

interface Match {
  readonly token: number;
  readonly at: readonly number[];
  readonly nats: number;
}

/** The best matches first, each of places and a word that are still free; other places stay empty. */
export function matchedTokens(pieces: Pieces, places: number): number[] {
  const tokens = blank(pieces, places);
  const used = new Set(placesOf(tokens).keys());
  const matches = [...matchesOf(pieces, places)].sort((a, b) => b.nats - a.nats);
  for (const { token, at } of matches) {
    if (used.has(token) || at.some((place) => tokens[place] !== empty)) continue;
    used.add(token);
    for (const place of at) tokens[place] = token;
  }
  return tokens;
}

/** Words at one place or at two, where that is likelier than elsewhere. */
function* matchesOf({ tables, prior, known }: Pieces, places: number): Generator<Match> {
  if (tables === undefined) return;
  const free = freePlaces({ known }, places);
  const strong = topTokens(tables.squares, Math.max(16, wordsPerPlace * places));
  for (const token of strong.filter((one) => Number.isFinite(prior[one]))) {
    for (const [k, p] of free.entries()) {
      for (const at of [[p], ...free.slice(k + 1).map((q) => [p, q])]) {
        const nats = tables.fit(token, at) + at.length * (prior[token] as number);
        if (nats > 0) yield { token, at, nats };
      }
    }
  }
}
