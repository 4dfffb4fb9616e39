// Cross-entropy against its definition, and its gradient against softmax minus target.

import { describe, expect, it } from 'vitest';
import { compile, crossEntropy, gradients, input, softCrossEntropy, type Value } from '../../src/engine/index.js';

const [examples, classes] = [3, 4];
const logits = Float32Array.from({ length: examples * classes }, (_, i) => 3 * Math.sin(1 + 2.3 * i));
const rows = Array.from({ length: examples }, (_, i) => [...logits.subarray(i * classes, (i + 1) * classes)]);
const probabilities = rows.map((row) => {
  const total = row.reduce((sum, x) => sum + Math.exp(x), 0);
  return row.map((x) => Math.exp(x) / total);
});

async function check(loss: Value, x: Value, targets: Record<string, Float32Array | BigInt64Array>, soft: number[][]) {
  const program = await compile({ loss, slope: gradients(loss, [x])[0] as Value });
  const result = await program.run({ x: logits, ...targets });
  await program.close();
  expect(loss.shape).toEqual([examples]);
  for (const [i, row] of probabilities.entries()) {
    const target = soft[i] as number[];
    const expected = -row.reduce((sum, p, j) => sum + (target[j] as number) * Math.log(p), 0);
    expect(Number(result.loss[i])).toBeCloseTo(expected, 5);
    const mass = target.reduce((a, b) => a + b);
    for (const [j, p] of row.entries()) {
      expect(Number(result.slope[i * classes + j])).toBeCloseTo(mass * p - (target[j] as number), 5);
    }
  }
}

describe('cross-entropy', () => {
  const x = input('x', [examples, classes]);

  it('with class numbers is one loss per example', async () => {
    const targets = [2, 0, 3];
    const loss = crossEntropy(x, input('targets', [examples], 'i64'));
    const hot = targets.map((target) => Array.from({ length: classes }, (_, j) => Number(j === target)));
    await check(loss, x, { targets: BigInt64Array.from(targets, BigInt) }, hot);
  });

  it('with distributions as targets, which need not sum to one', async () => {
    const soft = [
      [0.1, 0.2, 0.3, 0.4],
      [1, 0, 0, 0],
      [0.5, 0.25, 0, 0],
    ];
    const loss = softCrossEntropy(x, input('targets', [examples, classes]));
    await check(loss, x, { targets: Float32Array.from(soft.flat()) }, soft);
  });

  it('stays finite for large logits', async () => {
    const big = input('x', [1, 2]);
    const program = await compile({ loss: crossEntropy(big, input('targets', [1], 'i64')) });
    const { loss } = await program.run({ x: Float32Array.of(1000, -1000), targets: BigInt64Array.of(1n) });
    expect(Number(loss[0])).toBeCloseTo(2000, 3);
    await program.close();
  });
});
