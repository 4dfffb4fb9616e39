// The span check of sentences: what the second block reads depends on the whole sentence, or for decoders on its beginning. Encoders
// are searched exhaustively, decoders from left to right.

import { integerBelow, type RandomSource } from '../../random/index.js';

/** A sentence, or the beginning of one, with the mean distance of its inputs to the span of the second block. */
export interface Checked {
  readonly tokens: readonly number[];
  readonly distance: number;
  /** Whether every input is closer than the threshold. */
  readonly passes: boolean;
}

export interface SentenceSearch {
  /** Tokens that each position may hold. */
  readonly candidates: readonly (readonly number[])[];
  /** Distances of the inputs of sentences to the span of the second block. */
  readonly measure: (sentences: readonly (readonly number[])[]) => Promise<readonly Float32Array[]>;
  readonly threshold: number;
  /** The most sentences to compare, or beginnings to keep. */
  readonly combinations: number;
  readonly random: RandomSource;
}

/** Sentences measured at once. */
const chunk = 256;

/** Compares all combinations of candidates, or if they are too many, as many that are drawn at random. */
export async function searchWhole(search: SentenceSearch): Promise<Checked> {
  const { candidates, combinations, random } = search;
  const all = candidates.reduce((product, { length }) => product * length, 1);
  const count = Math.min(all, combinations);
  const pick = (index: number): number[] => {
    let rest = index;
    return candidates.map((tokens) => {
      const place = all > combinations ? integerBelow(random, tokens.length) : rest % tokens.length;
      rest = Math.floor(rest / tokens.length);
      return tokens[place] as number;
    });
  };
  let best: Checked | undefined;
  for (let start = 0; start < count; start += chunk) {
    const sentences = Array.from({ length: Math.min(chunk, count - start) }, (_, i) => pick(start + i));
    best = closest([...(best ? [best] : []), ...(await checkAll(search, sentences))]);
  }
  return best as Checked;
}

/** Extends beginnings by one token at a time, and keeps those that pass, with the closest of those that do not. */
export async function searchFromLeft(search: SentenceSearch): Promise<Checked> {
  let kept: readonly Checked[] = [{ tokens: [], distance: 0, passes: true }];
  for (const tokens of search.candidates) {
    const longer = kept.flatMap((one) => tokens.map((token) => [...one.tokens, token]));
    const checked: Checked[] = [];
    for (let start = 0; start < longer.length; start += chunk)
      checked.push(...(await checkAll(search, longer.slice(start, start + chunk))));
    const passing = checked.filter(({ passes }) => passes).sort((a, b) => a.distance - b.distance);
    const failing = checked.filter(({ passes }) => !passes);
    kept = [...passing.slice(0, search.combinations), ...(failing.length > 0 ? [closest(failing)] : [])];
  }
  return kept[0] as Checked;
}

async function checkAll(
  { measure, threshold }: SentenceSearch,
  sentences: readonly (readonly number[])[],
): Promise<Checked[]> {
  const distances = await measure(sentences);
  return sentences.map((tokens, i) => {
    const own = distances[i] as Float32Array;
    const mean = own.reduce((sum, distance) => sum + distance, 0) / own.length;
    return { tokens, distance: mean, passes: own.every((distance) => distance < threshold) };
  });
}

const closest = (checked: readonly Checked[]): Checked =>
  checked.reduce((best, one) => (one.distance < best.distance ? one : best));
