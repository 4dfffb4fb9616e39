// Moves of two places at once, which single moves cannot reach: two tokens change places, a token moves to another place while its own gets a
// new one, or two places get the same token, whose row holds the sum of both.

import { type Candidates, freePlaces, triedAt } from './candidates.js';
import { gainsAt, type Pieces, placesOf } from './objective.js';
import type { Reading } from './span-evidence.js';

/** The most moves that are tried in a round, the most promising first. */
const most = 64;

/** New tokens by place. Only moves whose loss in tables and prior the span could make up for, the most promising first. */
export function pairMoves(
  pieces: Pieces,
  candidates: Candidates,
  reading: Reading,
  slack: Float64Array,
): ReadonlyMap<number, number>[] {
  const { tokens } = reading;
  const { span, ...outer } = pieces;
  const places = placesOf(tokens);
  const moves: { readonly move: ReadonlyMap<number, number>; readonly promise: number }[] = [];
  const free = freePlaces(pieces, tokens.length);
  for (const p of free) {
    for (const q of free) {
      if (p === q) continue;
      const [here, there] = [tokens[p] as number, tokens[q] as number];
      const hope = (slack[p] as number) + (slack[q] as number);
      const offer = (first: number, second: number) => {
        const move = new Map([
          [p, first],
          [q, second],
        ]);
        const promise = changeOf(outer, tokens, places, move) + hope;
        if (promise > 0) moves.push({ move, promise });
      };
      if (p < q && here !== there) offer(there, here);
      if (here !== there && pieces.tables !== undefined) offer(bestAt(outer, candidates, reading, p, q), here);
      if (p < q && pieces.tables !== undefined)
        for (const token of candidates.repeated) if (token !== here || token !== there) offer(token, token);
    }
  }
  return moves
    .sort((a, b) => b.promise - a.promise)
    .slice(0, most)
    .map(({ move }) => move);
}

/** What a move changes in tables and prior: only the tokens that leave or come. */
export function changeOf(
  { tables, prior }: Pick<Pieces, 'tables' | 'prior'>,
  tokens: readonly number[],
  places: ReadonlyMap<number, readonly number[]>,
  move: ReadonlyMap<number, number>,
): number {
  const touched = new Set<number>();
  let change = 0;
  for (const [place, token] of move) {
    const own = tokens[place] as number;
    change += (prior[token] as number) - (prior[own] as number);
    touched.add(token).add(own);
  }
  if (tables === undefined) return change;
  for (const token of touched) {
    const before = places.get(token) ?? [];
    const after = before.filter((place) => !move.has(place));
    for (const [place, coming] of move) if (coming === token) after.push(place);
    change += tables.nats(token, after) - tables.nats(token, before);
  }
  return change;
}

/** The best token for p, by tables and prior, once p's own token stands at q. */
function bestAt(outer: Pieces, candidates: Candidates, { tokens, strengths }: Reading, p: number, q: number): number {
  const moved = tokens.map((token, place) => (place === q ? (tokens[p] as number) : token));
  const tried = triedAt(candidates, moved, p);
  const { nats } = gainsAt(outer, { tokens: moved, strengths }, p, tried);
  return tried[nats.indexOf(Math.max(...nats))] as number;
}
