// Choosing tokens one position after the other, the surest first. What a chosen token explains is taken out of the span and
// out of every candidate, so that a word which is there once is not found everywhere, and fewer and fewer dimensions are
// left for wrong ones.

import { dotRange } from '../../math/index.js';
import type { FirstInputs } from './inputs.js';
import type { Subspace } from './subspace.js';

interface Candidate {
  readonly token: number;
  /** What is left of its unit input after the chosen ones. */
  readonly vector: Float64Array;
  /** Products with the basis. */
  readonly along: Float64Array;
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
  const open = new Map(
    shortlists.map((tokens, position) => [
      position,
      tokens.map((token) => candidate(inputs, token, position, basis, size)),
    ]),
  );
  const tokens = new Array<number>(shortlists.length).fill(0);
  const confidence = new Array<number>(shortlists.length).fill(0);
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
    const scale = 1 / Math.sqrt(chosen.square);
    const direction = chosen.vector.map((x) => x * scale);
    const shadow = chosen.along.map((x) => x * scale);
    for (const candidates of open.values()) for (const one of candidates) remove(one, direction, shadow);
  }
  return { tokens, confidence };
}

function candidate(inputs: FirstInputs, token: number, position: number, basis: Float64Array, size: number): Candidate {
  const vector = inputs.unit(token, position);
  const along = new Float64Array(basis.length / size);
  for (let k = 0; k < along.length; k++) along[k] = dotRange(basis, k * size, vector, 0, size);
  return { token, vector, along, square: 1 };
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
function remove(one: Candidate, direction: Float64Array, shadow: Float64Array): void {
  const share = dotRange(direction, 0, one.vector, 0, direction.length);
  for (let i = 0; i < direction.length; i++)
    one.vector[i] = (one.vector[i] as number) - share * (direction[i] as number);
  for (let k = 0; k < shadow.length; k++) one.along[k] = (one.along[k] as number) - share * (shadow[k] as number);
  one.square = Math.max(0, one.square - share * share);
}
