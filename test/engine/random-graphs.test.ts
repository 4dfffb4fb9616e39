// Random graphs: passes and serialising must not change the numbers, and gradients must be those of finite differences.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gradients, mul, reduceSum, type Value } from '../../src/engine/index.js';
import { graphOf, type Step, steps } from './random-graph.js';
import {
  alongDirection,
  expectClose,
  expectDerivative,
  randomLoss,
  roundingOf,
  runEngine,
  runNaive,
} from './support.js';

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as Step['kind'][])),
  pick: fc.nat(5),
  option: fc.nat(11),
  other: fc.nat(11),
});
const graph = fc.record({ list: fc.array(step, { minLength: 3, maxLength: 12 }), seed: fc.nat(1e6) });
const runs = { numRuns: 60, seed: 11 };

it.each([
  { dtype: 'f32', tolerance: 1e-5, roundings: 10 },
  { dtype: 'f64', tolerance: 1e-11, roundings: 0 },
] as const)('compiles random graphs and their gradients to what plain loops compute, $dtype', async (float) => {
  await fc.assert(
    fc.asyncProperty(graph, async (example) => {
      const { draw, outputs } = graphOf(example, float.dtype);
      const all = [...outputs, ...gradients(randomLoss(outputs, draw), draw.variables)];
      const expected = runNaive(all, draw);
      // Tanh and the like lose digits where they are flat.
      const slack = roundingOf(all, draw).map((distance) => float.roundings * distance);
      for (const optimize of [true, false]) {
        expectClose(await runEngine(all, draw.feeds, { optimize }), expected, float.tolerance, { slack });
      }
    }),
    runs,
  );
});

it('differentiates random graphs as finite differences do, once and twice', () => {
  fc.assert(
    fc.property(graph, (example) => {
      const { draw, outputs } = graphOf(example, 'f32');
      const loss = randomLoss(outputs, draw);
      expectDerivative(loss, draw.variables, draw, 1e-6);
      expectDerivative(alongDirection(loss, draw.variables, draw), draw.variables, draw, 1e-5);
    }),
    runs,
  );
});

it('takes a seed as weights of the outputs', () => {
  fc.assert(
    fc.property(graph, (example) => {
      const { draw, outputs } = graphOf(example, 'f32');
      const y = outputs.at(-1) as Value;
      const weights = draw.fixed(y);
      const slopes = gradients(y, draw.variables, weights);
      expectDerivative(reduceSum(mul(y, weights)), draw.variables, draw, 1e-6, slopes);
    }),
    runs,
  );
});

it('reaches every kind of step', () => {
  const kinds = fc.sample(graph, runs).flatMap(({ list }) => list.map(({ kind }) => kind));
  expect(new Set(kinds)).toEqual(new Set(Object.keys(steps)));
});
