// Start here: what the parts do, in the order in which they build on one another.

import { expect, it } from 'vitest';
import { compile, crossEntropy, gradients, input, matMul, mul, reduceSum, type Value } from '../src/engine/index.js';
import { bertBlock, makeLayers } from '../src/models/index.js';
import { fillNormal, permutation, seededSource } from '../src/random/index.js';

it('random: a seed and a name give the same numbers everywhere', () => {
  const run = seededSource(7);
  const [a, b] = [new Float32Array(4), new Float32Array(4)];
  fillNormal(run.stream('noise'), a);
  fillNormal(seededSource(7).stream('noise'), b);
  expect(a).toEqual(b);
  expect([...permutation(run.stream('order'), 5)].sort()).toEqual([0, 1, 2, 3, 4]);
});

it('engine: values make a graph, gradients are more of it, a program runs it', async () => {
  const x = input('x', [3]);
  const cube = mul(mul(x, x), x);
  const [slope] = gradients(cube, [x]) as [Value]; // 3x²
  const [bend] = gradients(slope, [x]) as [Value]; // 6x
  const program = await compile({ slope, bend });
  const result = await program.run({ x: Float32Array.of(1, 2, 3) });
  expect(result).toEqual({ slope: Float32Array.of(3, 12, 27), bend: Float32Array.of(6, 12, 18) });
  await program.close();
});

it('models: a transformer block over the engine, with a loss for each example', async () => {
  const sizes = { hidden: 8, heads: 2, intermediateSize: 16, epsilon: 1e-12 };
  const feeds: Record<string, Float32Array | BigInt64Array> = {};
  const parameter = (name: string, shape: readonly number[]) => {
    const array = new Float32Array(shape.reduce((a, b) => a * b, 1));
    fillNormal(seededSource(1).stream(name), array, { standardDeviation: 0.1 });
    feeds[name] = array;
    return input(name, shape);
  };
  const x = parameter('x', [2, 3, 8]);
  const layers = makeLayers(parameter);
  const states = bertBlock('block', x, sizes, layers); // [batch, tokens, hidden]
  expect(layers.traces.filter(({ kind }) => kind === 'linear').length).toBe(6); // every layer says what it did
  const logits = matMul(reduceSum(states, [1]), parameter('head', [8, 2]));
  const losses = crossEntropy(logits, input('labels', [2], 'i64'));
  const program = await compile({ losses, slope: gradients(losses, [x])[0] as Value });
  const result = await program.run({ ...feeds, labels: BigInt64Array.of(0n, 1n) });
  expect(result.losses.length).toBe(2);
  expect(result.slope.some((number) => number !== 0)).toBe(true);
  await program.close();
});
