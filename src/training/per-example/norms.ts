// Squared norms of per-example gradients (Goodfellow 2015; Li et al. 2022): ‖Σ_s l_s ⊗ r_s‖² = Σ_{s,t} (l_s·l_t)(r_s·r_t), so a
// weight's gradient need not be materialised. With so many tokens that this costs more, it is materialised after all.

import { ArgumentError } from '../../checks/index.js';
import {
  add,
  cast,
  equal,
  expand,
  gatherElements,
  less,
  matMul,
  max,
  mul,
  reduceSum,
  reshape,
  slice,
  square,
  unsqueeze,
  type Value,
  where,
} from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';

/** ‖gᵢ‖² over these parameters together, [batch]. If much cancels, it errs upwards, never downwards. */
export function squaredNorms(parameters: readonly ParameterTerms[]): Value {
  return parameters.map(({ name, terms }) => squaredNorm(name, terms)).reduce((sum, norm) => add(sum, norm));
}

function squaredNorm(name: string, terms: readonly GradientTerm[]): Value {
  const own = terms.map(ownSquare).reduce((sum, norm) => add(sum, norm));
  // A weight used twice: ‖a + b‖² also has the inner products of its terms.
  const pairs = terms.flatMap((a, i) => terms.slice(i + 1).map((b) => innerProduct(name, a, b)));
  if (pairs.length === 0) return own;
  const all = pairs.reduce((sum, product) => add(sum, mul(product, 2)), own);
  return guarded(all, mul(own, terms.length));
}

function ownSquare(term: GradientTerm): Value {
  if (term.kind === 'sum') return reduceSum(square(tokenSum(term.right)), [1]);
  if (term.kind === 'each') return reduceSum(square(term.right), [1, 2]);
  const { right } = term;
  if (term.kind === 'rows') {
    const pairs = pairProducts(right, right);
    return guarded(
      sumProducts(sameRow(term.indices, term.indices), pairs),
      mul(trace(pairs), right.shape[1] as number),
    );
  }
  const { left } = term;
  const [, tokens, rows] = left.shape as [number, number, number];
  const width = right.shape[2] as number;
  if (tokens === 1) return mul(reduceSum(square(left), [1, 2]), reduceSum(square(right), [1, 2]));
  if (tokens * (rows + width) > rows * width) {
    return reduceSum(square(matMul(left, right, { transposeA: true })), [1, 2]);
  }
  const [lefts, rights] = [pairProducts(left, left), pairProducts(right, right)];
  return guarded(sumProducts(lefts, rights), mul(trace(lefts), trace(rights)));
}

/**
 * A sum of products far below the size of its terms is mostly rounding, and the true value may be larger. A bound on the rounding
 * is then added, so that a gradient never counts as shorter than it is.
 */
const guarded = (sum: Value, largest: Value): Value =>
  where(less(sum, mul(largest, 2 ** -7)), add(max(sum, 0), mul(largest, 2 ** -16)), sum);

/** Σ_s of each token's product with itself, [batch]. */
function trace(pairs: Value): Value {
  const [batch, size] = pairs.shape as [number, number];
  const rows = reshape(pairs, [batch, size * size]);
  return reduceSum(slice(rows, [0, 0], [batch, size * size], [1, size + 1]), [1]);
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

const sumProducts = (a: Value, b: Value): Value => reduceSum(mul(a, b), [1, 2]);

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
