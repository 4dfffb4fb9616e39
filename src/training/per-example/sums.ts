// Σᵢ cᵢ·gᵢ over the batch: as many products as the plain gradient has, and the factors on the smaller operand.

import { add, matMul, mul, pad, reshape, scatterRows, type Value } from '../../engine/index.js';
import type { GradientTerm, ParameterTerms } from './gradient-terms.js';
import { tokenSum } from './norms.js';

/** `factors` is [batch]. */
export function weightedSum({ parameter, terms }: ParameterTerms, factors: Value): Value {
  return terms.map((form) => formSum(form, parameter, factors)).reduce((sum, part) => add(sum, part));
}

function formSum(form: GradientTerm, parameter: Value, factors: Value): Value {
  const { right } = form;
  const [batch, tokens, width] = right.shape as [number, number, number];
  const each = reshape(factors, [batch, 1, 1]);
  const flat = (x: Value) => reshape(x, [batch * tokens, -1]);
  const row = reshape(factors, [1, batch]);
  switch (form.form) {
    case 'outer': {
      const rows = form.left.shape[2] as number;
      const [left, other] = rows < width ? [mul(form.left, each), right] : [form.left, mul(right, each)];
      return matMul(flat(left), flat(other), { transposeA: true });
    }
    case 'rows':
      return scatterRows(parameter, form.indices, mul(right, each));
    case 'sum': {
      const sum = matMul(row, tokenSum(right)); // [1, width]
      if (form.row === undefined) return reshape(sum, parameter.shape);
      return placeRows(sum, parameter, form.row);
    }
    case 'each':
      return placeRows(reshape(matMul(row, reshape(right, [batch, -1])), [tokens, width]), parameter, 0);
  }
}

/** These rows, zeros before and after. */
function placeRows(rows: Value, parameter: Value, first: number): Value {
  const after = (parameter.shape[0] as number) - first - (rows.shape[0] as number);
  return first + after === 0 ? rows : pad(rows, [first, 0], [after, 0]);
}
