// The oracle against numbers known from elsewhere.

import { expect, it } from 'vitest';
import { add, apply, constant, gather, matMul, ops, softmax, type Value } from '../../src/engine/index.js';
import { evaluate } from './naive/evaluate.js';
import { erf, exactGelu, tanhGelu } from './naive/special.js';

// From Python's math.erf; the first ten digits are also in Abramowitz & Stegun, table 7.1.
it.each([
  [0.1, 0.1124629160182849],
  [0.5, 0.5204998778130465],
  [1, 0.8427007929497149],
  [2, 0.9953222650189527],
  [3, 0.9999779095030014],
  [5.5, 0.9999999999999927],
])('erf %f', (x, expected) => {
  expect(Math.abs(erf(x) - expected)).toBeLessThan(1e-15);
  expect(erf(-x)).toBe(-erf(x));
});

it('knows both forms of GELU at 1', () => {
  expect(exactGelu(1)).toBeCloseTo(0.8413447460685429, 14); // Φ(1)
  expect(tanhGelu(1)).toBeCloseTo(0.8411919906082768, 14);
});

it('computes small graphs that can be checked by hand', () => {
  const a = constant([1, 2, 3, 4], [2, 2]);
  const product = matMul(a, a, { transposeB: true, scale: 2 });
  expect(evaluate([product], {})[0]?.data).toEqual(Float64Array.of(10, 22, 22, 50));
  expect(evaluate([add(a, constant([10, 20]))], {})[0]?.data).toEqual(Float64Array.of(11, 22, 13, 24));
  expect(evaluate([gather(a, constant([1, 1], [2], 'i64'), 1)], {})[0]?.data).toEqual(Float64Array.of(2, 2, 4, 4));
  const shares = evaluate([softmax(constant([0, Math.log(3)], [2], 'f64'))], {})[0]?.data;
  expect(shares?.[1]).toBeCloseTo(0.75, 14);
});

it('normalises a line to mean 0 and variance 1', () => {
  const gainAndShift = [constant([1, 1]), constant([0, 0])];
  const outputs = apply(ops.LayerNormalization, [constant([1, 5]), ...gainAndShift], { epsilon: 0 }).outputs;
  expect(evaluate(outputs as Value[], {}).map(({ data }) => [...data])).toEqual([[-1, 1], [3], [0.5]]);
});
