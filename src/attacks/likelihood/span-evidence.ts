// What the gradients of the first block's projections say, in nats. Divided by the noise they are G = D X + noise: the rows of X are the
// unit inputs of the tokens, and each of the R rows of D is unknown. With D's column of place p ~ N(0, δ_p I), the rows of G are normal with
// covariance C = I + Σ δ_p x_p x_pᵀ. For one place, given the others, the best δ_p and its nats have closed forms (Tipping & Faul 2003):
// with s = xᵀC⁻¹x and θ = xᵀC⁻¹GᵀGC⁻¹x/(R s), the gain is R/2·(θ − 1 − ln θ) if θ > 1, at δ_p = (θ − 1)/s, and otherwise 0.

import { dotRange, type PivotedCholesky, pivotedCholesky, solveLower } from '../../math/index.js';
import type { FirstInputs } from '../span/inputs.js';
import type { InputGram } from '../span/subspace.js';
import { type InputPairs, openInputPairs } from './input-pairs.js';
import { rounding } from './table-products.js';

/** A sentence, and how strongly each of its places shows in the first block's gradient (δ). */
export interface Reading {
  readonly tokens: readonly number[];
  readonly strengths: Float64Array;
}

interface Gains {
  readonly nats: Float64Array;
  readonly strengths: Float64Array;
}

export interface SpanEvidence {
  /** Nats of each candidate at this place, given the tokens at the others, with the strength that explains the gradient best. */
  readonly gains: (reading: Reading, place: number, candidates: readonly number[]) => Gains;
  /** Nats of all tokens together. */
  readonly nats: (reading: Reading) => number;
}

/** An input with less of its squared length outside those of the other tokens cannot be told from them. */
const tooLittle = 1e-8;

export function spanEvidence(
  inputs: Pick<FirstInputs, 'unit' | 'vocabulary' | 'hidden'>,
  { gram, count: rows, deviation }: InputGram,
): SpanEvidence {
  const pairs = openInputPairs(inputs, rootOf(gram, inputs.hidden, deviation === 0 ? 1 / rounding : 1));
  const others = ({ tokens, strengths }: Reading, without?: number) => {
    const places = [...tokens.keys()].filter(
      (place) => place !== without && (tokens[place] as number) >= 0 && (strengths[place] as number) > 0,
    );
    const all = places.map((place) => pairs.find(place, [tokens[place] as number])[0] as number);
    return solver(pairs, all, (k) => strengths[places[k] as number] as number);
  };
  return {
    gains: (reading, place, candidates) => {
      const [nats, strengths] = [new Float64Array(candidates.length), new Float64Array(candidates.length)];
      const { remove } = others(reading, place);
      for (const [k, input] of pairs.find(place, candidates).entries()) {
        const { left, explained } = remove(input);
        const share = explained / (rows * left);
        if (left < tooLittle || !(share > 1)) continue;
        nats[k] = (rows / 2) * (share - 1 - Math.log(share));
        strengths[k] = (share - 1) / left;
      }
      return { nats, strengths };
    },
    nats: (reading) => {
      const { trace, logDeterminant } = others(reading);
      return (trace - rows * logDeterminant) / 2;
    },
  };
}

/** Reads a sentence anew: the strength of each place in turn, given those before, then all once more. */
export function readSpan(span: SpanEvidence, tokens: readonly number[]): Reading {
  const reading = { tokens, strengths: new Float64Array(tokens.length) };
  for (let sweep = 0; sweep < 2; sweep++)
    for (const place of tokens.keys()) reading.strengths[place] = strengthAt(span, reading, place);
  return reading;
}

/** The strength of a place that explains the gradient best, given the others. */
export function strengthAt(span: SpanEvidence, reading: Reading, place: number): number {
  const token = reading.tokens[place] as number;
  return token < 0 ? 0 : (span.gains(reading, place, [token]).strengths[0] as number);
}

/** Rows whose squared products with x sum to xᵀGᵀGx, with G multiplied by `scale`. */
function rootOf(gram: Float64Array, hidden: number, scale: number): Float64Array {
  const { factor, rank, order } = pivotedCholesky(gram, hidden);
  const root = new Float64Array(rank * hidden);
  for (const [i, column] of order.entries())
    for (let k = 0; k < rank; k++) root[k * hidden + column] = scale * (factor[i * rank + k] as number);
  return root;
}

/** C⁻¹ = I − Xᵀ(Δ⁻¹ + XXᵀ)⁻¹X for these inputs, by number; those that others explain entirely are left out. */
function solver(pairs: InputPairs, all: readonly number[], strengthOf: (k: number) => number) {
  const size = all.length;
  const matrix = new Float64Array(size * size);
  for (const [i, one] of all.entries()) {
    for (let j = 0; j <= i; j++) {
      const product = pairs.own(one, all[j] as number);
      matrix[i * size + j] = product;
      matrix[j * size + i] = product;
    }
    matrix[i * size + i] = (matrix[i * size + i] as number) + 1 / strengthOf(i);
  }
  const cholesky: PivotedCholesky =
    size === 0 ? { size, rank: 0, factor: matrix, order: [] } : pivotedCholesky(matrix, size);
  const { rank, factor, order } = cholesky;
  const kept = order.slice(0, rank).map((k) => all[k] as number);
  const square = shownTogether(pairs, cholesky, kept);
  return {
    /** Σ log(δ) + log det(Δ⁻¹ + XXᵀ) = log det C. */
    logDeterminant: kept.reduce(
      (sum, _, i) => sum + Math.log(strengthOf(order[i] as number)) + 2 * Math.log(factor[i * rank + i] as number),
      0,
    ),
    /** tr((I − C⁻¹) GᵀG). */
    trace: kept.reduce((sum, _, i) => sum + (square[i * rank + i] as number), 0),
    /** xᵀC⁻¹x, and xᵀC⁻¹GᵀGC⁻¹x, multiplied out. */
    remove: (input: number) => {
      const along = solveLower(cholesky, pairs.ownAll(kept, input));
      const shown = solveLower(cholesky, pairs.seenAll(kept, input));
      let [inside, both, twice] = [0, 0, 0];
      for (let i = 0; i < rank; i++) {
        const own = along[i] as number;
        inside += own * own;
        both += own * (shown[i] as number);
        twice += own * dotRange(square, i * rank, along, 0, rank);
      }
      return {
        left: pairs.own(input, input) - inside,
        explained: Math.max(0, pairs.seen(input, input) + twice - 2 * both),
      };
    },
  };
}

/** L⁻¹ X GᵀG Xᵀ L⁻ᵀ, for L Lᵀ = Δ⁻¹ + XXᵀ. */
function shownTogether(pairs: InputPairs, cholesky: PivotedCholesky, kept: readonly number[]): Float64Array {
  const { rank } = cholesky;
  const half = kept.map((one) => solveLower(cholesky, pairs.seenAll(kept, one)));
  const square = new Float64Array(rank * rank);
  for (let i = 0; i < rank; i++)
    square.set(
      solveLower(
        cholesky,
        half.map((column) => column[i] as number),
      ),
      i * rank,
    );
  return square;
}
