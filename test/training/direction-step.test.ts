// A directional step against single draws of one direction per example: the same distribution, for any groups and batches.
// Seeds are fixed; each comparison would reject a correct implementation once in 10⁶ times.

import { describe, expect, it } from 'vitest';
import { drawDirection, meanCosine } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { dot, flat, gradientsAlone, lengthOf, loadTiny, openTask, type Task } from './tiny-task.js';

const root = makeRoot();
const model = await loadTiny(root, 'bert');
const [weight, bias] = ['classifier.weight', 'classifier.bias'];
const pooler = ['pooler.dense.weight', 'pooler.dense.bias'];
const runs = 1200;
const falseAlarms = 1e-6;
const criticalNormal = 4.892; // two-sided

interface Case {
  readonly name: string;
  readonly batch: readonly number[];
  readonly parts: readonly (readonly string[])[];
  readonly microBatchSize?: number;
  readonly concentration?: number;
  /** Added to the logit of class 0: how sure the model is of its examples. */
  readonly certain?: number;
  /** The classes get one weight, so that nothing below the classifier has a gradient. */
  readonly blind?: true;
}

const cases: Case[] = [
  { name: 'the whole gradient', batch: [0, 1, 2, 3, 4], parts: [[weight, bias]] },
  { name: 'few and equal examples', batch: [3, 3, 3], parts: [[weight, bias]], concentration: 300 },
  // The part of the biases has two dimensions, and all its directions lie on one line.
  { name: 'parts', batch: [0, 1, 2, 5], parts: [[weight], [bias]] },
  { name: 'several micro-batches', batch: [0, 1, 2, 3, 4, 5, 6], parts: [[weight, bias]], microBatchSize: 3 },
  // Slopes of 1e-26 for half of the examples.
  { name: 'a model that is sure', batch: [0, 1, 2, 3], parts: [[weight, bias]], certain: 60 },
  { name: 'a group without a gradient', batch: [1, 2, 3], parts: [pooler, [weight, bias]], blind: true },
];

/** The range of each group in the array of all numbers. */
const placesOf = ({ trained, parameters }: Task, part: readonly string[]): number[] => {
  let start = 0;
  return trained.flatMap((name) => {
    const { length } = parameters[name] as Float32Array;
    start += length;
    return part.includes(name) ? Array.from({ length }, (_, i) => start - length + i) : [];
  });
};

/** Σ over the batch of one draw per example and group, made one by one. */
function drawAlone(
  gradients: readonly Float64Array[],
  places: readonly number[][],
  concentration: number,
  seed: string,
) {
  const source = seededSource(seed);
  return Array.from({ length: runs }, () => {
    const sum = new Float64Array(gradients[0]?.length ?? 0);
    for (const gradient of gradients) {
      for (const part of places) {
        const own = Float64Array.from(part, (place) => gradient[place] as number);
        const length = lengthOf(own);
        // Without a direction any unit vector will do: with κ = 0 the distribution is uniform.
        const mu = length > 0 ? own.map((x) => x / length) : own.map((_, i) => Number(i === 0));
        const drawn = drawDirection(source, mu, length > 0 ? concentration : 0);
        for (const [i, place] of part.entries()) sum[place] = (sum[place] as number) + (drawn[i] as number);
      }
    }
    return sum;
  });
}

/** Distance of two samples' distribution functions over its critical value: below 1 is a pass (Smirnov). */
function smirnovRatio(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [Float64Array.from(a).sort(), Float64Array.from(b).sort()];
  let [i, j, worst] = [0, 0, 0];
  while (i < x.length && j < y.length) {
    const value = Math.min(x[i] as number, y[j] as number);
    while (i < x.length && (x[i] as number) <= value) i++;
    while (j < y.length && (y[j] as number) <= value) j++;
    worst = Math.max(worst, Math.abs(i / x.length - j / y.length));
  }
  return worst / Math.sqrt((Math.log(2 / falseAlarms) / 2) * (1 / x.length + 1 / y.length));
}

describe.each(cases)(
  'a sum of directions: $name',
  ({ batch, parts, microBatchSize, concentration = 40, certain, blind }) => {
    it('has the distribution of draws made one by one', async () => {
      const selector = blind ? 'pooler+classifier' : 'head';
      const task = await openTask(model, selector, { count: 8, ...(microBatchSize && { microBatchSize }) });
      const { classifier, parameters, trained } = task;
      if (certain) (parameters[bias] as Float32Array)[0] = certain;
      if (blind) parameters[weight]?.fill(0.5);
      const source = seededSource('summed');
      const summed: Float64Array[] = [];
      for (let run = 0; run < runs; run++) {
        const sums = await classifier.directionSums(parameters, batch, {
          concentration,
          parameterGroups: parts,
          random: source,
        });
        summed.push(flat(sums.gradients));
        expect([sums.nonFinite, sums.zero]).toEqual([0, blind ? batch.length : 0]);
      }
      const gradients = await gradientsAlone(task, batch);
      await classifier.close();
      expect([...trained].sort()).toEqual(parts.flat().sort());
      const places = parts.map((part) => placesOf(task, part));
      const alone = drawAlone(gradients, places, concentration, 'alone');

      const random = fillNormal(seededSource('view'), new Float64Array(summed[0]?.length ?? 0));
      const total = gradients.reduce((sum, gradient) => sum.map((x, i) => x + (gradient[i] as number)));
      const inPart = (part: readonly number[], a: Float64Array) => lengthOf(part.map((place) => a[place] as number));
      const views: ((sum: Float64Array) => number)[] = [
        lengthOf,
        (sum) => dot(sum, random),
        (sum) => sum[0] as number,
        (sum) => sum.at(-1) as number,
        (sum) => dot(sum, total),
        (sum) => dot(sum, gradients[0] as Float64Array),
        (sum) => dot(sum, random) * dot(sum, gradients[0] as Float64Array),
        ...places.map((part) => (sum: Float64Array) => inPart(part, sum)),
      ];
      for (const [place, view] of views.entries()) {
        expect(smirnovRatio(summed.map(view), alone.map(view)), `view ${place}`).toBeLessThan(1);
      }
    });
  },
);

describe('a sum of directions', () => {
  it('has the mean and the variance of the von Mises–Fisher distribution', async () => {
    const task = await openTask(model, 'head', { count: 8 });
    const { classifier, parameters, trained } = task;
    const [batch, concentration] = [[0, 1, 2, 3, 6], 60];
    const units = (await gradientsAlone(task, batch)).map((g) => g.map((x) => x / lengthOf(g)));
    const dimension = units[0]?.length as number;
    const source = seededSource('moments');
    const view = fillNormal(source, new Float64Array(dimension)).map((x, i) => 0.1 * x + (units[1]?.[i] as number));
    const seen: number[] = [];
    for (let run = 0; run < runs; run++) {
      const directions = { concentration, parameterGroups: [trained], random: source };
      seen.push(dot(view, flat((await classifier.directionSums(parameters, batch, directions)).gradients)));
    }
    await classifier.close();
    // E W = A and E W² = 1 − (K − 1)A/κ; across μ the variance is (1 − E W²)/(K − 1) = A/κ.
    const A = meanCosine({ dimension, concentration });
    const along = 1 - ((dimension - 1) * A) / concentration - A * A;
    const [mean, variance] = units.reduce(
      ([m, v], unit) => {
        const p = dot(view, unit);
        return [m + A * p, v + along * p * p + (A / concentration) * (dot(view, view) - p * p)];
      },
      [0, 0],
    ) as [number, number];
    const average = seen.reduce((sum, x) => sum + x, 0) / runs;
    expect(Math.abs(average - mean) / Math.sqrt(variance / runs)).toBeLessThan(criticalNormal);
    const spread = seen.reduce((sum, x) => sum + (x - mean) ** 2, 0) / runs;
    expect(Math.abs(spread / variance - 1) / Math.sqrt(2 / runs)).toBeLessThan(criticalNormal);
  });

  it('of an empty batch is zero, and groups may change from call to call', async () => {
    const { classifier, parameters, trained } = await openTask(model, 'pooler+classifier', { count: 8 });
    const random = seededSource(1);
    const lengths = async (batch: number[], parts: string[][]) => {
      const { gradients } = await classifier.directionSums(parameters, batch, {
        concentration: 1e9,
        parameterGroups: parts,
        random,
      });
      return parts.map((part) => Number(lengthOf(flat(gradients, part)).toFixed(3)));
    };
    expect(await lengths([], [[...trained]])).toEqual([0]);
    expect(await lengths([2], [[...trained]])).toEqual([1]);
    expect(await lengths([2], [trained.slice(0, 2), trained.slice(2)])).toEqual([1, 1]);
    expect(
      await lengths(
        [2],
        trained.map((name) => [name]),
      ),
    ).toEqual([1, 1, 1, 1]);
    await classifier.close();
  });
});
