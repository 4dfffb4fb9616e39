// Inner products of the examples' gradients with each other (Γ) and with given arrays. Γ is in float64: float32 cannot resolve how
// nearly parallel two gradients are, and directional noise would be sampled wrongly.

import { ArgumentError } from '../../checks/index.js';
import {
  add,
  cast,
  equal,
  gather,
  matMul,
  mul,
  reduceSum,
  reshape,
  sliceAxis,
  transpose,
  type Value,
} from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';
import { tokenSum } from './norms.js';

/** ⟨gᵢ, gⱼ⟩ over these parameters together, [batch, batch], f64. */
export function gramMatrix(parameters: readonly ParameterTerms[]): Value {
  const products = parameters.flatMap(({ name, terms }) =>
    terms.flatMap((a, i) =>
      terms.slice(i).map((b) => {
        const product = gramOf(name, a, b);
        return a === b ? product : add(product, transpose(product));
      }),
    ),
  );
  return products.reduce((sum, product) => add(sum, product));
}

const wide = (x: Value): Value => cast(x, 'f64');

function gramOf(name: string, a: GradientTerm, b: GradientTerm): Value {
  const [batch, tokens] = a.right.shape as [number, number];
  if (a.kind === 'sum' && b.kind === 'sum' && a.row === b.row) {
    return matMul(wide(tokenSum(a.right)), wide(tokenSum(b.right)), { transposeB: true });
  }
  if (a === b && a.kind === 'each') return selfProducts(reshape(wide(a.right), [batch, -1]));
  if (a === b && a.kind === 'outer' && worthMaterialising(a.left, a.right)) {
    return selfProducts(reshape(matMul(wide(a.left), wide(a.right), { transposeA: true }), [batch, -1]));
  }
  const others = b.right.shape[1] as number;
  const products = mul(kernel(name, a, b), rowProducts(wide(flat(a.right)), wide(flat(b.right))));
  return reduceSum(reshape(products, [batch, tokens, batch, others]), [1, 3]);
}

/** a_s·b_t for all pairs of rows. */
const rowProducts = (a: Value, b: Value): Value => matMul(a, b, { transposeB: true });
const selfProducts = (rows: Value): Value => rowProducts(rows, rows);

/** All tokens of the batch one after the other: [batch · tokens, width]. */
const flat = (x: Value): Value => reshape(x, [(x.shape[0] as number) * (x.shape[1] as number), -1]);

/** The factor of the product of right_s and right_t: 0 if they go to different rows. */
function kernel(name: string, a: GradientTerm, b: GradientTerm): Value {
  if (a.kind === 'outer' && b.kind === 'outer') return rowProducts(wide(flat(a.left)), wide(flat(b.left)));
  if (a.kind === 'rows' && b.kind === 'rows') {
    return wide(equal(reshape(a.indices, [-1, 1]), reshape(b.indices, [1, -1])));
  }
  if (a.kind === 'outer' && b.kind === 'rows') return gather(wide(flat(a.left)), reshape(b.indices, [-1]), 1);
  if (a.kind === 'rows' && b.kind === 'outer') return transpose(kernel(name, b, a));
  throw new ArgumentError(
    `parameter ${name} is used in two ways whose gradients cannot be multiplied yet: leave it out of the trainable parameters`,
  );
}

/** Whether materialising the gradients costs less than all pairs of tokens, and they fit into memory. */
function worthMaterialising(left: Value, right: Value): boolean {
  const [batch, tokens, rows] = left.shape as [number, number, number];
  const width = right.shape[2] as number;
  const all = batch * tokens;
  const made = (all + batch * batch) * rows * width;
  return made < all * all * (rows + width) && 8 * batch * rows * width <= 2 ** 30;
}

/**
 * ⟨gᵢ, n⟩ over these parameters together, [batch]; `given` has one array per parameter, by its name. In float32: rounding adds
 * far less to the noise than the noise itself.
 */
export function productsWith(parameters: readonly ParameterTerms[], given: Readonly<Record<string, Value>>): Value {
  const products = parameters.flatMap(({ name, parameter, terms }) => {
    const numbers = given[name] as Value;
    return terms.map((term) => termProduct(term, parameter.shape.length === 1 ? reshape(numbers, [1, -1]) : numbers));
  });
  return products.reduce((sum, product) => add(sum, product));
}

/** `numbers` is [rows, width]. */
function termProduct(term: GradientTerm, numbers: Value): Value {
  const { right } = term;
  const tokens = right.shape[1] as number;
  const against = (other: Value) => reduceSum(mul(right, other), [1, 2]);
  switch (term.kind) {
    case 'outer':
      if ((numbers.shape[0] as number) > (numbers.shape[1] as number)) {
        return reduceSum(mul(term.left, matMul(right, numbers, { transposeB: true })), [1, 2]);
      }
      return against(matMul(term.left, numbers));
    case 'rows':
      return against(gather(numbers, term.indices));
    case 'sum':
      return against(sliceAxis(numbers, 0, term.row ?? 0, (term.row ?? 0) + 1));
    case 'each':
      return against(sliceAxis(numbers, 0, term.first, term.first + tokens));
  }
}
