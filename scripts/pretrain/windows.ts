// Windows of the token stream, and what masked language modelling hides in them.

import { integerBelow, type RandomSource, uniform } from '../../src/random/index.js';
import type { Corpus } from './prepare.js';

const ircShare = 0.3;

/** Row by row [batch, tokens]: each a stretch of one corpus from a random place. */
export function drawWindows(corpus: Corpus, batch: number, tokens: number, random: RandomSource): number[][] {
  return Array.from({ length: batch }, () => {
    const ids = uniform(random) < ircShare ? corpus.irc : corpus.novel;
    const start = integerBelow(random, ids.length - tokens);
    return Array.from(ids.subarray(start, start + tokens));
  });
}

export interface Masked {
  readonly ids: BigInt64Array;
  /** Flat places of the hidden tokens, as many in every row, and what they were. */
  readonly places: BigInt64Array;
  readonly targets: BigInt64Array;
}

export interface MaskingIds {
  readonly mask: number;
  /** Ids below are special: never hidden, never put in. */
  readonly firstWord: number;
  readonly size: number;
}

/** Hides `count` tokens a row: 80 % behind [MASK], 10 % behind a random token, 10 % as they are (Devlin et al. 2019). */
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
