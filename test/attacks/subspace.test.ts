// The span of planted gradients: all of it without noise, and under noise the rank and the share of signal that theory says.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findSubspace, type GradientView, type Subspace } from '../../src/attacks/index.js';
import { projectionsOf } from '../../src/attacks/span/first-block.js';
import { usable } from '../../src/attacks/span/subspace.js';
import { initializeReluTransformer, loadModel, type Model } from '../../src/models/index.js';
import { fillNormal, type SeededSource, seededSource } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((s, x, i) => s + x * (b[i] as number), 0);
const vectorsOf = ({ basis, values }: Subspace) => {
  const size = basis.length / values.length;
  return Array.from(values, (_, k) => basis.subarray(k * size, (k + 1) * size));
};
/** Orthonormal, by Gram and Schmidt. */
function orthonormal(source: SeededSource, count: number, size: number): Float64Array[] {
  const found: Float64Array[] = [];
  for (let k = 0; k < count; k++) {
    const vector = fillNormal(source.stream(k), new Float64Array(size));
    for (const other of found) {
      const along = dot(vector, other);
      for (let i = 0; i < size; i++) vector[i] = (vector[i] as number) - along * (other[i] as number);
    }
    const length = Math.hypot(...vector);
    found.push(vector.map((x) => x / length));
  }
  return found;
}

describe.each(['bert', 'gpt2'] as const)('the span of planted inputs in the gradients of tiny %s', (name) => {
  let model: Model;
  beforeAll(async () => {
    model = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
  });
  const count = 5;
  const inputs = Array.from({ length: count }, (_, k) =>
    fillNormal(seededSource('inputs').stream(k), new Float64Array(32)),
  );
  /** G = Σ x dᵀ, stored as the model stores the weight; `sizes` multiply the tensors. */
  const viewOf = (layer: 0 | 1, sizes: readonly number[] = []): GradientView => {
    const stored = projectionsOf(model, layer).map((weight, place): [string, Float32Array] => {
      const [rows, columns] = (model.parameters.get(weight)?.shape ?? []) as readonly number[] as [number, number];
      const outputs = name === 'bert' ? rows : columns;
      const slopes = inputs.map((_, k) => fillNormal(seededSource(`${weight} ${k}`), new Float64Array(outputs)));
      const entry = (output: number, from: number) =>
        inputs.reduce((sum, x, k) => sum + (x[from] as number) * (slopes[k]?.[output] as number), 0);
      const numbers = Float32Array.from({ length: rows * columns }, (_, i) => {
        const [row, column] = [Math.floor(i / columns), i % columns];
        return (sizes[place] ?? 1) * (name === 'bert' ? entry(row, column) : entry(column, row));
      });
      return [weight, numbers];
    });
    return { model, parameters: {}, gradients: Object.fromEntries(stored), noise: {}, batchSize: 1 };
  };

  it('is found with its rank, known or not, in either block', async () => {
    for (const layer of [0, 1] as const) {
      for (const [most, known] of [
        [count, true],
        [12, false],
      ] as const) {
        const found = await findSubspace(viewOf(layer), most, known, layer);
        expect(found.rank).toBe(count);
        const basis = vectorsOf(found).slice(0, count);
        for (const x of inputs) {
          const explained = basis.reduce((sum, u) => sum + dot(u, x) ** 2, 0) / dot(x, x);
          expect(explained).toBeCloseTo(1, 9);
        }
        const outside = fillNormal(seededSource('outside'), new Float64Array(32));
        expect(basis.reduce((sum, u) => sum + dot(u, outside) ** 2, 0) / dot(outside, outside)).toBeLessThan(0.6);
      }
    }
  });

  it('ends at the largest drop if the length is unknown and a little more than rounding is left', async () => {
    const view = viewOf(0);
    const gradients = Object.fromEntries(
      Object.entries(view.gradients).map(([key, numbers]) => {
        const dust = fillNormal(seededSource(`dust ${key}`), new Float32Array(numbers.length));
        return [key, numbers.map((x, i) => x + 1e-3 * (dust[i] as number))];
      }),
    );
    expect((await findSubspace({ ...view, gradients }, 12, false)).rank).toBe(count);
    expect((await findSubspace({ ...view, gradients }, 12, true)).rank).toBe(12);
  });

  it('does not depend on how large one tensor is beside another', async () => {
    const [plain, scaled] = [
      await findSubspace(viewOf(0), count, true),
      await findSubspace(viewOf(0, [1000, 0.01, 5]), count, true),
    ];
    for (const [k, value] of plain.values.entries()) expect(scaled.values[k]).toBeCloseTo(value, 5);
  });
});

describe('the span under noise', () => {
  // Three planted directions in 288 × 96 numbers; their singular values are these times √288 deviations of the noise.
  const [hidden, rows, strengths] = [96, 288, [4, 2.5, 1.6]];
  const model = initializeReluTransformer(seededSource('model'), { vocabulary: 10, intermediateSize: 8 });
  const rounds = 40;
  let [more, shares, cosines]: [number, number[], number[]] = [0, [0, 0, 0], [0, 0, 0]];
  const ranks: number[] = [];
  beforeAll(async () => {
    for (let round = 0; round < rounds; round++) {
      const source = seededSource(`round ${round}`);
      const [left, right] = [
        orthonormal(source.stream('left'), 3, rows),
        orthonormal(source.stream('right'), 3, hidden),
      ];
      const deviation = 0.02;
      const noisy = fillNormal(source.stream('noise'), new Float32Array(rows * hidden)).map((x, i) => {
        const [row, column] = [Math.floor(i / hidden), i % hidden];
        const signal = strengths.map((s, k) => s * (left[k]?.[row] as number) * (right[k]?.[column] as number));
        return deviation * (x + Math.sqrt(rows) * signal.reduce((sum, one) => sum + one));
      });
      const names = projectionsOf(model, 0);
      const view = {
        model,
        gradients: Object.fromEntries(
          names.map((name, i) => [name, noisy.slice(i * hidden ** 2, (i + 1) * hidden ** 2)]),
        ),
        noise: Object.fromEntries(names.map((name) => [name, deviation])),
      } as unknown as GradientView;
      const found = await findSubspace(view, 8, false);
      ranks.push(found.rank);
      if (found.rank > 3) more++;
      for (const [k, u] of vectorsOf(found).slice(0, 3).entries()) {
        shares[k] = (shares[k] as number) + (found.weights[k] as number) / rounds;
        cosines[k] = (cosines[k] as number) + dot(u, right[k] as Float64Array) ** 2 / rounds;
      }
    }
  });

  it('has the planted rank', () => {
    for (const rank of ranks) expect(rank).toBeGreaterThanOrEqual(3);
    // Noise alone passes its edge with a chance of 17 % (Tracy–Widom); 20 times in 40 once in a million.
    expect(more).toBeLessThan(20);
  });

  it('has weights near the true cos², smaller for weaker signals', () => {
    // Limits of large matrices, with an error of order one over the size.
    for (const k of [0, 1, 2]) expect(Math.abs((shares[k] as number) - (cosines[k] as number))).toBeLessThan(0.03);
    expect(cosines[0]).toBeGreaterThan(0.9);
    expect(shares[2]).toBeLessThan(shares[1] as number);
  });
});

describe('the weights of a usable span', () => {
  const made = (weights: readonly number[]): Subspace => ({
    basis: Float64Array.from({ length: 4 * weights.length }, (_, i) => i),
    weights: Float64Array.from(weights),
    values: new Float64Array(weights.length),
    rank: weights.filter((weight) => weight > 0).length,
  });

  it('are c / (c² + (1 − c)·count/size), by hand', () => {
    expect([...usable(made([1, 1])).weights]).toEqual([1, 1]);
    // .5 / (.25 + .5 · 2/4) and 1 / 1
    expect([...usable(made([1, 0.5])).weights]).toEqual([1, 1]);
    // .8 / (.64 + .2 · 1/4)
    expect(usable(made([0.8, 0])).weights[0]).toBeCloseTo(0.8 / 0.69, 12);
  });

  it('leave out vectors of noise, except the first if there is no other', () => {
    expect([...usable(made([0.8, 0, 0])).basis]).toEqual([0, 1, 2, 3]);
    const none = usable(made([0, 0]));
    expect([[...none.basis], [...none.weights]]).toEqual([[0, 1, 2, 3], [1]]);
  });
});
