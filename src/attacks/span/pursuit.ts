// Chooses tokens position by position, the surest first. What a chosen token explains is removed from the span and from every
// candidate, so that a word that occurs once is not found everywhere, and ever fewer dimensions are left for wrong tokens.

import { dotRange, multiplyRows } from '../../math/index.js';
import type { FirstInputs } from './inputs.js';
import type { Subspace } from './subspace.js';

/** A token at a position. Two figures describe the rest of its unit input, after the chosen tokens are removed: */
interface Candidate {
  readonly token: number;
  /** Where its unit input begins. */
  readonly start: number;
  /** Products of the rest with the basis. */
  along: Float64Array;
  /** Squared length of the rest. */
  square: number;
  /** The share of the rest that the basis explains, when last computed. */
  score: number;
}

/** A token chosen for a position, and how far its score was ahead of those not chosen. */
export interface Chosen {
  readonly token: number;
  readonly confidence: number;
  /** All candidates of the position when it was chosen. */
  readonly candidates: readonly Scored[];
}

export interface Scored {
  readonly token: number;
  readonly score: number;
}

export interface PursuitOptions {
  /** Tokens wanted at each position. */
  readonly wanted: readonly number[];
  /** Tokens wanted in total, which may be fewer than the sum over positions where sentences share some. Every position that wants any gets one. */
  readonly total: number;
  /** Tokens that are known to occur, in addition to those wanted. */
  readonly known?: readonly Known[];
  /** The span is exact and has room for more tokens than are wanted: the best fit comes first, however close the next is. */
  readonly exact?: boolean;
}

export interface Known {
  readonly token: number;
  readonly position: number;
}

/** A further token of a position is taken last if its score is below this share of the mean so far. */
const weak = 0.8;

/** A candidate with less of its squared length left counts as chosen already. */
const tooLittle = { noisy: 1e-3, exact: 1e-8 };

export function pursue(
  inputs: FirstInputs,
  shortlists: readonly (readonly number[])[],
  { basis, weights }: Pick<Subspace, 'basis' | 'weights'>,
  { wanted, total, known = [], exact = false }: PursuitOptions,
): Chosen[][] {
  const size = inputs.hidden;
  const least = exact ? tooLittle.exact : tooLittle.noisy;
  const { units, open } = makeCandidates(inputs, shortlists, basis, weights.length);
  for (const [position, count] of wanted.entries()) if (count === 0) open.delete(position);
  const chosen: Chosen[][] = shortlists.map(() => []);
  const directions: Float64Array[] = [];
  const takeOut = (vector: Float64Array): void => {
    const direction = leftOver(vector, directions);
    const shadow = multiplyRows(basis.subarray(0, weights.length * size), direction, size);
    directions.push(direction);
    for (const candidates of open.values()) for (const one of candidates) remove(one, units, direction, shadow);
  };
  for (const { token, position } of known) {
    const vector = new Float64Array(size);
    inputs.unit(token, position, vector, 0);
    takeOut(vector);
  }
  let scores = 0;
  for (let count = 0, empty = open.size; open.size > 0 && (count < total || empty > 0); count++) {
    let surest: (Lead & { position: number; order: number }) | undefined;
    for (const [position, candidates] of open) {
      const found = (chosen[position] as Chosen[]).length;
      if (found > 0 && total - count <= empty) continue;
      const best = lead(candidates, weights, (wanted[position] as number) - found, least);
      const late = found > 0 && best.score < (weak * scores) / count;
      const order = exact ? best.score : late ? best.margin - 1 : best.margin;
      if (surest === undefined || order > surest.order) surest = { ...best, position, order };
    }
    const { position, first, margin, score } = surest as NonNullable<typeof surest>;
    scores += score;
    const here = chosen[position] as Chosen[];
    const candidates = open.get(position) as Candidate[];
    if (here.length === 0) empty--;
    const scored = candidates.map((one) => ({ token: one.token, score: one.score }));
    here.push({ token: first.token, confidence: margin, candidates: scored });
    if (here.length === wanted[position]) open.delete(position);
    else candidates.splice(candidates.indexOf(first), 1);
    if (first.square >= least) takeOut(units.slice(first.start, first.start + size));
  }
  return chosen;
}

const none: Float64Array = new Float64Array(0);

function makeCandidates(
  inputs: FirstInputs,
  shortlists: readonly (readonly number[])[],
  basis: Float64Array,
  count: number,
): { units: Float64Array; open: Map<number, Candidate[]> } {
  const size = inputs.hidden;
  const units = new Float64Array(shortlists.reduce((sum, { length }) => sum + length, 0) * size);
  let start = -size;
  const open = new Map(
    shortlists.map((tokens, position) => [
      position,
      tokens.map((token): Candidate => {
        start += size;
        inputs.unit(token, position, units, start);
        return { token, start, along: none, square: 1, score: 0 };
      }),
    ]),
  );
  const along = multiplyRows(basis.subarray(0, count * size), units, size);
  let row = 0;
  for (const candidates of open.values())
    for (const one of candidates) one.along = along.subarray(row++ * count, row * count);
  return { units, open };
}

/** A vector without its parts along these directions, scaled to length 1. */
function leftOver(vector: Float64Array, directions: readonly Float64Array[]): Float64Array {
  const size = vector.length;
  for (const direction of directions) {
    const share = dotRange(direction, 0, vector, 0, size);
    for (let i = 0; i < size; i++) vector[i] = (vector[i] as number) - share * (direction[i] as number);
  }
  const scale = 1 / Math.sqrt(dotRange(vector, 0, vector, 0, size));
  return vector.map((x) => x * scale);
}

interface Lead {
  readonly first: Candidate;
  readonly score: number;
  readonly margin: number;
}

/** The best candidate of a position, and how far it is ahead of the best that is left when `wanted` are chosen. */
function lead(candidates: readonly Candidate[], weights: Float64Array, wanted: number, least: number): Lead {
  let first = candidates[0] as Candidate;
  const best = new Array<number>(wanted + 1).fill(Number.NEGATIVE_INFINITY); // falling
  for (const one of candidates) {
    let score = 0;
    if (one.square >= least) {
      for (let k = 0; k < weights.length; k++) score += (weights[k] as number) * (one.along[k] as number) ** 2;
      score /= one.square;
    }
    one.score = score;
    if (score > (best[0] as number)) first = one;
    let place = wanted;
    if (score <= (best[place] as number)) continue;
    for (; place > 0 && (best[place - 1] as number) < score; place--) best[place] = best[place - 1] as number;
    best[place] = score;
  }
  const [score = 0] = best;
  return { first, score, margin: score - (best[wanted] as number) };
}

/** Removes a unit direction from a candidate; `shadow` holds the direction's products with the basis. */
function remove(one: Candidate, units: Float64Array, direction: Float64Array, shadow: Float64Array): void {
  // The direction is orthogonal to those before, so its product with the rest equals that with the whole.
  const share = dotRange(direction, 0, units, one.start, direction.length);
  for (let k = 0; k < shadow.length; k++) one.along[k] = (one.along[k] as number) - share * (shadow[k] as number);
  one.square = Math.max(0, one.square - share * share);
}
