// Squared norms of per-example gradients (Goodfellow 2015; Li et al. 2022): ‖Σ_s l_s ⊗ r_s‖² = Σ_{s,t} (l_s·l_t)(r_s·r_t), so a
// weight's gradient need not be materialised. With so many tokens that this costs more, it is materialised after all. Each square
// comes with a bound on its float32 rounding: a share (rounding.ts) of the gradient's mass Σ_s ‖l_s‖‖r_s‖, which no
// cancellation between tokens makes smaller.

import { ArgumentError } from '../../checks/index.js';
import {
  add,
  cast,
  equal,
  expand,
  gatherElements,
  matMul,
  max,
  mul,
  reduceSum,
  reshape,
  slice,
  sqrt,
  square,
  unsqueeze,
  type Value,
} from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';
import { roundingShare, tokenFloor } from './rounding.js';

/** Squared norms of gradients, [batch] each. */
interface SquaredNorms {
  /** ‖gᵢ‖² as float32 gives it. */
  readonly squares: Value;
  /** Never below the true ‖gᵢ‖². */
  readonly bounds: Value;
}

/** ‖gᵢ‖² over these parameters together. */
export function squaredNorms(parameters: readonly ParameterTerms[]): SquaredNorms {
  const norms = tokenNorms(parameters.flatMap(({ terms }) => terms));
  const each = parameters.map(({ name, terms }) => squaredNorm(name, terms, norms));
  const squares = each.map((one) => max(one.square, 0)).reduce((sum, one) => add(sum, one));
  const errors = each.map((one) => one.error).reduce((sum, one) => add(sum, one));
  return { squares, bounds: mul(add(squares, errors), 1 + roundingShare(parameters.length + 2)) };
}

/** The square of one gradient's norm, and a bound on the rounding in it. */
interface Measured {
  readonly square: Value;
  readonly error: Value;
}

function squaredNorm(name: string, terms: readonly GradientTerm[], norms: TokenNorms): Measured {
  const own = terms.map((term) => ownSquare(term, norms));
  if (terms.length === 1) return own[0] as Measured;
  // A weight used several times: ‖a + b‖² also has the inner products of its terms.
  const pairs = terms.flatMap((a, i) => terms.slice(i + 1).map((b) => innerProduct(name, a, b)));
  const squares = own.map((one) => one.square).reduce((sum, one) => add(sum, one));
  const mass = terms.map((term) => massOf(term, norms)).reduce((sum, one) => add(sum, one));
  const longest = Math.max(...terms.map(operationsOf)) + terms.length ** 2;
  return {
    square: pairs.reduce((sum, product) => add(sum, mul(product, 2)), squares),
    error: mul(square(mass), roundingShare(longest)),
  };
}

/** The roundings behind one term of the square: two dot products, their product, two sums over tokens, and three for the factor's. */
function operationsOf(term: GradientTerm): number {
  const [, tokens, width] = term.right.shape as [number, number, number];
  const rows = term.kind === 'outer' ? (term.left.shape[2] as number) : 0;
  return rows + width + 2 * tokens + 4;
}

function ownSquare(term: GradientTerm, norms: TokenNorms): Measured {
  const { right } = term;
  const [, tokens, width] = right.shape as [number, number, number];
  if (term.kind === 'sum') {
    const sum = reduceSum(square(tokenSum(right)), [1]);
    return tokens === 1 ? exact(sum, width) : summed(sum, massOf(term, norms), { added: tokens, squared: width });
  }
  if (term.kind === 'each') return exact(sumBoth(square(right)), tokens + width);
  if (term.kind === 'rows') {
    const same = sameRow(term.indices, term.indices);
    const sizes = norms(right);
    const squaredMass = reduceSum(mul(sizes, reshape(matMul(same, unsqueeze(sizes, 2)), sizes.shape)), [1]);
    return {
      square: sumProducts(same, pairProducts(right, right)),
      error: mul(squaredMass, roundingShare(operationsOf(term))),
    };
  }
  const rows = term.left.shape[2] as number;
  if (tokens > 1 && isMaterialised(term.left, right)) {
    const made = sumBoth(square(matMul(term.left, right, { transposeA: true })));
    return summed(made, massOf(term, norms), { added: tokens, squared: rows + width });
  }
  const share = roundingShare(operationsOf(term));
  if (tokens > 1) {
    const products = sumProducts(pairProducts(term.left, term.left), pairProducts(right, right));
    return { square: products, error: mul(square(massOf(term, norms)), share) };
  }
  const [lefts, rights] = [sumBoth(square(term.left)), sumBoth(square(right))];
  return { square: mul(lefts, rights), error: mul(mul(add(lefts, tokenFloor), add(rights, tokenFloor)), share) };
}

/** A sum of squares in which nothing cancels. */
const exact = (sum: Value, terms: number): Measured => ({ square: sum, error: mul(sum, roundingShare(terms + 4)) });

/**
 * The squared norm of a vector whose numbers were sums over tokens: with mass m and share δ, the vector is within δm of the true
 * one, so that ‖g‖² ≤ ‖v‖² + δm(2‖v‖ + δm).
 */
function summed(sum: Value, mass: Value, { added, squared }: { added: number; squared: number }): Measured {
  const off = mul(mass, roundingShare(added + 2));
  const moved = mul(off, add(mul(sqrt(sum), 2), off));
  return { square: sum, error: add(exact(sum, squared).error, moved) };
}

/** Whether materialising a weight's gradient costs less than all pairs of tokens. */
function isMaterialised(left: Value, right: Value): boolean {
  const [, tokens, rows] = left.shape as [number, number, number];
  const width = right.shape[2] as number;
  return tokens * (rows + width) > rows * width;
}

/** Σ_s ‖l_s‖‖r_s‖, [batch]. */
function massOf(term: GradientTerm, norms: TokenNorms): Value {
  if (term.kind !== 'outer') return reduceSum(norms(term.right), [1]);
  return reduceSum(mul(norms(term.left), norms(term.right)), [1]);
}

/** ‖x_s‖ of every token, at least the root of the floor, [batch, tokens]. */
type TokenNorms = (x: Value) => Value;

/** Reads the norms of tokens from the pairs of tokens where these are computed anyway. */
function tokenNorms(terms: readonly GradientTerm[]): TokenNorms {
  const paired = new Set(terms.flatMap(pairedValues));
  return (x) => sqrt(add(paired.has(x.id) ? diagonal(pairProducts(x, x)) : reduceSum(square(x), [2]), tokenFloor));
}

/** The values whose products of all pairs of tokens a term needs. */
function pairedValues(term: GradientTerm): number[] {
  if (term.kind === 'rows') return [term.right.id];
  if (term.kind !== 'outer' || term.right.shape[1] === 1 || isMaterialised(term.left, term.right)) return [];
  return [term.left.id, term.right.id];
}

/** Each token's product with itself, [batch, tokens]. */
function diagonal(pairs: Value): Value {
  const [batch, tokens] = pairs.shape as [number, number];
  return slice(reshape(pairs, [batch, tokens * tokens]), [0, 0], [batch, tokens * tokens], [1, tokens + 1]);
}

/** ⟨aᵢ, bᵢ⟩ of two uses of one weight. */
function innerProduct(name: string, a: GradientTerm, b: GradientTerm): Value {
  if (a.kind === 'outer' && b.kind === 'outer') {
    return sumProducts(pairProducts(a.left, b.left), pairProducts(a.right, b.right));
  }
  if (a.kind === 'rows' && b.kind === 'rows') {
    return sumProducts(sameRow(a.indices, b.indices), pairProducts(a.right, b.right));
  }
  if (a.kind === 'outer' && b.kind === 'rows') {
    return sumProducts(entriesAt(a.left, b.indices), pairProducts(a.right, b.right));
  }
  if (a.kind === 'rows' && b.kind === 'outer') return innerProduct(name, b, a);
  throw new ArgumentError(
    `parameter ${name} is used in two ways whose gradients cannot be multiplied yet: leave it out of the trainable parameters`,
  );
}

/** a_s·b_t for all pairs of tokens: [batch, tokens of a, tokens of b]. */
const pairProducts = (a: Value, b: Value): Value => matMul(a, b, { transposeB: true });

const sumProducts = (a: Value, b: Value): Value => sumBoth(mul(a, b));

/** Sums over two axes one after the other: rounding then grows with the sum of their sizes, not with the product. */
const sumBoth = (x: Value): Value => reduceSum(reduceSum(x, [2]), [1]);

/** 1 if two tokens go to the same row. */
const sameRow = (a: Value, b: Value): Value => cast(equal(unsqueeze(a, 2), unsqueeze(b, 1)), 'f32');

/** left_s[index_t] for all pairs of tokens. */
function entriesAt(left: Value, indices: Value): Value {
  const [batch, tokens] = left.shape as [number, number];
  const others = indices.shape[1] as number;
  return gatherElements(left, expand(reshape(indices, [batch, 1, others]), [batch, tokens, others]), 2);
}

/** Σ_s right_s, [batch, width]. */
export const tokenSum = (right: Value): Value =>
  right.shape[1] === 1 ? reshape(right, [right.shape[0] as number, -1]) : reduceSum(right, [1]);
