// The sum of B independent von Mises–Fisher draws, exactly, with one Gaussian vector: Σ yᵢ has the law of
// Σ coefᵢ·μᵢ + γ·n. The coefficients need only the Gram matrix of the μᵢ, their products with n, and ‖n‖²; no B × K numbers.

import { ArgumentError, check } from '../checks/index.js';
import { dot, type PivotedCholesky, pivotedCholesky, solveLower, solveUpper } from '../math/index.js';
import { chi, fillNormal, type RandomSource } from '../random/index.js';
import { checkDirectional, type Directional, drawCosine } from './von-mises-fisher.js';

/** Options of `drawDirectionSum`. */
export interface DirectionSumOptions extends Directional {
  /** The Gram matrix of the directions, row by row: 1 on the diagonal, or 0 for an example without a direction (a zero gradient). */
  readonly gram: Float64Array;
  /** ⟨μᵢ, n⟩ for every i (any number for those without a direction). Other numbers are drawn while it works. */
  readonly products: (noise: Float32Array) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** n: standard normal numbers drawn for this sum alone. By default they are drawn here. */
  readonly noise?: Float32Array;
}

/** The sum of random directions as Σ coefficients[i] · μᵢ + noiseScale · noise. */
export interface DirectionSum {
  readonly coefficients: Float64Array;
  /** n. */
  readonly noise: Float32Array;
  /** γ. */
  readonly noiseScale: number;
  /** The cosine of each draw to its own direction. It must not be released. */
  readonly cosines: Float64Array;
}

/** A direction whose squared sine to the span of the others is below this counts as inside the span. */
const rankTolerance = 1e-10;

/**
 * Draws the sum of independent von Mises–Fisher directions, exactly, without drawing each of them. The sum is not yet on a grid:
 * round it before release (`roundToGrid`).
 */
export async function drawDirectionSum(source: RandomSource, options: DirectionSumOptions): Promise<DirectionSum> {
  const { dimension, concentration, gram, products } = options;
  checkDirectional({ dimension, concentration });
  const noise = options.noise ?? fillNormal(source, new Float32Array(dimension));
  check({ 'length of noise': noise.length }, `${dimension}`, (length) => length === dimension);
  const promised = Promise.resolve(products(noise));
  promised.catch(() => {}); // awaited below, unless something else fails first
  const count = Math.round(Math.sqrt(gram.length));
  const directed = findDirected(gram, count);
  const basis = factorize(gram, count, directed);
  const { rank } = basis;
  if (rank > dimension) throw new ArgumentError(`invalid gram: expected rank at most ${dimension}, got ${rank}`);

  // Each draw is w·μ + c·(unit vector orthogonal to μ). The part of that vector inside the span of all μ goes into `inside` (in
  // an orthonormal basis of the span); its part outside is a row of the Bartlett factor of a Wishart matrix: normal numbers,
  // then on the diagonal χ with K − rank − i degrees of freedom, then zeros.
  const outsideSize = Math.min(count, dimension - rank);
  const cosines = new Float64Array(count);
  const inside = new Float64Array(rank);
  const outside = new Float64Array(outsideSize);
  const placeOf = new Map(directed.map((_, place) => [directed[basis.order[place] as number] as number, place]));
  // All drawn at once, which is faster: `rank` numbers for the inside of each draw, then its row of the factor.
  const rowSize = (draw: number) => Math.min(draw + 1, outsideSize);
  const total = cosines.reduce((sum, _, draw) => sum + rank + rowSize(draw), 0);
  const numbers = fillNormal(source, new Float64Array(total));
  let used = 0;
  const next = (size: number) => {
    used += size;
    return numbers.subarray(used - size, used);
  };
  for (let draw = 0; draw < count; draw++) {
    const place = placeOf.get(draw);
    const { cosine, sine } =
      place === undefined ? { cosine: 0, sine: 1 } : drawCosine(source, { dimension, concentration });
    cosines[draw] = cosine;
    const a = next(rank);
    if (place !== undefined) removeDirection(a, basis.factor.subarray(place * rank, (place + 1) * rank));
    const row = next(rowSize(draw));
    if (draw < outsideSize) row[draw] = chi(source, dimension - rank - draw);
    const scale = sine / Math.sqrt(dot(a, a) + dot(row, row));
    for (let i = 0; i < rank; i++) inside[i] = (inside[i] as number) + scale * (a[i] as number);
    for (let i = 0; i < row.length; i++) outside[i] = (outside[i] as number) + scale * (row[i] as number);
  }

  const square = squareSum(noise);
  const all = await promised;
  const pivots = Array.from({ length: rank }, (_, place) => directed[basis.order[place] as number] as number);
  const h = pivots.map((index) => all[index] as number);
  const t = solveUpper(basis, solveLower(basis, h));
  const beyond = square - dot(Float64Array.from(h), t); // ‖n‖² outside the span
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

/** The Cholesky factor of the examples that have a direction, after making the diagonal exactly 1. */
function factorize(gram: Float64Array, count: number, directed: readonly number[]): PivotedCholesky {
  const size = directed.length;
  if (size === 0) return { size: 0, rank: 0, factor: new Float64Array(0), order: [] };
  const at = (i: number, j: number) => gram[(directed[i] as number) * count + (directed[j] as number)] as number;
  const inverse = Float64Array.from({ length: size }, (_, i) => 1 / Math.sqrt(at(i, i)));
  const unit = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const cosine = i === j ? 1 : ((at(i, j) + at(j, i)) / 2) * (inverse[i] as number) * (inverse[j] as number);
      unit[i * size + j] = cosine;
      unit[j * size + i] = cosine;
    }
  }
  return pivotedCholesky(unit, size, rankTolerance);
}

/** a − ⟨a, r⟩r, with r scaled to a unit vector (a direction that counts as inside the span is slightly shorter). */
function removeDirection(a: Float64Array, r: Float64Array): void {
  const share = dot(a, r) / dot(r, r);
  for (let i = 0; i < a.length; i++) a[i] = (a[i] as number) - share * (r[i] as number);
}

/** ‖n‖², because `dot` handles arrays of several types and is slower. */
function squareSum(numbers: Float32Array): number {
  let [even, odd] = [0, 0];
  for (let i = 0; i < numbers.length; i += 2) {
    even += (numbers[i] as number) ** 2;
    odd += (numbers[i + 1] ?? 0) ** 2;
  }
  return even + odd;
}
