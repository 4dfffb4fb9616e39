// The label that the gradient of the classifier's bias shows: against a naive softmax, under noise with a stated false-alarm rate, and on a tiny model.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GradientView } from '../../src/attacks/index.js';
import { openClient } from '../../src/attacks/index.js';
import { labelInBias } from '../../src/attacks/likelihood/label.js';
import { fillNormal, integerBelow, seededSource } from '../../src/random/index.js';
import { openTiny } from './likelihood-models.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-label-'));
afterAll(() => rmSync(root, { recursive: true }));

const viewOf = (slopes: ArrayLike<number>, deviation: number) =>
  ({
    model: { layout: { classifierBias: 'bias' } },
    gradients: { bias: Float32Array.from(slopes) },
    noise: { bias: deviation },
  }) as unknown as GradientView;

/** p − e of a naive softmax. */
function slopesOf(logits: readonly number[], label: number): number[] {
  const weights = logits.map((one) => Math.exp(one));
  const sum = weights.reduce((total, one) => total + one, 0);
  return weights.map((one, k) => one / sum - (k === label ? 1 : 0));
}

describe('the gradient of the classifier’s bias', () => {
  const random = seededSource('logits');
  const cases = Array.from({ length: 300 }, (_, k) => {
    const count = 2 + (k % 4);
    return { logits: [...fillNormal(random, new Float64Array(count))], label: integerBelow(random, count) };
  });

  it('shows the label without noise, for any number of classes', () => {
    for (const { logits, label } of cases) expect(labelInBias(viewOf(slopesOf(logits, label), 0))).toBe(label);
  });

  it('shows it or says nothing under noise: 300 cases, of which a wrong one comes up in one of 10,000 runs', () => {
    let silent = 0;
    for (const { logits, label } of cases) {
      const noise = fillNormal(random, new Float64Array(logits.length), { standardDeviation: 0.1 });
      const found = labelInBias(
        viewOf(
          slopesOf(logits, label).map((one, k) => one + (noise[k] as number)),
          0.1,
        ),
      );
      if (found === undefined) silent++;
      else expect(found).toBe(label);
    }
    expect(silent).toBeGreaterThan(0);
    expect(silent).toBeLessThan(200);
  });

  it('says nothing of pure noise, of one class, and where it is not shared', () => {
    for (let k = 0; k < 200; k++)
      expect(labelInBias(viewOf(fillNormal(random, new Float64Array(3)), 1))).toBeUndefined();
    expect(labelInBias(viewOf([-1], 0))).toBeUndefined();
    expect(labelInBias({ ...viewOf([-1, 1], 0), gradients: {} })).toBeUndefined();
  });

  it('shows the label of a client’s sentence', async () => {
    const { model, shared } = await openTiny(root, 'bert', 'class');
    const client = await openClient({ model, data: { inputIds: [[2, 5, 6, 3]], labels: [2] }, shared });
    const { view } = await client.share([0], { mechanism: 'none' }, random);
    expect(labelInBias(view)).toBe(2);
    await client.close();
  });
});
