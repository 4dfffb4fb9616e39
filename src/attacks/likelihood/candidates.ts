// Which tokens the search tries where. The likelihood of all tokens at all places is cheap only for the tables, so each piece names its best.

import { shortlist } from '../span/shortlist.js';
import { empty, type Pieces } from './objective.js';
import type { TableEvidence } from './tables.js';

export interface Candidates {
  /** Tokens tried at each place, beside those that the sentence has already. */
  readonly at: readonly (readonly number[])[];
  /** Tokens tried at two places at once. */
  readonly repeated: readonly number[];
}

/** Tokens that are tried at every place because they are common, and tokens that are tried at two places at once. */
const [common, repeated] = [16, 48];

/** Tokens that each piece names for a place. */
const named = 32;

/** `shortlists` are those of the span. */
export function candidatesFor(
  { tables, prior }: Pick<Pieces, 'tables' | 'prior'>,
  shortlists: readonly (readonly number[])[] | undefined,
  length: number,
): Candidates {
  const usual = shortlist(Float32Array.from(prior)).slice(0, common);
  const possible = (token: number) => Number.isFinite(prior[token]);
  const at = Array.from({ length }, (_, place) => {
    const byTables = tables === undefined ? [] : shortlist(withPrior(tables, prior, place)).slice(0, named);
    return [...new Set([...byTables, ...(shortlists?.[place] ?? []).slice(0, named), ...usual])].filter(possible);
  });
  // The row of a token that occurs is longer than noise, wherever it occurs.
  const strong = tables === undefined ? [] : shortlist(Float32Array.from(tables.squares)).slice(0, repeated);
  return { at, repeated: strong.filter(possible) };
}

const withPrior = (tables: TableEvidence, prior: Float64Array, place: number): Float32Array =>
  Float32Array.from(tables.single(place), (nats, token) => nats + (prior[token] as number));

/** The candidates of a place and the tokens of the sentence: a token that occurs is likelier to occur again than its prior says. */
export function triedAt({ at }: Candidates, tokens: readonly number[], place: number): number[] {
  return [...new Set([...(at[place] ?? []), ...tokens.filter((token) => token !== empty)])];
}

/** The places whose tokens are not known. */
export const freePlaces = ({ known }: Pick<Pieces, 'known'>, places: number): number[] =>
  Array.from({ length: places }, (_, place) => place).filter((place) => !known.has(place));
