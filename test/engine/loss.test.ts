// Cross-entropy against its definition, and its gradient against softmax minus target.

import { describe, expect, it } from 'vitest';
import {
  compile,
  crossEntropy,
  gradients,
  input,
  scaledSlopes,
  softCrossEntropy,
  type Value,
} from '../../src/engine/index.js';

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

/** Probabilities of all but the target in float64, as logarithms: log p_j = z_j − z_t − log(1 + Σ e^(z_j − z_t)). */
function logOthers(row: readonly number[], target: number): number[] {
  const gaps = row.map((z) => z - (row[target] as number));
  const most = Math.max(...gaps);
  const total = most + Math.log(gaps.reduce((sum, gap) => sum + Math.exp(gap - most), 0));
  return gaps.map((gap) => gap - total);
}

describe('slopes of a sure model', () => {
  // Margins between the target's logit and the others, which float32 holds exactly.
  const margins = [0, 1, 5, 12, 17, 20, 38, 60, 85, 120, 200];
  const row = (margin: number) => [margin, 0, -0.5, -3];
  const feeds = (targets: readonly bigint[]) => ({
    x: Float32Array.from(margins.flatMap(row)),
    targets: BigInt64Array.from(targets),
  });
  const x = input('x', [margins.length, 4]);
  const targets = input('targets', [margins.length], 'i64');

  it.each([0, 1])(
    'of class %i: the true ones are exact as far as float32 reaches, the scaled ones at any margin',
    async (target) => {
      const slope = gradients(crossEntropy(x, targets), [x])[0] as Value;
      const program = await compile({ slope, scaled: scaledSlopes(x, targets) });
      const result = await program.run(feeds(margins.map(() => BigInt(target))));
      await program.close();
      for (const [place, margin] of margins.entries()) {
        const logs = logOthers(row(margin), target);
        const others = logs.flatMap((log, j) => (j === target ? [] : [log]));
        const most = Math.max(...others);
        for (const [kind, scale] of [
          ['slope', 0],
          ['scaled', most],
        ] as const) {
          if (kind === 'slope' && most < -85) continue;
          const found = [...(result[kind] as Float32Array)].slice(4 * place, 4 * place + 4);
          for (const [j, log] of logs.entries()) {
            // Beside the largest slopes, smaller ones may underflow.
            if (j !== target && log - scale < -85) continue;
            const expected =
              j === target ? -others.reduce((sum, one) => sum + Math.exp(one - scale), 0) : Math.exp(log - scale);
            expect(Math.abs((found[j] as number) / expected - 1), `${kind} ${j} at ${margin}`).toBeLessThan(2e-5);
          }
        }
      }
    },
  );

  it('scaled: one factor for all targets of an example', async () => {
    const wide = input('x', [2, 3, 4]);
    const wanted = input('targets', [2, 3], 'i64');
    const program = await compile({ scaled: scaledSlopes(wide, wanted) });
    const rows = [row(0), row(30), row(50), row(100), row(90), row(95)];
    const { scaled } = await program.run({ x: Float32Array.from(rows.flat()), targets: new BigInt64Array(6) });
    await program.close();
    for (const example of [0, 1]) {
      const logs = rows.slice(3 * example, 3 * example + 3).map((one) => logOthers(one, 0).slice(1));
      const most = Math.max(...logs.flat());
      for (const [token, others] of logs.entries()) {
        const found = [...(scaled as Float32Array)].slice(12 * example + 4 * token, 12 * example + 4 * token + 4);
        for (const [j, log] of others.entries()) expect(found[j + 1]).toBeCloseTo(Math.exp(log - most), 5);
        expect(found[0]).toBeCloseTo(-others.reduce((sum, log) => sum + Math.exp(log - most), 0), 5);
      }
    }
  });
});
