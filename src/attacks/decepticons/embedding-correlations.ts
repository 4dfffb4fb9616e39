// Compares recovered rows with the word and position tables. A row is a·(word + position) + c in the coordinates between the key
// and the last, so only those are compared, and by correlation, which ignores shift and scale.

import { dot, multiplyRows } from '../../math/index.js';
import type { Tables } from './tables.js';

/** The part of a row that depends on word and position, and the place in its sentence that it was given. */
export interface RowAtPlace {
  readonly seen: Float64Array;
  readonly place: number;
}

export interface Chosen {
  readonly token: number;
  readonly score: number;
}

export interface TableCorrelations {
  /** The part of a row that depends on word and position, shifted to mean 0. */
  readonly centred: (row: Float64Array) => Float64Array;
  readonly word: (token: number) => Float64Array;
  readonly position: (place: number) => Float64Array;
  /** Correlation of a row with each of these tokens at this place, after removing the place's own part from both. */
  readonly tokenScores: (row: Float64Array, place: number, tokens: ArrayLike<number>) => Float64Array;
  /** The token below `count` with the highest such score, for each of many rows. */
  readonly bestTokens: (rows: readonly RowAtPlace[], count: number) => Chosen[];
}

const known = new WeakMap<Tables, TableCorrelations>();

/** What is computed from the tables is kept as long as they are: every gradient of a client needs it. */
export function embeddingCorrelations(tables: Tables, hidden: number, keyLength: number): TableCorrelations {
  const made = known.get(tables) ?? correlationsOf(tables, hidden, keyLength);
  known.set(tables, made);
  return made;
}

function correlationsOf({ words, positions }: Tables, hidden: number, keyLength: number): TableCorrelations {
  const width = hidden - keyLength - 1;
  const vocabulary = words.length / hidden;
  const centred = (row: ArrayLike<number>, start = 0, into = new Float64Array(width)): Float64Array => {
    let sum = 0;
    for (let i = 0; i < width; i++) {
      into[i] = row[start + keyLength + i] as number;
      sum += into[i] as number;
    }
    const mean = sum / width;
    for (let i = 0; i < width; i++) into[i] = (into[i] as number) - mean;
    return into;
  };
  const allWords = new Float64Array(vocabulary * width);
  const seenWords = Array.from({ length: vocabulary }, (_, token) =>
    centred(words, token * hidden, allWords.subarray(token * width, (token + 1) * width)),
  );
  const seenPositions = Array.from({ length: positions.length / hidden }, (_, p) => centred(positions, p * hidden));
  const squares = Float64Array.from(seenWords, (word) => dot(word, word));
  const byPlace = new Map<number, Float64Array>();
  /** The length of every word without its part along this place. */
  const wordLengths = (place: number): Float64Array => {
    const p = seenPositions[place] as Float64Array;
    const square = dot(p, p);
    const lengthOf = (own: number, token: number) => {
      const along = dot(seenWords[token] as Float64Array, p);
      return Math.sqrt(Math.max(1e-12, own - (along * along) / square));
    };
    const lengths = byPlace.get(place) ?? squares.map(lengthOf);
    byPlace.set(place, lengths);
    return lengths;
  };
  const restOf = (row: Float64Array, place: number) => {
    const rest = without(row, seenPositions[place] as Float64Array);
    return { rest, length: Math.sqrt(dot(rest, rest)), lengths: wordLengths(place) };
  };
  const scoreOf = (product: number, length: number, wordLength: number): number =>
    length === 0 ? 0 : product / (length * wordLength);
  return {
    centred: (row) => centred(row),
    word: (token) => seenWords[token] as Float64Array,
    position: (place) => seenPositions[place] as Float64Array,
    tokenScores: (row, place, tokens) => {
      const { rest, length, lengths } = restOf(row, place);
      return Float64Array.from(tokens, (token) =>
        scoreOf(dot(rest, seenWords[token] as Float64Array), length, lengths[token] as number),
      );
    },
    bestTokens: (rows, count) => {
      const rests = rows.map(({ seen, place }) => restOf(seen, place));
      const vectors = new Float64Array(rests.length * width);
      for (const [row, { rest }] of rests.entries()) vectors.set(rest, row * width);
      const best = rests.map(() => ({ token: 0, score: Number.NEGATIVE_INFINITY }));
      for (let start = 0; start < count; start += wordsAtOnce) {
        const some = Math.min(wordsAtOnce, count - start);
        const products = multiplyRows(allWords.subarray(start * width, (start + some) * width), vectors, width);
        for (const [row, { length, lengths }] of rests.entries()) {
          const top = best[row] as (typeof best)[number];
          for (let i = 0; i < some; i++) {
            const score = scoreOf(products[row * some + i] as number, length, lengths[start + i] as number);
            if (score > top.score) [top.token, top.score] = [start + i, score];
          }
        }
      }
      return best;
    },
  };
}

/** So few that they stay in the processor's cache while all rows are compared with them. */
const wordsAtOnce = 256;

/** The correlation of two vectors with mean 0; 0 where one of them is zero. */
export function correlation(a: Float64Array, b: Float64Array): number {
  const square = dot(a, a) * dot(b, b);
  return square > 0 ? dot(a, b) / Math.sqrt(square) : 0;
}

/** A row without its part along another. */
export function without(row: Float64Array, other: Float64Array): Float64Array {
  const share = dot(row, other) / Math.max(1e-300, dot(other, other));
  return row.map((x, i) => x - share * (other[i] as number));
}
