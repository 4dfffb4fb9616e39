// What the gradients of the first block's projections say, in nats. Divided by the noise they are G = D X + noise: the rows of X are the
// unit inputs of the tokens, and each of the R rows of D is unknown. With D's column of place p ~ N(0, δ_p I), the rows of G are normal with
// covariance C = I + Σ δ_p x_p x_pᵀ. For one place, given the others, the best δ_p and its nats have closed forms (Tipping & Faul 2003):
// with s = xᵀC⁻¹x and θ = xᵀC⁻¹GᵀGC⁻¹x/(R s), the gain is R/2·(θ − 1 − ln θ) if θ > 1, at δ_p = (θ − 1)/s, and otherwise 0.

import { dotRange, multiplyRows, type PivotedCholesky, pivotedCholesky, solveLower } from '../../math/index.js';
import type { FirstInputs } from '../span/inputs.js';
import type { InputGram } from '../span/subspace.js';
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

/** What is needed of an input x: itself, and its products with a root of GᵀG. */
interface Vector {
  readonly own: Float64Array;
  readonly seen: Float64Array;
}

/** An input with less of its squared length outside those of the other tokens cannot be told from them. */
const tooLittle = 1e-8;

export function spanEvidence(
  inputs: Pick<FirstInputs, 'unit' | 'vocabulary' | 'hidden'>,
  { gram, count: rows, deviation }: InputGram,
): SpanEvidence {
  const vectorsAt = openVectors(inputs, rootOf(gram, inputs.hidden, deviation === 0 ? 1 / rounding : 1));
  const others = ({ tokens, strengths }: Reading, without?: number) =>
    solver(
      tokens.flatMap((token, place) => {
        const strength = strengths[place] as number;
        if (place === without || token < 0 || strength <= 0) return [];
        return [{ ...(vectorsAt(place, [token])[0] as Vector), strength }];
      }),
    );
  return {
    gains: (reading, place, candidates) => {
      const [nats, strengths] = [new Float64Array(candidates.length), new Float64Array(candidates.length)];
      const rest = others(reading, place).remove(vectorsAt(place, candidates));
      for (const [k, { left, explained }] of rest.entries()) {
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

/** The vectors of tokens at a place, each computed once. */
function openVectors(
  { unit, vocabulary, hidden }: Pick<FirstInputs, 'unit' | 'vocabulary' | 'hidden'>,
  root: Float64Array,
) {
  const known = new Map<number, Vector>();
  const size = root.length / hidden;
  return (place: number, tokens: readonly number[]): Vector[] => {
    const keyOf = (token: number) => place * vocabulary + token;
    const missing = tokens.filter((token) => !known.has(keyOf(token)));
    const own = new Float64Array(missing.length * hidden);
    for (const [k, token] of missing.entries()) unit(token, place, own, k * hidden);
    const seen = multiplyRows(root, own, hidden);
    for (const [k, token] of missing.entries()) {
      known.set(keyOf(token), {
        own: own.subarray(k * hidden, (k + 1) * hidden),
        seen: seen.subarray(k * size, (k + 1) * size),
      });
    }
    return tokens.map((token) => known.get(keyOf(token)) as Vector);
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

/** C⁻¹ = I − Xᵀ(Δ⁻¹ + XXᵀ)⁻¹X for these tokens; those that others explain entirely are left out. */
function solver(all: readonly (Vector & { readonly strength: number })[]) {
  const size = all.length;
  const matrix = new Float64Array(size * size);
  for (const [i, one] of all.entries()) {
    for (let j = 0; j <= i; j++) {
      const product = times(one.own, (all[j] as Vector).own);
      matrix[i * size + j] = product;
      matrix[j * size + i] = product;
    }
    matrix[i * size + i] = (matrix[i * size + i] as number) + 1 / one.strength;
  }
  const cholesky: PivotedCholesky =
    size === 0 ? { size, rank: 0, factor: matrix, order: [] } : pivotedCholesky(matrix, size);
  const kept = cholesky.order.slice(0, cholesky.rank).map((place) => all[place] as (typeof all)[number]);
  const { rank, factor } = cholesky;
  // Rows of L⁻¹ Z, for Z the tokens' products with the root of GᵀG, and L Lᵀ = Δ⁻¹ + XXᵀ.
  const seen = kept.map((one) => one.seen.slice());
  for (const [i, row] of seen.entries()) {
    for (let j = 0; j < i; j++) addTo(row, seen[j] as Float64Array, -(factor[i * rank + j] as number));
    const pivot = factor[i * rank + i] as number;
    for (let k = 0; k < row.length; k++) row[k] = (row[k] as number) / pivot;
  }
  return {
    /** Σ log(δ) + log det(Δ⁻¹ + XXᵀ) = log det C. */
    logDeterminant: kept.reduce(
      (sum, { strength }, i) => sum + Math.log(strength) + 2 * Math.log(factor[i * rank + i] as number),
      0,
    ),
    /** tr((I − C⁻¹) GᵀG). */
    trace: seen.reduce((sum, row) => sum + times(row, row), 0),
    /** xᵀC⁻¹x, and xᵀC⁻¹GᵀGC⁻¹x = |z − (L⁻¹Z)ᵀL⁻¹Xx|², multiplied out, for each x. */
    remove: (vectors: readonly Vector[]) => {
      if (rank === 0) return vectors.map(({ own, seen: z }) => ({ left: times(own, own), explained: times(z, z) }));
      const [first] = vectors as [Vector];
      const products = multiplyRows(
        joined(kept.map(({ own }) => own)),
        joined(vectors.map(({ own }) => own)),
        first.own.length,
      );
      const shown = multiplyRows(joined(seen), joined(vectors.map((one) => one.seen)), first.seen.length);
      const square = multiplyRows(joined(seen), joined(seen), first.seen.length);
      return vectors.map(({ own, seen: z }, k) => {
        const along = solveLower(cholesky, products.subarray(k * rank, (k + 1) * rank));
        const removed = times(along, multiplyRows(square, along, rank)) - 2 * dotRange(along, 0, shown, k * rank, rank);
        return { left: times(own, own) - times(along, along), explained: Math.max(0, times(z, z) + removed) };
      });
    },
  };
}

function joined(vectors: readonly Float64Array[]): Float64Array {
  const size = vectors[0]?.length ?? 0;
  const all = new Float64Array(vectors.length * size);
  for (const [k, vector] of vectors.entries()) all.set(vector, k * size);
  return all;
}

const times = (a: Float64Array, b: Float64Array): number => dotRange(a, 0, b, 0, a.length);

function addTo(to: Float64Array, from: Float64Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i] = (to[i] as number) + factor * (from[i] as number);
}
