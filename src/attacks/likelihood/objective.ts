// The one log-likelihood that the search climbs: tables, span and prior, added up, because their noise is independent.

import { type Reading, readSpan, type SpanEvidence, strengthAt } from './span-evidence.js';
import type { TableEvidence } from './tables.js';

/** The pieces that speak for one gradient. */
export interface Pieces {
  readonly tables?: TableEvidence;
  readonly span?: SpanEvidence;
  /** Log-probability of each token. */
  readonly prior: Float64Array;
  /** Tokens that everybody knows, such as those around every text, by place. */
  readonly known: ReadonlyMap<number, number>;
}

/** Nats by piece. */
export interface Nats {
  readonly tables: number;
  readonly span: number;
  readonly prior: number;
}

/** Nats of every candidate at a place, given the tokens elsewhere. */
export interface PlaceGains {
  readonly nats: Float64Array;
  /** What the span contributes to them. */
  readonly span: Float64Array;
  /** The strength of each candidate in the span. */
  readonly strengths: Float64Array;
}

/** A place without a token yet. */
export const empty = -1;

/** A sentence, read by the span. */
export const read = ({ span }: Pieces, tokens: readonly number[]): Reading =>
  span === undefined ? { tokens, strengths: new Float64Array(tokens.length) } : readSpan(span, tokens);

/** The sentence with other tokens at some places, where alone the span is read again. */
export function change({ span }: Pieces, reading: Reading, tokens: ReadonlyMap<number, number>): Reading {
  const changed = {
    tokens: reading.tokens.map((token, place) => tokens.get(place) ?? token),
    strengths: reading.strengths.slice(),
  };
  for (const place of tokens.keys()) changed.strengths[place] = 0;
  if (span !== undefined)
    for (const place of tokens.keys()) changed.strengths[place] = strengthAt(span, changed, place);
  return changed;
}

/** What tables and prior say: the part that is cheap to compute for any sentence. */
export function outerNats({ tables, prior, known }: Pieces, tokens: readonly number[]): number {
  let sum = 0;
  for (const [place, token] of tokens.entries())
    if (token !== empty && !known.has(place)) sum += prior[token] as number;
  if (tables !== undefined) for (const [token, places] of placesOf(tokens)) sum += tables.nats(token, places);
  return sum;
}

export function natsOf(pieces: Pieces, reading: Reading): Nats {
  const prior = outerNats({ prior: pieces.prior, known: pieces.known }, reading.tokens);
  return {
    prior,
    tables: outerNats(pieces, reading.tokens) - prior,
    span: pieces.span?.nats(reading) ?? 0,
  };
}

export const total = ({ tables, span, prior }: Nats): number => tables + span + prior;

export function gainsAt(
  { tables, span, prior }: Pieces,
  reading: Reading,
  place: number,
  candidates: readonly number[],
): PlaceGains {
  const { nats: inSpan, strengths } = span?.gains(reading, place, candidates) ?? {
    nats: new Float64Array(candidates.length),
    strengths: new Float64Array(candidates.length),
  };
  const nats = inSpan.map((own, k) => own + (prior[candidates[k] as number] as number));
  if (tables !== undefined) {
    const elsewhere = placesOf(reading.tokens.map((token, other) => (other === place ? empty : token)));
    for (const [k, token] of candidates.entries()) {
      const others = elsewhere.get(token) ?? [];
      nats[k] = (nats[k] as number) + tables.nats(token, [...others, place]) - tables.nats(token, others);
    }
  }
  return { nats, span: inSpan, strengths };
}

/** The places of each token. */
export function placesOf(tokens: readonly number[]): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (const [place, token] of tokens.entries()) {
    if (token === empty) continue;
    const own = places.get(token);
    if (own === undefined) places.set(token, [place]);
    else own.push(place);
  }
  return places;
}
