// Choosing tokens one position after the other, the surest first. What a chosen token explains is taken out of the span and
// out of every candidate, so that a word which is there once is not found everywhere, and fewer and fewer dimensions are
// left for wrong ones.

import { dotRange } from '../../math/index.js';
import type { FirstInputs } from './inputs.js';
import type { Subspace } from './subspace.js';

/** A token at a position. What is left of its unit input after the chosen ones is known by two figures: */
interface Candidate {
  readonly token: number;
  /** Where its unit input begins. */
  readonly start: number;
  /** Products of what is left with the basis. */
  readonly along: Float64Array;
  /** Squared length of what is left. */
  square: number;
}

export interface Pursued {
  readonly tokens: number[];
  /** By how much the chosen token's score was ahead of the next. */
  readonly confidence: number[];
}

/** Less than this of a candidate's squared length left: it is as good as chosen already. */
const tooLittle = 1e-3;

export function pursue(
  inputs: FirstInputs,
  shortlists: readonly (readonly number[])[],
  { basis, weights }: Pick<Subspace, 'basis' | 'weights'>,
): Pursued {
  const size = inputs.hidden;
  const units = new Float64Array(shortlists.reduce((sum, { length }) => sum + length, 0) * size);
  const open = new Map<number, Candidate[]>();
  let start = 0;
  for (const [position, tokens] of shortlists.entries()) {
    const candidates: Candidate[] = [];
    for (const token of tokens) {
      inputs.unit(token, position, units, start);
      candidates.push({ token, start, along: products(basis, weights.length, units, start, size), square: 1 });
      start += size;
    }
    open.set(position, candidates);
  }
  const tokens = new Array<number>(shortlists.length).fill(0);
  const confidence = new Array<number>(shortlists.length).fill(0);
  const directions: Float64Array[] = [];
  while (open.size > 0) {
    let surest: { position: number; chosen: Candidate; margin: number } | undefined;
    for (const [position, candidates] of open) {
      const { first, margin } = lead(candidates, weights);
      if (surest === undefined || margin > surest.margin) surest = { position, chosen: first, margin };
    }
    const { position, chosen, margin } = surest as NonNullable<typeof surest>;
    tokens[position] = chosen.token;
    confidence[position] = margin;
    open.delete(position);
    if (chosen.square < tooLittle) continue;
    const direction = leftOver(units.slice(chosen.start, chosen.start + size), directions);
    const shadow = products(basis, weights.length, direction, 0, size);
    directions.push(direction);
    for (const candidates of open.values()) for (const one of candidates) remove(one, units, direction, shadow);
  }
  return { tokens, confidence };
}

/** Products of one vector with those of the basis. */
function products(basis: Float64Array, count: number, vectors: Float64Array, start: number, size: number) {
  const along = new Float64Array(count);
  for (let k = 0; k < count; k++) along[k] = dotRange(basis, k * size, vectors, start, size);
  return along;
}

/** A vector without these directions, scaled to length 1. */
function leftOver(vector: Float64Array, directions: readonly Float64Array[]): Float64Array {
  const size = vector.length;
  for (const direction of directions) {
    const share = dotRange(direction, 0, vector, 0, size);
    for (let i = 0; i < size; i++) vector[i] = (vector[i] as number) - share * (direction[i] as number);
  }
  const scale = 1 / Math.sqrt(dotRange(vector, 0, vector, 0, size));
  return vector.map((x) => x * scale);
}

/** The best of a position, and how far it is ahead. */
function lead(candidates: readonly Candidate[], weights: Float64Array): { first: Candidate; margin: number } {
  let first = candidates[0] as Candidate;
  let [best, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const one of candidates) {
    let score = 0;
    if (one.square >= tooLittle) {
      for (let k = 0; k < weights.length; k++) score += (weights[k] as number) * (one.along[k] as number) ** 2;
      score /= one.square;
    }
    if (score > best) [first, best, second] = [one, score, best];
    else if (score > second) second = score;
  }
  return { first, margin: best - second };
}

/** Takes a unit direction out of a candidate; `shadow` are the direction's products with the basis. */
function remove(one: Candidate, units: Float64Array, direction: Float64Array, shadow: Float64Array): void {
  // The direction is orthogonal to those before, so its product with what is left is that with the whole.
  const share = dotRange(direction, 0, units, one.start, direction.length);
  for (let k = 0; k < shadow.length; k++) one.along[k] = (one.along[k] as number) - share * (shadow[k] as number);
  one.square = Math.max(0, one.square - share * share);
}
