// The figures of a release beside what it would be without noise. Seeds are fixed; each statistical test would fail one correct
// implementation in 10⁴.

import { describe, expect, it } from 'vitest';
import type { PlanOptions } from '../../src/mechanisms/index.js';
import { type Classifier, makePlan, type Plan } from '../../src/training/index.js';
import { makePrivateGradient } from '../../src/training/release.js';
import { makeRoot } from '../models/tiny-models.js';
import { CRITICAL_NORMAL } from '../random/statistics.js';
import { dot, flat, gradientsAlone, lengthOf, loadTiny, openTask, type Task, weightedTotal } from './tiny-task.js';

const root = makeRoot();
const model = await loadTiny(root, 'bert');
const examples = 20;
const steps = 600;
const planOf = (options: object): Plan =>
  makePlan({ examples, epochs: 1, batchSize: 10, ...options } as PlanOptions) as Plan;
const gaussian = { mechanism: 'gaussian', accountant: 'rdp' };

const openPooler = (): Promise<Task> => openTask(model, 'pooler+classifier', { count: examples });
const releaseOf = (plan: Plan, classifier: Classifier) =>
  makePrivateGradient({ plan, classifier, orderSeed: 1, insecureSeed: 'a', diagnose: true });

describe('the expected cosine', () => {
  it.each([
    ['gaussian', { ...gaussian, noiseMultiplier: 0.1, clipNorm: 0.3 }],
    ['gaussian, more noise', { ...gaussian, noiseMultiplier: 0.5 }],
    ['gaussian-normalised', { ...gaussian, mechanism: 'gaussian-normalised', noiseMultiplier: 0.1 }],
    ['directional', { mechanism: 'directional', concentration: 300, accountant: 'metric' }],
    ['directional, less noise', { mechanism: 'directional', concentration: 1000, accountant: 'metric' }],
  ])('is the mean of the measured ones: %s', async (_, options) => {
    const { classifier, parameters } = await openPooler();
    const release = releaseOf(planOf(options), classifier);
    const off: number[] = [];
    let [numbers, cosines] = [0, 0];
    for (let step = 0; step < steps; step++) {
      const { diagnostics, gradients } = await release(step, parameters);
      off.push((diagnostics?.cosineToSum as number) - (diagnostics?.expectedCosine as number));
      numbers = flat(gradients).length;
      cosines += (diagnostics?.expectedCosine as number) / steps;
    }
    await classifier.close();
    const mean = off.reduce((sum, one) => sum + one, 0) / steps;
    const deviation = Math.sqrt(off.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (steps - 1));
    // The formula takes the length of the noise as fixed, which moves the cosine by less than one part in K.
    expect(Math.abs(mean)).toBeLessThan((CRITICAL_NORMAL * deviation) / Math.sqrt(steps) + 1 / numbers);
    // Between the extremes, where any formula would be right.
    expect(cosines).toBeGreaterThan(0.1);
    expect(cosines).toBeLessThan(0.95);
  });
});

describe('the length of the sum', () => {
  it.each([
    [
      'clipped',
      { ...gaussian, noiseMultiplier: 1, clipNorm: 0.05, sampler: 'shuffled' },
      (x: number) => Math.min(1, 0.05 / x),
      0.05,
    ],
    ['normalised', { mechanism: 'directional', concentration: 10, accountant: 'metric' }, (x: number) => 1 / x, 1],
    ['plain', { mechanism: 'none' }, () => 1, 1],
  ] as const)('is in units of the clip norm: %s', async (_, options, factor, norm) => {
    const task = await openPooler();
    const plan = planOf({ ...options, batchSize: examples });
    const { diagnostics, gradients } = await releaseOf(plan, task.classifier)(0, task.parameters);
    const released = flat(gradients);
    const alone = await gradientsAlone(task, [...Array(examples).keys()]);
    await task.classifier.close();
    const [bounded, plain] = [weightedTotal(alone, factor), weightedTotal(alone, () => 1)];
    const cosine = (other: Float64Array) => dot(released, other) / lengthOf(released) / lengthOf(other);
    expect(diagnostics?.sumNorm).toBeCloseTo(lengthOf(bounded) / norm, 3);
    expect(diagnostics?.cosineToSum).toBeCloseTo(cosine(bounded), 4);
    expect(diagnostics?.cosineToGradient).toBeCloseTo(cosine(plain), 4);
    expect(diagnostics?.norm).toBeCloseTo(lengthOf(released), 5);
  });
});

describe('looking at a release', () => {
  it.each([
    ['gaussian', { ...gaussian, noiseMultiplier: 1 }, { sums: 1, clippedSums: 1, directionSums: 0 }],
    ['directional', { mechanism: 'directional', concentration: 10 }, { sums: 1, clippedSums: 1, directionSums: 1 }],
    ['none', { mechanism: 'none' }, { sums: 1, clippedSums: 0, directionSums: 0 }],
  ])('%s: changes nothing, and computes no sum twice', async (_, options, expected) => {
    const { classifier, parameters } = await openPooler();
    const calls = { sums: 0, clippedSums: 0, directionSums: 0 };
    const counted = { ...classifier };
    for (const name of Object.keys(calls) as (keyof typeof calls)[]) {
      const call = classifier[name] as (...given: unknown[]) => unknown;
      Object.assign(counted, {
        [name]: (...given: unknown[]) => {
          calls[name]++;
          return call(...given);
        },
      });
    }
    const plan = planOf(options);
    const seen = flat((await releaseOf(plan, counted)(3, parameters)).gradients);
    expect(calls).toEqual(expected);
    const unseen = makePrivateGradient({ plan, classifier, orderSeed: 1, insecureSeed: 'a' });
    expect(flat((await unseen(3, parameters)).gradients)).toEqual(seen);
    await classifier.close();
  });
});
