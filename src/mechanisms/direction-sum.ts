// The sum of B independent von Mises–Fisher draws, exactly, with one Gaussian vector: Σ yᵢ has the law of
// Σ coefᵢ·μᵢ + γ·n. The coefficients need only the Gram matrix of the μᵢ, their products with n, and ‖n‖²; no B × K numbers.

import { ArgumentError, check, type PivotedCholesky, pivotedCholesky, solveLower, solveUpper } from '../math/index.js';
import { chi, fillNormal, normal, type RandomSource } from '../random/index.js';
import { checkDirectional, type Directional, dot, drawCosine } from './von-mises-fisher.js';

export interface DirectionSumOptions extends Directional {
  /** Γ of the directions, row by row: 1 on the diagonal, or 0 for an example without a direction (a zero gradient). */
  readonly gram: Float64Array;
  /** ⟨μᵢ, n⟩ for every i (anything for those without a direction). */
  readonly products: (noise: Float32Array) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** n is written here; new unless given. */
  readonly noise?: Float32Array;
}

export interface DirectionSum {
  readonly coefficients: Float64Array;
  readonly noise: Float32Array;
  /** γ. */
  readonly noiseScale: number;
  /** The cosine of every draw to its own direction. */
  readonly cosines: Float64Array;
}

/** Directions nearer to the span of the others than this (squared sine) count as inside it. */
const rankTolerance = 1e-10;

export async function drawDirectionSum(source: RandomSource, options: DirectionSumOptions): Promise<DirectionSum> {
  const { dimension, concentration, gram, products, noise = new Float32Array(dimension) } = options;
  checkDirectional({ dimension, concentration });
  check({ 'length of noise': noise.length }, `${dimension}`, (length) => length === dimension);
  const count = Math.round(Math.sqrt(gram.length));
  const directed = findDirected(gram, count);
  const basis = factorize(gram, count, directed);
  const { rank } = basis;
  if (rank > dimension) throw new ArgumentError(`invalid gram: expected rank at most ${dimension}, got ${rank}`);

  // Each draw is w·μ + c·(unit vector orthogonal to μ); that vector's part inside the span of all μ is `inside` (in an
  // orthonormal basis of it), its part outside is a row of the Bartlett factor of a Wishart matrix.
  const outsideSize = Math.min(count, dimension - rank);
  const cosines = new Float64Array(count);
  const inside = new Float64Array(rank);
  const outside = new Float64Array(outsideSize);
  const placeOf = new Map(directed.map((_, place) => [directed[basis.order[place] as number] as number, place]));
  for (let draw = 0; draw < count; draw++) {
    const place = placeOf.get(draw);
    const { cosine, sine } =
      place === undefined ? { cosine: 0, sine: 1 } : drawCosine(source, { dimension, concentration });
    cosines[draw] = cosine;
    const a = Float64Array.from({ length: rank }, () => normal(source));
    if (place !== undefined) removeDirection(a, basis.factor.subarray(place * rank, (place + 1) * rank));
    const row = drawRow(source, draw, outsideSize, dimension - rank);
    const scale = sine / Math.sqrt(dot(a, a) + dot(row, row));
    for (let i = 0; i < rank; i++) inside[i] = (inside[i] as number) + scale * (a[i] as number);
    for (let i = 0; i < outsideSize; i++) outside[i] = (outside[i] as number) + scale * (row[i] as number);
  }

  fillNormal(source, noise);
  const all = await products(noise);
  const pivots = Array.from({ length: rank }, (_, place) => directed[basis.order[place] as number] as number);
  const h = pivots.map((index) => all[index] as number);
  const t = solveUpper(basis, solveLower(basis, h));
  const beyond = dot(noise, noise) - dot(h, t); // ‖n‖² outside the span
  const noiseScale = outsideSize === 0 ? 0 : Math.sqrt(dot(outside, outside) / beyond);
  const q = solveUpper(basis, inside);
  const coefficients = cosines.slice();
  for (const [place, index] of pivots.entries()) {
    coefficients[index] = (cosines[index] as number) + (q[place] as number) - noiseScale * (t[place] as number);
  }
  return { coefficients, noise, noiseScale, cosines };
}

function findDirected(gram: Float64Array, count: number): number[] {
  check(
    { 'elements of gram': gram.length },
    'a square of at least 1',
    () => count >= 1 && count * count === gram.length,
  );
  const directed: number[] = [];
  for (let i = 0; i < count; i++) {
    const square = gram[i * count + i] as number;
    if (square === 0) continue;
    if (!(Math.abs(square - 1) < 1e-4)) {
      throw new ArgumentError(`invalid gram: expected 1 or 0 on the diagonal, got ${square} at ${i}`);
    }
    directed.push(i);
  }
  return directed;
}

/** Cholesky factor of the directed part, its diagonal made exactly 1. */
function factorize(gram: Float64Array, count: number, directed: readonly number[]): PivotedCholesky {
  const size = directed.length;
  if (size === 0) return { size: 0, rank: 0, factor: new Float64Array(0), order: [] };
  const at = (i: number, j: number) => gram[i * count + j] as number;
  const unit = new Float64Array(size * size);
  for (const [row, i] of directed.entries()) {
    for (const [column, j] of directed.entries()) {
      unit[row * size + column] = (at(i, j) + at(j, i)) / 2 / Math.sqrt(at(i, i) * at(j, j));
    }
  }
  return pivotedCholesky(unit, size, rankTolerance);
}

/** a − ⟨a, r⟩r, with r made a unit vector (a direction counted as inside the span lacks a little). */
function removeDirection(a: Float64Array, r: Float64Array): void {
  const share = dot(a, r) / dot(r, r);
  for (let i = 0; i < a.length; i++) a[i] = (a[i] as number) - share * (r[i] as number);
}

/** Row of the Bartlett factor: normal numbers, then χ with `freedom − row` degrees on the diagonal, then zeros. */
function drawRow(source: RandomSource, row: number, size: number, freedom: number): Float64Array {
  const numbers = new Float64Array(size);
  for (let i = 0; i < Math.min(row, size); i++) numbers[i] = normal(source);
  if (row < size) numbers[row] = chi(source, freedom - row);
  return numbers;
}
