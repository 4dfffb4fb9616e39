// Norms, inner products and weighted sums of per-example gradients against gradients of batches of one, for random
// architectures, lengths and subsets of trainable parameters.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concat, gradients, input, reshape, type Value } from '../../src/engine/index.js';
import {
  gradientTerms,
  gramMatrix,
  productsWith,
  squaredNorms,
  weightedSum,
} from '../../src/training/per-example/index.js';
import { evaluate } from '../engine/naive/evaluate.js';
import { anySizes, builds, drawFeeds, numbersFor, openRandom, rowsOfExample } from '../models/random-models.js';

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

describe.each(Object.entries(builds))('per-example gradients of a random %s', (_, buildWith) => {
  it.each(['classification', 'lm'] as const)(
    '%s: norms, Gram matrix, products and sums are those of batches of one',
    (use) => {
      fc.assert(
        fc.property(anySizes, fc.integer({ min: 1, max: 100 }), (sizes, share) => {
          const { config, lengths, tokens, seed } = sizes;
          const batch = lengths.length;
          const whole = openRandom(buildWith(config), use, { batch, tokens });
          const { weights, rows } = drawFeeds(sizes, use, whole.parameters);
          const all = Object.keys(whole.parameters);
          const chosen = all.filter((_, i) => (numbersFor('chosen', seed, all.length)[i] as number) * 100 < share);
          const names = chosen.length > 0 ? chosen : all.slice(-1);
          const trained = Object.fromEntries(names.map((name) => [name, whole.parameters[name] as Value]));

          const forms = gradientTerms(whole.loss, whole.traces, trained);
          const noise = Object.fromEntries(
            names.map((name) => [name, input(`noise ${name}`, trained[name]?.shape ?? [])]),
          );
          const factors = input('factors', [batch]);
          const sums = forms.map((form) => reshape(weightedSum(form, factors), [-1]));
          const given: Record<string, number[]> = Object.fromEntries(
            names.map((name) => [`noise ${name}`, (weights[name] as number[]).map((x) => Math.sin(9 * x))]),
          );
          const c = numbersFor('factors', seed, batch);
          const { squares, bounds } = squaredNorms(forms);
          const [norms, most, gram, products, sum] = evaluate(
            [squares, bounds, gramMatrix(forms), productsWith(forms, noise), concat(sums, 0)],
            { ...weights, ...rows, ...given, factors: c },
          ).map(({ data }) => [...data]) as [number[], number[], number[], number[], number[]];

          const one = openRandom(buildWith(config), use, { batch: 1, tokens });
          const slopes = gradients(
            one.loss,
            names.map((name) => one.parameters[name] as Value),
          );
          const truth = Array.from({ length: batch }, (_, example) =>
            evaluate(slopes, { ...weights, ...rowsOfExample(rows, batch, example) }).flatMap(({ data }) => [...data]),
          );
          const n = names.flatMap((name) => given[`noise ${name}`] as number[]);
          const scale = 1 + Math.max(...truth.map((g) => dot(g, g)));
          for (const [i, own] of truth.entries()) {
            expect(Math.abs((norms[i] as number) - dot(own, own)) / scale).toBeLessThan(1e-10);
            // Room for float32, which this evaluation in float64 does not need.
            expect(most[i]).toBeGreaterThanOrEqual(dot(own, own));
            expect(Math.abs((products[i] as number) - dot(own, n)) / scale).toBeLessThan(1e-10);
            for (const [j, other] of truth.entries()) {
              expect(Math.abs((gram[i * batch + j] as number) - dot(own, other)) / scale).toBeLessThan(1e-10);
            }
          }
          const expected = n.map((_, at) =>
            truth.reduce((total, g, i) => total + (c[i] as number) * (g[at] as number), 0),
          );
          const wrong = expected.map((x, at) => Math.abs(x - (sum[at] as number)));
          expect(Math.max(...wrong) / scale).toBeLessThan(1e-10);
        }),
        { numRuns: 15, seed: 6 },
      );
    },
  );
});
