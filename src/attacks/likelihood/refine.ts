// Improves a sentence by what the head's gradient says about it as a whole. The head reads all tokens at once, so its nats cost a pass through
// the model per sentence. They are added to those of tables and span, which read other numbers with noise of their own.

import { type Candidates, freePlaces, triedAt } from './candidates.js';
import { change, gainsAt, natsOf, type Pieces, placesOf, total } from './objective.js';
import { changeOf } from './pair-moves.js';
import type { Reading } from './span-evidence.js';

/** Nats of a sentence by the head's gradient. */
export type HeadNats = (tokens: readonly number[]) => Promise<number>;

/** Remembers the nats of sentences, of which at most `most` are computed; undefined beyond. */
export function limited(nats: HeadNats, most: number) {
  const known = new Map<string, number>();
  return {
    of: async (tokens: readonly number[]): Promise<number | undefined> => {
      const key = tokens.join();
      if (!known.has(key) && known.size < most) known.set(key, await nats(tokens));
      return known.get(key);
    },
    /** Without computing any. */
    known: (tokens: readonly number[]): number | undefined => known.get(tokens.join()),
  };
}

export type LimitedNats = ReturnType<typeof limited>;

/** Improvements below this share of a nat are rounding. */
const least = 1e-6;

/** Other tokens that are tried at each place. */
const alternatives = 12;

/** A token that the other pieces hold for less than e⁻³⁰ times as likely is not worth a try. */
const unlikely = 30;

/** Sentences that are tried before the moves are chosen again, once one has helped. */
const patience = 16;

/** Climbs by single tokens and by exchanges of two, the most plausible first, until nothing helps or no tries are left. */
export async function refine(
  pieces: Pieces,
  candidates: Candidates,
  start: Reading,
  head: LimitedNats,
): Promise<Reading> {
  let reading = start;
  let own = await head.of(start.tokens);
  if (own === undefined) return start;
  let height = own + total(natsOf(pieces, start));
  for (let improved = true; improved; ) {
    improved = false;
    const moves = movesFrom(pieces, candidates, reading);
    for (const [tried, move] of moves.entries()) {
      if (improved && tried >= patience) break;
      const changed = change(pieces, reading, move);
      own = await head.of(changed.tokens);
      if (own === undefined) return reading;
      const reached = own + total(natsOf(pieces, changed));
      if (!(reached > height + least)) continue;
      [reading, height, improved] = [changed, reached, true];
    }
  }
  return reading;
}

interface Move {
  readonly move: ReadonlyMap<number, number>;
  /** The change in the nats of the other pieces, as far as it is cheap. */
  readonly change: number;
}

/** Single tokens and exchanges, those that the other pieces object to least first. */
function movesFrom(pieces: Pieces, candidates: Candidates, reading: Reading): ReadonlyMap<number, number>[] {
  const { tokens } = reading;
  const free = freePlaces(pieces, tokens.length);
  const singles = free.flatMap((place) => {
    const tried = triedAt(candidates, tokens, place);
    const { nats } = gainsAt(pieces, reading, place, tried);
    const own = nats[tried.indexOf(tokens[place] as number)] as number;
    const moves = tried.map(
      (token, k): Move => ({ move: new Map([[place, token]]), change: (nats[k] as number) - own }),
    );
    return best(
      moves.filter(({ move }) => move.get(place) !== tokens[place]),
      alternatives,
    );
  });
  const places = placesOf(tokens);
  const exchanges = free.flatMap((p) =>
    free.flatMap((q): Move[] => {
      const [here, there] = [tokens[p] as number, tokens[q] as number];
      if (p >= q || here === there) return [];
      const move = new Map([
        [p, there],
        [q, here],
      ]);
      return [{ move, change: changeOf(pieces, tokens, places, move) }];
    }),
  );
  const all = [...singles, ...best(exchanges, tokens.length)].filter(({ change }) => change > -unlikely);
  return best(all, all.length).map(({ move }) => move);
}

const best = (moves: readonly Move[], count: number): Move[] =>
  moves.toSorted((a, b) => b.change - a.change).slice(0, count);
