// Trains a WordPiece vocabulary as Hugging Face's trainer does: it starts from characters and repeatedly merges the most
// frequent pair of adjacent pieces. Pairs of equal count are merged in the order of their ids, so that the same words always
// give the same vocabulary.

import { check, positiveInteger } from '../checks/index.js';
import { makeTokenizer } from './tokenizer.js';
import { describeWordPiece, specialPieces } from './tokenizer-files.js';

/** The size of a vocabulary and what may enter it. */
export interface WordPieceOptions {
  /** Most pieces, special ones included; fewer if pairs run out. */
  readonly size: number;
  /** Pairs that occur less often are not merged. Default: 2. */
  readonly minFrequency?: number;
  /** Most distinct characters; the rarest are left out. Default: 1000. */
  readonly alphabet?: number;
}

/** Counts words, normalised and split as BERT's tokenizer does; lower-cased by default. */
export async function countWords(
  texts: AsyncIterable<string> | Iterable<string>,
  { lowercase = true }: { readonly lowercase?: boolean } = {},
): Promise<Map<string, number>> {
  const splitter = makeTokenizer(describeWordPiece(specialPieces, { lowercase }), 'countWords');
  const counts = new Map<string, number>();
  for await (const text of texts) {
    for (const word of splitter.words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/**
 * Trains a vocabulary on word counts (see `countWords`) and returns its pieces in the order of their ids: special ones,
 * characters, characters within a word (##) in the order of the sorted words, then merged pieces.
 */
export function trainWordPiece(words: ReadonlyMap<string, number>, options: WordPieceOptions): string[] {
  const { size, minFrequency = 2, alphabet = 1000 } = options;
  positiveInteger({ size, minFrequency, alphabet });
  const pieces = new Vocabulary([...specialPieces, ...commonCharacters(words, alphabet)]);
  const split = splitWords(words, pieces);
  check({ size }, `room for ${pieces.size} special pieces and characters`, () => pieces.size <= size);
  const pairs = new Pairs(split);
  while (pieces.size < size) {
    const best = pairs.takeMostFrequent();
    if (best === undefined || best.count < minFrequency) break;
    const { left, right } = best.pair;
    pairs.join(best.pair, pieces.idOf(pieces.at(left) + pieces.at(right).replace(/^##/, '')));
  }
  return pieces.list;
}

function commonCharacters(words: ReadonlyMap<string, number>, most: number): string[] {
  const counts = new Map<string, number>();
  for (const [word, count] of words) {
    for (const character of word) counts.set(character, (counts.get(character) ?? 0) + count);
  }
  const byCount = [...counts].toSorted(([a, m], [b, n]) => n - m || byCodePoint(a, b));
  return byCount
    .slice(0, most)
    .map(([character]) => character)
    .toSorted(byCodePoint);
}

const byCodePoint = (a: string, b: string): number => (a.codePointAt(0) as number) - (b.codePointAt(0) as number);

class Vocabulary {
  readonly list: string[];
  readonly #ids: Map<string, number>;

  constructor(pieces: readonly string[]) {
    this.list = [...pieces];
    this.#ids = new Map(pieces.map((piece, id) => [piece, id]));
  }

  get size(): number {
    return this.list.length;
  }

  has = (piece: string): boolean => this.#ids.has(piece);
  at = (id: number): string => this.list[id] as string;

  /** Adds the piece if it is new. */
  idOf(piece: string): number {
    const known = this.#ids.get(piece);
    if (known !== undefined) return known;
    this.#ids.set(piece, this.list.length);
    return this.list.push(piece) - 1;
  }
}

interface SplitWord {
  readonly count: number;
  pieces: number[];
}

/** Splits each word into characters; those after the first get ##. Characters outside the alphabet are left out. */
function splitWords(words: ReadonlyMap<string, number>, pieces: Vocabulary): SplitWord[] {
  const sorted = [...words].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([word, count]) => ({
    count,
    pieces: [...word].flatMap((character, place) => {
      if (!pieces.has(character)) return [];
      return [pieces.idOf(place === 0 ? character : `##${character}`)];
    }),
  }));
}

interface Pair {
  readonly left: number;
  readonly right: number;
  count: number;
  /** Words that may contain it. */
  readonly words: Set<SplitWord>;
}

/** A pair in the heap, with its count when it was pushed. */
interface Entry {
  readonly pair: Pair;
  readonly count: number;
}

const keyOf = (left: number, right: number): number => left * 2 ** 26 + right;

/** Counts of adjacent pieces, with a heap that gives the most frequent pair. */
class Pairs {
  readonly #pairs = new Map<number, Pair>();
  readonly #heap: Entry[] = [];

  constructor(words: readonly SplitWord[]) {
    for (const word of words) this.#count(word, 1);
    for (const pair of this.#pairs.values()) this.#push(pair);
  }

  /** Takes the most frequent pair; undefined if none is left. An entry whose count has changed is pushed again. */
  takeMostFrequent(): Entry | undefined {
    for (;;) {
      const entry = this.#pop();
      if (entry === undefined) return undefined;
      if (entry.count === entry.pair.count) return entry;
      if (entry.pair.count > 0) this.#push(entry.pair);
    }
  }

  /** Replaces the pair by the merged piece in every word. */
  join(pair: Pair, joined: number): void {
    const { left, right } = pair;
    this.#pairs.delete(keyOf(left, right));
    pair.count = 0; // marks its entries in the heap as outdated
    const grown = new Set<Pair>();
    for (const word of pair.words) {
      this.#count(word, -1);
      const pieces: number[] = [];
      for (let i = 0; i < word.pieces.length; i++) {
        const here = word.pieces[i] as number;
        if (here === left && word.pieces[i + 1] === right) {
          pieces.push(joined);
          i++;
        } else pieces.push(here);
      }
      word.pieces = pieces;
      this.#count(word, 1, grown);
    }
    for (const other of grown) this.#push(other);
  }

  #count(word: SplitWord, sign: 1 | -1, grown?: Set<Pair>): void {
    for (let i = 1; i < word.pieces.length; i++) {
      const [left, right] = [word.pieces[i - 1] as number, word.pieces[i] as number];
      let pair = this.#pairs.get(keyOf(left, right));
      if (pair === undefined) {
        if (sign < 0) continue; // the pair being merged, which is already deleted
        pair = { left, right, count: 0, words: new Set() };
        this.#pairs.set(keyOf(left, right), pair);
      }
      pair.count += sign * word.count;
      if (sign > 0) {
        pair.words.add(word);
        grown?.add(pair);
      }
    }
  }

  #push(pair: Pair): void {
    const heap = this.#heap;
    let place = heap.push({ pair, count: pair.count }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.#before(place, parent)) return;
      this.#swap(place, parent);
      place = parent;
    }
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    heap[0] = last;
    for (let place = 0; ; ) {
      let next = 2 * place + 1;
      if (next >= heap.length) return top;
      if (next + 1 < heap.length && this.#before(next + 1, next)) next++;
      if (!this.#before(next, place)) return top;
      this.#swap(place, next);
      place = next;
    }
  }

  #before(one: number, other: number): boolean {
    return comesFirst(this.#heap[one] as Entry, this.#heap[other] as Entry);
  }

  #swap(one: number, other: number): void {
    const heap = this.#heap;
    [heap[one], heap[other]] = [heap[other] as Entry, heap[one] as Entry];
  }
}

/** More frequent first, then smaller ids. */
function comesFirst(a: Entry, b: Entry): boolean {
  if (a.count !== b.count) return a.count > b.count;
  return a.pair.left !== b.pair.left ? a.pair.left < b.pair.left : a.pair.right < b.pair.right;
}
