// Compares recovered rows with the word and position tables. A row is a·(word + position) + c in the coordinates between the key
// and the last, so only those are compared, and by correlation, which ignores shift and scale.

import { dot } from '../../math/index.js';
import type { Tables } from './tables.js';

export interface TableCorrelations {
  /** The part of a row that depends on word and position, shifted to mean 0. */
  readonly centred: (row: Float64Array) => Float64Array;
  readonly word: (token: number) => Float64Array;
  readonly position: (place: number) => Float64Array;
  /** Correlation of a row with each of these tokens at this place, after removing the place's own part from both. */
  readonly tokenScores: (row: Float64Array, place: number, tokens: ArrayLike<number>) => Float64Array;
}

export function embeddingCorrelations(
  { words, positions }: Tables,
  hidden: number,
  keyLength: number,
): TableCorrelations {
  const width = hidden - keyLength - 1;
  const centred = (row: ArrayLike<number>, start = 0): Float64Array => {
    const part = Float64Array.from({ length: width }, (_, i) => row[start + keyLength + i] as number);
    const mean = part.reduce((sum, x) => sum + x, 0) / width;
    return part.map((x) => x - mean);
  };
  const seenWords = Array.from({ length: words.length / hidden }, (_, token) => centred(words, token * hidden));
  const seenPositions = Array.from({ length: positions.length / hidden }, (_, p) => centred(positions, p * hidden));
  const squares = Float64Array.from(seenWords, (word) => dot(word, word));
  const alongPlace = new Map<number, Float64Array>();
  const wordsAlong = (place: number): Float64Array => {
    const known = alongPlace.get(place);
    if (known !== undefined) return known;
    const p = seenPositions[place] as Float64Array;
    const made = Float64Array.from(seenWords, (word) => dot(word, p));
    alongPlace.set(place, made);
    return made;
  };
  return {
    centred: (row) => centred(row),
    word: (token) => seenWords[token] as Float64Array,
    position: (place) => seenPositions[place] as Float64Array,
    tokenScores: (row, place, tokens) => {
      const p = seenPositions[place] as Float64Array;
      const rest = without(row, p);
      const [length, pSquare, alongs] = [Math.sqrt(dot(rest, rest)), dot(p, p), wordsAlong(place)];
      return Float64Array.from(tokens, (token) => {
        const word = seenWords[token] as Float64Array;
        const along = alongs[token] as number;
        const square = Math.max(1e-12, (squares[token] as number) - (along * along) / pSquare);
        return length === 0 ? 0 : dot(rest, word) / (length * Math.sqrt(square));
      });
    },
  };
}

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
