// METEOR (Banerjee and Lavie 2005): words are aligned by form, then by stem, then by meaning; recall counts nine times as
// much as precision, and scattered matches are penalised.

import type { Lexicon } from './lexicon.js';

type Words = readonly string[];

/** Options of `meteor`. */
export interface MeteorOptions {
  /**
   * Whether synonyms are looked up for the `surface` form of words (default) or for their `stem`, as in NLTK, which misses most
   * synonyms that way.
   */
  readonly synonymsOf?: 'surface' | 'stem';
}

/** METEOR of two lists of words, from 0 to below 1: even a text against itself keeps a small penalty. Empty texts score 0. */
export function meteor(reference: Words, hypothesis: Words, lexicon: Lexicon, options: MeteorOptions = {}): number {
  const places = align(reference, hypothesis, lexicon, options.synonymsOf ?? 'surface');
  const matches = places.reduce((count, place) => count + Number(place >= 0), 0);
  if (matches === 0) return 0;
  const [precision, recall] = [matches / hypothesis.length, matches / reference.length];
  const mean = (10 * precision * recall) / (recall + 9 * precision);
  return mean * (1 - 0.5 * (countChunks(places) / matches) ** 3);
}

/** The place in the reference of each word of the hypothesis, or -1. */
function align(
  reference: Words,
  hypothesis: Words,
  { stemOf, synonymsOf }: Lexicon,
  form: 'surface' | 'stem',
): Int32Array {
  const places = new Int32Array(hypothesis.length).fill(-1);
  const taken = new Uint8Array(reference.length);
  matchEqual(reference, hypothesis, places, taken);
  const stems = [reference.map(stemOf), hypothesis.map(stemOf)] as const;
  matchEqual(...stems, places, taken);
  const [wanted, given] = form === 'stem' ? stems : [reference, hypothesis];
  matchMeaning(wanted, given, synonymsOf, places, taken);
  return places;
}

// Greedy from the right, as in NLTK, from which the golden values come; the paper asks for the alignment with the fewest crossings,
// which differs where a word occurs several times.

function matchEqual(reference: Words, hypothesis: Words, places: Int32Array, taken: Uint8Array): void {
  for (let at = hypothesis.length - 1; at >= 0; at--) {
    if ((places[at] as number) >= 0) continue;
    const word = hypothesis[at];
    for (let place = reference.length - 1; place >= 0; place--) {
      if (taken[place] === 1 || reference[place] !== word) continue;
      places[at] = place;
      taken[place] = 1;
      break;
    }
  }
}

function matchMeaning(
  reference: Words,
  hypothesis: Words,
  synonymsOf: Lexicon['synonymsOf'],
  places: Int32Array,
  taken: Uint8Array,
): void {
  for (let at = hypothesis.length - 1; at >= 0; at--) {
    if ((places[at] as number) >= 0) continue;
    const synonyms = synonymsOf(hypothesis[at] as string);
    for (let place = reference.length - 1; place >= 0; place--) {
      if (taken[place] === 1 || !synonyms.has(reference[place] as string)) continue;
      places[at] = place;
      taken[place] = 1;
      break;
    }
  }
}

/** Runs of matches that are neighbours in both texts. */
function countChunks(places: Int32Array): number {
  let chunks = 0;
  for (let at = 0; at < places.length; at++) {
    const place = places[at] as number;
    const follows = at > 0 && (places[at - 1] as number) >= 0 && places[at - 1] === place - 1;
    if (place >= 0 && !follows) chunks += 1;
  }
  return chunks;
}
