// From recovered rows to sentences: the key gives the sentence, correlations give position and token, each by assignment.

import { dot } from '../../math/index.js';
import { assign } from '../../metrics/index.js';
import { clusterPoints } from './clusters.js';
import {
  type Chosen,
  correlation,
  type RowAtPlace,
  type TableCorrelations,
  without,
} from './embedding-correlations.js';

export interface Placed extends RowAtPlace {
  readonly sentence: number;
}

/** Places each row in a sentence. Each cluster is matched with the sentence length that fits it best. */
export function placeRows(
  vectors: readonly Float64Array[],
  seen: TableCorrelations,
  keyLength: number,
  lengths: readonly number[],
): Placed[] {
  const longest = Math.max(...lengths);
  const rows = vectors.map((vector) => towardsPosition(vector, seen, longest));
  const cluster = clusterPoints(
    rows.map((row) => direction(row.subarray(0, keyLength))),
    lengths.length,
    longest,
  );
  const members = lengths.map((_, c) => rows.filter((_, i) => cluster[i] === c).map(seen.centred));
  const fits = members.map((own) => lengths.map((length) => fitPlaces(own, seen, length)));
  const sentences = assign(fits.map((row) => row.map(({ fit }) => -fit)));
  return members.flatMap((own, c) => {
    const sentence = sentences[c] as number;
    const { places } = (fits[c] as Fit[])[sentence] as Fit;
    return own.flatMap((row, i) => {
      const place = places[i] as number;
      return place < 0 ? [] : [{ sentence, place, seen: row }];
    });
  });
}

interface Fit {
  /** The place of each row; -1 for rows without one. */
  readonly places: Int32Array;
  /** Sum of the correlations. */
  readonly fit: number;
}

/** The best order of these rows in a sentence of this length. */
function fitPlaces(rows: readonly Float64Array[], seen: TableCorrelations, length: number): Fit {
  const fits = rows.map((row) =>
    Float64Array.from({ length }, (_, place) => Math.abs(correlation(row, seen.position(place)))),
  );
  const places = rows.length === 0 ? new Int32Array(0) : assign(fits.map((row) => row.map((fit) => -fit)));
  return { places, fit: places.reduce((sum, place, i) => sum + (fits[i]?.[place] ?? 0), 0) };
}

/** Turns a row around where it points away from its own position, as it does where the slope of its token's loss is negative. */
function towardsPosition(vector: Float64Array, seen: TableCorrelations, places: number): Float64Array {
  const row = seen.centred(vector);
  let strongest = 0;
  for (let place = 0; place < places; place++) {
    const found = correlation(row, seen.position(place));
    if (Math.abs(found) > Math.abs(strongest)) strongest = found;
  }
  return strongest < 0 ? vector.map((x) => -x) : vector;
}

/** Mean 0 and length 1: a layer norm shifts and scales the key of every token differently. */
function direction(key: Float64Array): Float64Array {
  const mean = key.reduce((sum, x) => sum + x, 0) / key.length;
  const shifted = key.map((x) => x - mean);
  const length = Math.sqrt(dot(shifted, shifted));
  return length > 0 ? shifted.map((x) => x / length) : shifted;
}

/** Chooses a token for each row: from the leaked ones by assignment if there are any, else the best of the vocabulary. */
export function chooseTokens(
  placed: readonly Placed[],
  seen: TableCorrelations,
  leaked: readonly number[],
  replaceBelow: number,
  tokens: number,
): Chosen[] {
  if (leaked.length === 0) return seen.bestTokens(placed, tokens);
  const scores = placed.map((row) => seen.tokenScores(row.seen, row.place, leaked));
  const seats = assign(scores.map((row) => row.map((score) => -score)));
  const needed = replaceBelow > 0 || seats.some((seat) => seat < 0);
  const best = needed ? seen.bestTokens(placed, tokens) : [];
  return placed.map((_, i) => {
    const seat = seats[i] as number;
    if (seat < 0) return best[i] as Chosen;
    const assigned = { token: leaked[seat] as number, score: scores[i]?.[seat] as number };
    if (replaceBelow === 0) return assigned;
    const other = best[i] as Chosen;
    return replaceBelow * other.score > assigned.score ? other : assigned;
  });
}

/**
 * Tokens for positions without a row. Two tokens in one interval share a row: what it has beyond its own token is the other's, at
 * whichever position is free.
 */
export function fillEmpty(
  empty: readonly Pick<Placed, 'sentence' | 'place'>[],
  candidates: readonly number[],
  placed: readonly Placed[],
  chosen: readonly Chosen[],
  seen: TableCorrelations,
): Chosen[] {
  const rest = placed
    .map((row, i) => without(row.seen, sum(seen.word((chosen[i] as Chosen).token), seen.position(row.place))))
    .filter((row, i) => dot(row, row) > sharedRow * dot((placed[i] as Placed).seen, (placed[i] as Placed).seen));
  const scores = empty.map(({ place }) =>
    candidates.map((token) => {
      const wanted = sum(seen.word(token), seen.position(place));
      return rest.reduce((best, row) => Math.max(best, Math.abs(correlation(row, wanted))), 0);
    }),
  );
  const seats =
    candidates.length < empty.length ? scores.map(largest) : assign(scores.map((row) => row.map((x) => -x)));
  return Array.from(seats, (seat, i) => ({ token: candidates[seat] as number, score: scores[i]?.[seat] as number }));
}

/** A row may hold a second token if more than this share of its square is not explained by its own. */
const sharedRow = 1e-4;

const largest = (numbers: readonly number[]): number => numbers.indexOf(Math.max(...numbers));
const sum = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, i) => x + (b[i] as number));
