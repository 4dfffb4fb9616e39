// Windows of the token stream, and their masking for masked language modelling.

import { integerBelow, type RandomSource, uniform } from '../../src/random/index.js';
import type { Corpus } from './prepare.js';

const ircShare = 0.3;

/** [batch, tokens]: each window is a stretch of one corpus from a random position. */
export function drawWindows(corpus: Corpus, batch: number, tokens: number, random: RandomSource): number[][] {
  return Array.from({ length: batch }, () => {
    const ids = uniform(random) < ircShare ? corpus.irc : corpus.novel;
    const start = integerBelow(random, ids.length - tokens);
    return Array.from(ids.subarray(start, start + tokens));
  });
}

export interface Masked {
  readonly ids: BigInt64Array;
  /** Flat positions of the masked tokens, equally many per window, and their original ids. */
  readonly places: BigInt64Array;
  readonly targets: BigInt64Array;
}

export interface MaskingIds {
  readonly mask: number;
  /** Ids below this are special tokens, which are neither masked nor inserted. */
  readonly firstWord: number;
  readonly size: number;
}

/** Masks `count` tokens per window: 80 % by [MASK], 10 % by a random token, 10 % left as they are (Devlin et al. 2019). */
export function maskWindows(rows: readonly number[][], count: number, ids: MaskingIds, random: RandomSource): Masked {
  const [places, targets]: [number[], number[]] = [[], []];
  const changed = rows.map((row, index) => {
    const seen = [...row];
    const candidates = row.flatMap((id, place) => (id >= ids.firstWord ? [place] : []));
    for (let i = 0; i < count; i++) {
      const pick = i + integerBelow(random, candidates.length - i);
      const place = candidates[pick] as number;
      candidates[pick] = candidates[i] as number;
      candidates[i] = place;
      places.push(index * row.length + place);
      targets.push(row[place] as number);
      const way = uniform(random);
      if (way < 0.8) seen[place] = ids.mask;
      else if (way < 0.9) seen[place] = ids.firstWord + integerBelow(random, ids.size - ids.firstWord);
    }
    return seen;
  });
  return { ids: bigints(changed.flat()), places: bigints(places), targets: bigints(targets) };
}

export const bigints = (numbers: readonly number[]): BigInt64Array => BigInt64Array.from(numbers, BigInt);
