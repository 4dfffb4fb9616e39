// What gradients of feed-forwards give away, on gradients computed by hand from planted tokens.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findJumps } from '../../src/attacks/decepticons/jumps.js';
import { readRows } from '../../src/attacks/decepticons/rows.js';
import type { Malicious } from '../../src/attacks/index.js';
import { initializeReluTransformer, loadModel, type ModelCore } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const relu = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 50,
  hidden: 32,
  heads: 4,
  intermediateSize: 20,
});
const gpt2 = await loadModel(await writeTiny(join(makeRoot(), 'gpt2'), 'gpt2'), { numLabels: 2, newHead: true });
const draw = (name: string, size: number) => fillNormal(seededSource('rows').stream(name), new Float64Array(size));

interface Token {
  /** Above so many thresholds of all feed-forwards together. */
  readonly above: number;
  readonly slope: number;
  readonly input: Float64Array;
}
const hidden = 32;
const tokenOf = (above: number, slope: number): Token => ({ above, slope, input: draw(`token ${above}`, hidden) });

/** Unit j of layer l sums slope · (input, 1) over the tokens above its threshold; two layers share one threshold. */
function gradientsOf(model: ModelCore, tokens: readonly Token[]): Record<string, Float32Array> {
  const units = model.config.intermediateSize;
  const gradients: Record<string, Float32Array> = {};
  for (const [layer, { intermediate }] of model.layout.blocks.entries()) {
    const [weights, biases] = [new Float32Array(units * hidden), new Float32Array(units)];
    for (let unit = 0; unit < units; unit++) {
      for (const { above, slope, input } of tokens) {
        if (above <= layer * (units - 1) + unit) continue;
        biases[unit] = (biases[unit] as number) + slope;
        for (const [i, x] of input.entries()) {
          const at = intermediate.transposed ? unit * hidden + i : i * units + unit;
          weights[at] = (weights[at] as number) + slope * x;
        }
      }
    }
    Object.assign(gradients, { [intermediate.weight]: weights, [intermediate.bias]: biases });
  }
  return gradients;
}
const read = (model: ModelCore, tokens: readonly Token[], rows: 'smallest' | 'largest' | 'jumps', count: number) => {
  const thresholds = model.layout.blocks.map(() => new Float64Array(model.config.intermediateSize));
  const malicious = { settings: { rows }, thresholds } as unknown as Malicious;
  return readRows({ model, gradients: gradientsOf(model, tokens) }, malicious, count);
};
const cosine = (a: Float64Array, b: Float64Array) =>
  a.reduce((sum, x, i) => sum + x * (b[i] as number), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe.each([
  ['the ReLU transformer', relu],
  ['tiny GPT-2', gpt2],
])('rows from the feed-forwards of %s', (_, model) => {
  const all = (model.config.intermediateSize - 1) * model.config.layers + 1;
  // In the first feed-forward, in the next, and above every threshold, where only the last unit sees it.
  const tokens = [tokenOf(3, 0.5), tokenOf(12, -2), tokenOf(model.config.intermediateSize + 4, 1), tokenOf(all, 0.7)];

  it('are the inputs of the tokens, of the size of their slopes', () => {
    const rows = read(model, tokens, 'largest', 4);
    expect(rows.map(({ size }) => size)).toEqual([2, 1, 0.7, 0.5].map((size) => expect.closeTo(size, 5)));
    const bySize = [1, 2, 3, 0].map((place) => tokens[place] as Token);
    for (const [place, { vector }] of rows.entries())
      for (const [i, x] of vector.entries()) expect(x).toBeCloseTo(bySize[place]?.input[i] as number, 4);
  });

  it('are the largest or the smallest if there are more rows than tokens', () => {
    const sizes = (rows: 'smallest' | 'largest') => read(model, tokens, rows, 2).map(({ size }) => size);
    expect(sizes('largest')).toEqual([expect.closeTo(2, 5), expect.closeTo(1, 5)]);
    expect(sizes('smallest')).toEqual([expect.closeTo(0.7, 5), expect.closeTo(0.5, 5)]);
  });

  it('are the same as jumps, except for their length', () => {
    const rows = read(model, tokens, 'jumps', 4);
    expect(rows).toHaveLength(4);
    for (const { input } of tokens)
      expect(Math.max(...rows.map(({ vector }) => Math.abs(cosine(vector, input))))).toBeCloseTo(1, 6);
    // The step of (input, 1) times the slope.
    const longest = Math.max(...tokens.map(({ slope, input }) => Math.abs(slope) * Math.hypot(...input, 1)));
    expect(rows[0]?.size).toBeCloseTo(longest, 4);
  });
});

describe('jumps', () => {
  it('cut where the variance within the parts is least, as found by trying every cut', () => {
    const [units, width] = [12, 3];
    for (let round = 0; round < 10; round++) {
      const rows = draw(`cut ${round}`, units * width);
      const row = (unit: number) =>
        unit < units ? rows.subarray(unit * width, (unit + 1) * width) : new Float64Array(width);
      const mean = (from: number, to: number) =>
        row(0).map(
          (_, i) =>
            Array.from({ length: to - from }, (_, k) => row(from + k)[i] as number).reduce((a, b) => a + b) /
            (to - from),
        );
      const spread = (from: number, to: number) => {
        const middle = mean(from, to);
        return Array.from({ length: to - from }, (_, k) =>
          row(from + k).reduce((s, x, i) => s + (x - (middle[i] as number)) ** 2, 0),
        ).reduce((a, b) => a + b);
      };
      // A row of zeros stands after the last.
      const cuts = Array.from({ length: units }, (_, k) => k + 1);
      const best = cuts.reduce((a, b) =>
        spread(0, b) + spread(b, units + 1) < spread(0, a) + spread(a, units + 1) ? b : a,
      );
      const [found] = findJumps([{ rows, width }], 1);
      const step = mean(0, best).map((x, i) => x - (mean(best, units + 1)[i] as number));
      for (const [i, x] of step.entries()) expect(found?.[i]).toBeCloseTo(x, 10);
    }
  });

  it('are none where nothing changes', () => {
    expect(findJumps([{ rows: new Float64Array(30), width: 3 }], 4)).toEqual([]);
  });
});
