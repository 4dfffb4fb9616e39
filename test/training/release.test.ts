// The release of one step: the batches are Poisson, the noise has the stated deviation.
// Each statistical test has a fixed seed and would fail one correct implementation in 10⁴ at most.

import { describe, expect, it } from 'vitest';
import { poissonBatch } from '../../src/data/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { type Classifier, makePlan, type Plan } from '../../src/training/index.js';
import { makePrivateGradient } from '../../src/training/release.js';
import { makeRoot } from '../models/tiny-models.js';
import { CRITICAL_NORMAL, chiSquareRatio } from '../random/statistics.js';
import { flat, lengthOf, loadTiny, openTask, relativeDistance } from './tiny-task.js';

const root = makeRoot();
const model = await loadTiny(root, 'bert');
const margin = 2 ** -12;
const examples = 20;
const planOf = (batchSize: number, noiseMultiplier: number, rest = {}): Plan =>
  makePlan({ mechanism: 'gaussian', examples, epochs: 1, batchSize, noiseMultiplier, accountant: 'rdp', ...rest });

/** The classifier, with a record of the batches it was asked for. */
function watch(classifier: Classifier): { readonly watched: Classifier; readonly batches: (readonly number[])[] } {
  const batches: (readonly number[])[] = [];
  const clippedSums: Classifier['clippedSums'] = (parameters, batch, clipping) => {
    batches.push(batch);
    return classifier.clippedSums(parameters, batch, clipping);
  };
  return { watched: { ...classifier, clippedSums }, batches };
}

describe('a release', () => {
  it('is the clipped sum plus normal noise of deviation σC, divided by the expected batch size', async () => {
    const { classifier, parameters } = await openTask(model, 'pooler+classifier', { count: examples });
    const [multiplier, clipNorm, batchSize] = [0.7, 0.3, 8];
    const plan = planOf(batchSize, multiplier, { clipNorm });
    const release = makePrivateGradient({ plan, classifier, orderSeed: 1, insecureSeed: 11 });
    const sizes = new Set<number>();
    let [sum, square, count] = [0, 0, 0];
    for (let step = 0; step < 40; step++) {
      const { gradients, members } = await release(step, parameters);
      const released = flat(gradients).map((x) => batchSize * x);
      sizes.add(members);
      const batch = poissonBatch(examples, batchSize / examples, seededSource(11).stream(`lot ${step}`));
      expect(members).toBe(batch.length);
      const bounded = flat(
        (await classifier.clippedSums(parameters, batch, { kind: 'clip', norm: clipNorm })).gradients,
      );
      for (const [i, x] of bounded.entries()) {
        const noise = (released[i] as number) - x;
        sum += noise;
        square += noise * noise;
        count++;
      }
    }
    await classifier.close();
    expect(sizes.size).toBeGreaterThan(3);
    const deviation = multiplier * clipNorm * (1 + margin);
    expect(Math.abs(sum / deviation / Math.sqrt(count))).toBeLessThan(CRITICAL_NORMAL);
    // The sum of squares is chi-square, nearly normal for so many numbers.
    expect(Math.abs(square / deviation ** 2 - count) / Math.sqrt(2 * count)).toBeLessThan(CRITICAL_NORMAL);
  });

  it('has noise that is larger by 2⁻¹² and new for every step', async () => {
    const { classifier, parameters } = await openTask(model, 'head', { count: examples });
    const release = makePrivateGradient({
      plan: planOf(1, 3, { clipNorm: 2 }),
      classifier,
      orderSeed: 1,
      insecureSeed: 'x',
    });
    const empty = Array.from({ length: 60 }, (_, step) => step).find(
      (step) => poissonBatch(examples, 1 / examples, seededSource('x').stream(`lot ${step}`)).length === 0,
    ) as number;
    const { gradients, members, loss } = await release(empty, parameters);
    expect([members, loss]).toEqual([0, 0]);
    const source = seededSource('x').stream(`noise ${empty}`);
    const drawn = Object.values(gradients).flatMap((array) => [
      ...fillNormal(source, new Float64Array(array.length), { standardDeviation: 6 * (1 + margin) }),
    ]);
    expect(relativeDistance(flat(gradients), Float64Array.from(drawn))).toBeLessThan(1e-6);
    await classifier.close();
  });

  it('comes from Poisson batches of exactly the stated rate', async () => {
    const { classifier, parameters } = await openTask(model, 'head', { count: examples });
    const { watched, batches } = watch(classifier);
    const [rate, steps] = [0.25, 2000];
    const release = makePrivateGradient({ plan: planOf(5, 1), classifier: watched, orderSeed: 1, insecureSeed: 4 });
    for (let step = 0; step < steps; step++) await release(step, parameters);
    await classifier.close();
    // The count of every example is binomial, and so is the size of a batch: examples come independently.
    const deviation = Math.sqrt(steps * rate * (1 - rate));
    const counts = Array.from({ length: examples }, (_, i) => batches.filter((batch) => batch.includes(i)).length);
    for (const count of counts) expect(Math.abs(count - steps * rate) / deviation).toBeLessThan(CRITICAL_NORMAL + 1);
    const binomial = [(1 - rate) ** examples];
    for (let k = 1; k <= examples; k++) {
      binomial.push(((binomial[k - 1] as number) * ((examples - k + 1) * rate)) / (k * (1 - rate)));
    }
    const bin = (size: number) => Math.min(Math.max(size, 1), 10) - 1;
    const [observed, expected] = [new Float64Array(10), Array<number>(10).fill(0)];
    for (const { length } of batches) observed[bin(length)] = (observed[bin(length)] as number) + 1;
    for (const [size, p] of binomial.entries()) expected[bin(size)] = (expected[bin(size)] as number) + p;
    expect(chiSquareRatio(observed, expected)).toBeLessThan(1);
  });

  it('from shuffled batches uses every example once per epoch and divides by the size of the batch', async () => {
    const { classifier, parameters } = await openTask(model, 'head', { count: examples });
    const { watched, batches } = watch(classifier);
    const plan = planOf(8, 1e-9, { sampler: 'shuffled', epochs: 2, clipping: 'normalise' });
    const release = makePrivateGradient({ plan, classifier: watched, orderSeed: 1 });
    for (let step = 0; step < plan.steps; step++) {
      const released = flat((await release(step, parameters)).gradients);
      const batch = batches.at(-1) as number[];
      const { gradients } = await classifier.clippedSums(parameters, batch, { kind: 'normalise', norm: 1 });
      const mean = flat(gradients).map((x) => x / batch.length);
      expect(relativeDistance(released, mean)).toBeLessThan(1e-5);
    }
    expect(batches.map(({ length }) => length)).toEqual([8, 8, 4, 8, 8, 4]);
    const epochs = [batches.slice(0, 3).flat(), batches.slice(3).flat()];
    for (const epoch of epochs) expect([...epoch].sort((a, b) => a - b)).toEqual([...Array(examples).keys()]);
    expect(epochs[0]).not.toEqual(epochs[1]);
    await classifier.close();
  });

  it('changes by no more than the clip norm and its margin when an example joins a large batch of equal ones', async () => {
    const [row] = [model.tokenizer.encode('a b c')];
    const rows = Array.from({ length: 1500 }, () => row as number[]);
    const { classifier, parameters } = await openTask(model, 'pooler+classifier', {
      data: { inputIds: rows, labels: rows.map(() => 0) },
    });
    const all = rows.map((_, i) => i);
    for (const kind of ['clip', 'normalise'] as const) {
      const sum = async (batch: number[]) =>
        flat((await classifier.clippedSums(parameters, batch, { kind, norm: 0.3 })).gradients);
      const [having, missing] = [await sum(all), await sum(all.slice(1))];
      expect(lengthOf(having.map((x, i) => x - (missing[i] as number))) / 0.3).toBeLessThan(1 + margin);
    }
    await classifier.close();
  });

  it('is compared with what it would be without noise only if asked', async () => {
    const { classifier, parameters } = await openTask(model, 'pooler+classifier', { count: examples });
    const options = { classifier, orderSeed: 1, insecureSeed: 1 };
    const quiet = await makePrivateGradient({ plan: planOf(10, 1e-3), ...options })(0, parameters);
    expect(quiet.diagnostics).toBeUndefined();
    const numbers = flat(quiet.gradients);
    const seen = await makePrivateGradient({ plan: planOf(10, 1e-3), ...options, diagnose: true })(0, parameters);
    expect([...flat(seen.gradients)]).toEqual([...numbers]);
    expect(seen.diagnostics?.norm).toBeCloseTo(lengthOf(numbers), 6);
    expect(seen.diagnostics?.cosineToSum).toBeGreaterThan(0.999);
    const noisy = await makePrivateGradient({ plan: planOf(10, 1e3), ...options, diagnose: true })(0, parameters);
    expect(Math.abs(noisy.diagnostics?.cosineToSum as number)).toBeLessThan(0.2);
    const some = makePrivateGradient({ plan: planOf(10, 1e-3), ...options, diagnose: { every: 2 } });
    const compared = [];
    for (const step of [0, 1, 2, 3]) compared.push((await some(step, parameters)).diagnostics !== undefined);
    expect(compared).toEqual([true, false, true, false]);
    await classifier.close();
  });
});
