// How sure the attacker may be of each token. The probability of a token given all others is far too high where those are wrong. But the
// attacker also sees how much of the gradient the whole sentence leaves unexplained, and that tells a sentence that was found from one that was not.

import type { Tried } from './heights.js';

/** What is known about one token of the answer. */
export interface TokenEvidence {
  /** Log-odds of the token against all others that were judged at its place, given the rest of the sentence. */
  readonly logOdds: number;
  /** The share of the gradient that the sentence leaves unexplained; NaN where it is unknown. */
  readonly unexplained: number;
  /** The standard deviation of that share for the true sentence. */
  readonly resolution: number;
}

/** Log-odds beyond this say no more. */
const mostLogOdds = 50;

/** The log-odds of each of these places, from all sentences that differ from the answer there and nowhere else. */
export function logOddsAt(answer: Tried, tried: readonly Tried[], places: readonly number[]): Map<number, number> {
  const others = new Map<number, number[]>(places.map((place) => [place, []]));
  for (const { tokens, height } of tried) {
    const place = differenceOf(tokens, answer.tokens);
    if (place !== undefined) others.get(place)?.push(height - answer.height);
  }
  return new Map(
    [...others].map(([place, gaps]) => {
      const sum = gaps.reduce((total, gap) => total + Math.exp(Math.min(gap, mostLogOdds)), 0);
      return [place, Math.max(-mostLogOdds, Math.min(mostLogOdds, -Math.log(sum + Math.exp(-mostLogOdds))))];
    }),
  );
}

/** The only place at which two sentences of equal length differ; undefined if there are more, or none. */
export function differenceOf(a: readonly number[], b: readonly number[]): number | undefined {
  let found: number | undefined;
  for (let place = 0; place < a.length; place++) {
    if (a[place] === b[place]) continue;
    if (found !== undefined) return undefined;
    found = place;
  }
  return found;
}

/**
 * Coefficients of the log-odds and of the logarithm of what is unexplained, after a constant. Fitted by logistic regression to 1,023 tokens
 * of 24 sentences of CoLA's training data on bert-mini (σ from .003 to .1, quick refinement).
 */
const [constant, ofLogOdds, ofUnexplained] = [-5.084, 0.0366, -1.169];

/** Where it is unknown what a sentence leaves unexplained, an attacker may not be sure. */
const assumed = 0.1;

/** The probability that a token is right. */
export function certainty({ logOdds, unexplained, resolution }: TokenEvidence): number {
  const left = Number.isNaN(unexplained) ? assumed : Math.max(0, unexplained) + resolution;
  const odds = Math.max(-mostLogOdds, Math.min(mostLogOdds, logOdds));
  return 1 / (1 + Math.exp(-(constant + ofLogOdds * odds + ofUnexplained * Math.log(left))));
}
