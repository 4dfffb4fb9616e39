// An audit of the trainer in use: many short runs with and without one example, and the lower bound on ε that they prove. The
// bound exceeds the true ε with probability at most 10⁻⁴; seeds are fixed, so the result is always the same.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type EmpiricalBound, lowerBoundEpsilon } from '../../src/mechanisms/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { type LabelledExamples, makePlan, type Plan, sgd, trainClassifier } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';
import { dot, flat, gradientsAlone, lengthOf, openTask, readParameters, sentences } from './tiny-task.js';

const root = makeRoot();
/** So sure of class 0 that its examples have no gradient at all: relabelling an example takes it away. */
const model = await loadModel(
  await writeTiny(join(root, 'bert'), 'bert', {
    change: (tensors) => {
      tensors['classifier.bias'] = { shape: [2], data: Float32Array.of(300, 0) };
    },
  }),
);
const confidence = 1 - 1e-4;

interface World {
  readonly plan: Plan;
  readonly data: LabelledExamples;
}
interface Audit {
  readonly model: Model;
  readonly trained: readonly string[];
  /** Against which the change of the parameters is measured. */
  readonly direction: Float64Array;
  readonly runs: number;
}

/** How far each run went against the direction, in units of its batch. */
async function scoresOf(
  { model, trained, direction, runs }: Audit,
  { plan, data }: World,
  name: string,
): Promise<number[]> {
  const start = flat(await readParameters(model, trained));
  const scores: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { parameters } = await trainClassifier({
      model,
      trainable: trained,
      data: { train: data },
      // So slow that gradients hardly change within a run.
      optimizer: sgd({ learningRate: 1e-3 }),
      plan,
      seed: 1,
      insecureSeed: `${name} ${run}`,
    });
    const moved = flat(parameters).map((x, i) => (start[i] as number) - x);
    scores.push(plan.batchSize * dot(moved, direction));
  }
  return scores;
}

async function audit(own: Audit, first: World, second: World, delta: number): Promise<EmpiricalBound> {
  const [one, other] = [await scoresOf(own, first, 'first'), await scoresOf(own, second, 'second')];
  return lowerBoundEpsilon(one, other, { delta, confidence });
}

const unit = (vector: Float64Array): Float64Array => vector.map((x) => x / lengthOf(vector));

describe('DP-SGD on Poisson batches of half the examples, one example more or less', async () => {
  const { inputIds: rows } = sentences(model, 4);
  // The worst case: nothing else moves the parameters, so nothing hides the canary.
  const present = { inputIds: rows, labels: [1, 0, 0, 0] };
  const absent = { inputIds: rows, labels: [0, 0, 0, 0] };
  const task = await openTask(model, 'head', { data: present });
  const [canary] = (await gradientsAlone(task, [0])) as [Float64Array];
  const { zero } = await task.classifier.clippedSums(task.parameters, [1], { kind: 'clip', norm: 1 });
  await task.classifier.close();
  const delta = 0.1;
  const clipNorm = 0.2;
  const common = { mechanism: 'gaussian', examples: 4, batchSize: 2, epochs: 1, delta } as const;
  const promised = makePlan({ ...common, clipNorm, epsilon: 1.1 });
  const epsilon = promised.guarantee?.epsilon as number;
  const noiseMultiplier = promised.noiseMultiplier as number;
  /** The quick accountant: it is asked in every run, and changes nothing else. */
  const planOf = (options: { readonly clipNorm: number; readonly noiseMultiplier: number }) =>
    makePlan({ ...common, ...options, accountant: 'rdp' });
  const boundOf = (plan: Plan, runs: number) =>
    audit(
      { model, trained: task.trained, direction: unit(canary), runs },
      { plan, data: present },
      { plan, data: absent },
      delta,
    );

  it('has a canary whose gradient is clipped, and in its place an example without gradient', () => {
    expect(lengthOf(canary)).toBeGreaterThan(10 * clipNorm);
    expect(zero).toBe(1);
  });

  it('keeps its guarantee', async () => {
    const { epsilonLowerBound } = await boundOf(planOf({ clipNorm, noiseMultiplier }), 1000);
    console.log(`DP-SGD: at least ${epsilonLowerBound}, stated ${epsilon}`);
    expect(epsilonLowerBound).toBeLessThanOrEqual(epsilon);
    expect(epsilonLowerBound).toBeGreaterThan(0);
  });

  it('is caught with half the noise', async () => {
    const { epsilonLowerBound } = await boundOf(planOf({ clipNorm, noiseMultiplier: noiseMultiplier / 2 }), 1000);
    console.log(`half the noise: at least ${epsilonLowerBound}`);
    expect(epsilonLowerBound).toBeGreaterThan(epsilon);
  });

  it('is caught without clipping', async () => {
    // The same noise, beside a bound that cuts nothing.
    const far = planOf({ clipNorm: 1e3 * clipNorm, noiseMultiplier: noiseMultiplier / 1e3 });
    const { epsilonLowerBound } = await boundOf(far, 300);
    console.log(`no clipping: at least ${epsilonLowerBound}`);
    expect(epsilonLowerBound).toBeGreaterThan(epsilon);
  });
});

describe('DirDP-SGD, one example replaced', async () => {
  // With the biases alone there are two dimensions, where a direction reveals most; the other label is the opposite direction.
  const trained = ['classifier.bias'];
  const rows = sentences(model, 1).inputIds;
  const middle = await loadModel(await writeTiny(join(root, 'middle'), 'bert'), { numLabels: 2 });
  const direction = Float64Array.of(Math.SQRT1_2, -Math.SQRT1_2);
  const planOf = (concentration: number) =>
    makePlan({ mechanism: 'directional', examples: 1, batchSize: 1, epochs: 1, concentration });
  const boundOf = (plan: Plan, runs: number) =>
    audit(
      { model: middle, trained, direction, runs },
      { plan, data: { inputIds: rows, labels: [1] } },
      { plan, data: { inputIds: rows, labels: [0] } },
      0,
    );
  const epsilon = planOf(1).guarantee?.epsilon as number;

  it('keeps its guarantee', async () => {
    const { epsilonLowerBound } = await boundOf(planOf(1), 1000);
    console.log(`DirDP-SGD: at least ${epsilonLowerBound}, stated ${epsilon}`);
    expect(epsilonLowerBound).toBeLessThanOrEqual(epsilon);
    expect(epsilonLowerBound).toBeGreaterThan(0.5);
  });

  it('is caught with twice the concentration', async () => {
    const { epsilonLowerBound } = await boundOf(planOf(2), 1000);
    console.log(`twice the concentration: at least ${epsilonLowerBound}`);
    expect(epsilonLowerBound).toBeGreaterThan(epsilon);
  });
});
