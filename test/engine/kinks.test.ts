// Where finite differences say nothing: what gradients are at kinks and ties is a convention, and never NaN.

import { expect, it } from 'vitest';
import {
  abs,
  clip,
  gradients,
  input,
  max,
  min,
  reduceL2,
  reduceMax,
  relu,
  reshape,
  type Value,
} from '../../src/engine/index.js';
import { runEngine } from './support.js';

async function slopesAt(numbers: readonly number[], f: (x: Value) => Value): Promise<number[]> {
  const x = input('x', [numbers.length]);
  const [slopes] = await runEngine(gradients(f(x), [x]), { x: Float32Array.from(numbers) });
  return [...(slopes ?? [])].map((slope) => slope + 0); // -0 is 0
}

it('of equal operands each gets half', async () => {
  expect(await slopesAt([2], (x) => max(x, 2))).toEqual([0.5]);
  expect(await slopesAt([2], (x) => min(x, 2))).toEqual([0.5]);
  expect(await slopesAt([2], (x) => max(x, x))).toEqual([1]);
});

it('equal maxima share', async () => {
  expect(await slopesAt([3, 1, 3, 3], (x) => reduceMax(x))).toEqual([1 / 3, 0, 1 / 3, 1 / 3].map(Math.fround));
});

it('the norm of zeros has slope 0', async () => {
  expect(await slopesAt([0, 0, 3, 4], (x) => reduceL2(reshape(x, [2, 2]), [1]))).toEqual(
    [0, 0, 0.6, 0.8].map(Math.fround),
  );
});

it('abs and relu have slope 0 at 0', async () => {
  expect(await slopesAt([-1, 0, 1], abs)).toEqual([-1, 0, 1]);
  expect(await slopesAt([-1, 0, 1], relu)).toEqual([0, 0, 1]);
});

it('clip passes the gradient on at its bounds', async () => {
  expect(await slopesAt([-3, -2, 0, 1, 2], (x) => clip(x, { low: -2, high: 1 }))).toEqual([0, 1, 1, 1, 0]);
});
