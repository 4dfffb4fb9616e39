// Σᵢ cᵢ·gᵢ over the batch, with as many products as the plain gradient; the factors multiply the smaller operand.

import { add, matMul, mul, pad, reshape, scatterRows, type Value } from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';
import { tokenSum } from './norms.js';

/** Σᵢ cᵢ·gᵢ of one parameter; `factors` is [batch]. */
export function weightedSum({ parameter, terms }: ParameterTerms, factors: Value): Value {
  return terms.map((term) => termSum(term, parameter, factors)).reduce((total, sum) => add(total, sum));
}

function termSum(term: GradientTerm, parameter: Value, factors: Value): Value {
  const { right } = term;
  const [batch, tokens, width] = right.shape as [number, number, number];
  const each = reshape(factors, [batch, 1, 1]);
  const flat = (x: Value) => reshape(x, [batch * tokens, -1]);
  const row = reshape(factors, [1, batch]);
  switch (term.kind) {
    case 'outer': {
      const rows = term.left.shape[2] as number;
      const [left, other] = rows < width ? [mul(term.left, each), right] : [term.left, mul(right, each)];
      return matMul(flat(left), flat(other), { transposeA: true });
    }
    case 'rows':
      return scatterRows(parameter, term.indices, mul(right, each));
    case 'sum': {
      const sum = matMul(row, tokenSum(right)); // [1, width]
      if (term.row === undefined) return reshape(sum, parameter.shape);
      return placeRows(sum, parameter, term.row);
    }
    case 'each':
      return placeRows(reshape(matMul(row, reshape(right, [batch, -1])), [tokens, width]), parameter, term.first);
  }
}

/** These rows with zeros before and after. */
function placeRows(rows: Value, parameter: Value, first: number): Value {
  const after = (parameter.shape[0] as number) - first - (rows.shape[0] as number);
  return first + after === 0 ? rows : pad(rows, [first, 0], [after, 0]);
}
