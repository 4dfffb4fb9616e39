// Whole layers: values, all first derivatives, and second derivatives of the kind that gradient matching needs.

import { describe, expect, it } from 'vitest';
import { add, gradients, mul, reduceSum } from '../../src/engine/index.js';
import { Draw } from './draw.js';
import { causalLayer, encoderLayer, unrolledLstm } from './example-models.js';
import { expectClose, expectDerivative, runEngine, runNaive } from './support.js';

describe.each([
  { name: 'a transformer encoder layer', build: encoderLayer },
  { name: 'a causal layer with the tanh form of GELU', build: causalLayer },
  { name: 'an LSTM cell over three steps', build: unrolledLstm },
])('$name', ({ build }) => {
  const draw = new Draw(7, 'f32');
  const { loss, chosen } = build(draw);
  const first = gradients(loss, draw.variables);
  // Σ weight∘gradient²
  const penalty = first
    .map((gradient) => reduceSum(mul(draw.fixed(gradient, 0.5, 1.5), mul(gradient, gradient))))
    .reduce((sum, term) => add(sum, term));
  const second = gradients(penalty, chosen);

  it('has the first derivatives of finite differences', () => {
    expectDerivative(loss, draw.variables, draw, 1e-6);
  });

  it('has the second derivatives of finite differences', () => {
    for (const x of chosen) expectDerivative(penalty, [x], draw, 1e-5);
  });

  it.each([{ optimize: true }, { optimize: false }])(
    'computes all of them as plain loops do, passes: $optimize',
    async (options) => {
      const outputs = [loss, ...first, penalty, ...second];
      const expected = runNaive(outputs, draw);
      expect(expected.flatMap((numbers) => [...numbers]).every(Number.isFinite)).toBe(true);
      expectClose(await runEngine(outputs, draw.feeds, options), expected, 5e-6, { least: 0.01 });
    },
  );
});
