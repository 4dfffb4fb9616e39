// How releases of each plan are read: bound, noise, rate and rounds, on gradients that are orthogonal, where the answer is known in closed form.

import { describe, expect, it } from 'vitest';
import { observeTraining } from '../../src/attacks/world/insight.js';
import { meanCosine } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { WantedProducts } from '../../src/training/gradient-products.js';
import { makePlan, type Trainer } from '../../src/training/index.js';

/** Six candidates; the gradient of each has numbers of its own only, and a length of its own. */
const [count, numbers] = [6, 60];
const lengths = Array.from({ length: count }, (_, i) => 0.5 + i);
const trainer = {
  gradientProducts: async (_: unknown, indices: readonly number[], { given: { w } }: WantedProducts) => [
    {
      squares: Float64Array.from(indices, (i) => (lengths[i] as number) ** 2),
      products: Float64Array.from(indices, (i) => (lengths[i] as number) * ((w as Float32Array)[i] as number)),
      gram: Float64Array.from(indices.flatMap((i) => indices.map((j) => (i === j ? (lengths[i] as number) ** 2 : 0)))),
    },
  ],
} as unknown as Trainer;

/** Three members in batches of two: the second batch of an epoch has one. */
const sizes = { examples: 3, epochs: 2, batchSize: 2 };
const concentration = 500;

const cases = {
  directional: {
    plan: makePlan({ mechanism: 'directional', concentration, ...sizes }),
    // Scaled to length 1; the sum shrinks, and each draw of the batch adds noise.
    law: (_: number, members: number) => {
      const shrink = meanCosine({ dimension: numbers, concentration });
      return { length: shrink, deviation: Math.sqrt((members * (1 - shrink ** 2)) / numbers) };
    },
  },
  gaussian: {
    plan: makePlan({ mechanism: 'gaussian', noiseMultiplier: 0.7, clipNorm: 2, sampler: 'shuffled', ...sizes }),
    law: (length: number) => ({ length: Math.min(2, length), deviation: 1.4 }),
  },
} as const;

describe('reading releases', () => {
  it.each(['directional', 'gaussian'] as const)(
    '%s: as bound, noise, batch sizes and epochs of the plan say',
    async (name) => {
      const { plan, law } = cases[name];
      const random = seededSource(name);
      const observer = observeTraining({
        trainer,
        plan,
        need: { steps: plan.steps },
        candidates: [0, 1, 2, 3, 4, 5],
        random: random.stream('order'),
      });
      const expected = new Float64Array(count);
      let ofEpoch = new Float64Array(count);
      for (let step = 0; step < plan.steps; step++) {
        const members = step % 2 === 0 ? 2 : 1;
        const sum = fillNormal(random, new Float64Array(numbers));
        const w = Float32Array.from(sum, (x) => x / members);
        await observer.onRelease({ step, parameters: {}, gradients: { w }, divisor: members });
        for (let i = 0; i < count; i++) {
          const { length, deviation } = law(lengths[i] as number, members);
          const nats = (length * members * (w[i] as number) - length ** 2 / 2) / deviation ** 2;
          ofEpoch[i] = (ofEpoch[i] as number) + (members / 3) * Math.exp(nats);
        }
        if (step % 2 === 0) continue;
        for (let i = 0; i < count; i++) expected[i] = (expected[i] as number) + Math.log(ofEpoch[i] as number);
        ofEpoch = new Float64Array(count);
      }
      const { evidence, gradientNorms } = await observer.insight({ w: new Float32Array(numbers) });
      for (const [i, nats] of expected.entries()) expect(evidence[i]).toBeCloseTo(nats, 5);
      expect([...gradientNorms]).toEqual(lengths);
    },
  );
});
