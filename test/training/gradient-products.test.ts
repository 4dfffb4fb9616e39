// Products of examples' gradients, with each other and with given arrays, against the gradients of single examples.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadModel, selectParameters } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import { openClassifier, readParameters } from '../../src/training/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const data = {
  inputIds: Array.from({ length: 40 }, (_, i) => [2, 5 + (i % 7), 6 + (i % 5), ...(i % 3 === 0 ? [9] : []), 3]),
  labels: Array.from({ length: 40 }, (_, i) => (i % 3) % 2),
};
const indices = [3, 0, 17, 38, 9, 21];

async function open(name: TinyName, selection: string) {
  const model = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
  const trainable = selectParameters(model, selection);
  const parameters = await readParameters(model, trainable);
  const given = Object.fromEntries(
    trainable.map((one) => [one, fillNormal(seededSource(one), new Float32Array(parameters[one]?.length ?? 0))]),
  );
  const classifier = await openClassifier({ model, trainable, data });
  /** The gradient of each example over some parameters, by itself. */
  const gradientsOver = async (names: readonly string[]) => {
    const all: number[][] = [];
    for (const index of indices) {
      const { gradients } = await classifier.sums(parameters, [index]);
      all.push(names.flatMap((one) => [...(gradients[one] as Float32Array)]));
    }
    return all;
  };
  return { classifier, trainable, parameters, given, gradientsOver };
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);

function expectClose(actual: Float64Array | undefined, wanted: readonly number[]): void {
  const scale = Math.max(...wanted.map(Math.abs));
  expect(actual).toHaveLength(wanted.length);
  for (const [i, number] of wanted.entries())
    expect(Math.abs((actual?.[i] as number) - number) / scale).toBeLessThan(1e-5);
}

describe.each(['bert', 'gpt2', 'roberta', 'distilbert'] as const)('products of gradients of tiny %s', (name) => {
  it.each(['pooler+classifier', 'all'])(
    'over %s are those of single examples, in the order asked for',
    async (selection) => {
      const { classifier, trainable, parameters, given, gradientsOver } = await open(name, selection);
      // Two groups of parameters, each a vector of its own.
      const groups = [trainable.slice(0, 1), trainable.slice(1)];
      const wanted = { given, groups, scaled: false, gram: true };
      const found = await classifier.gradientProducts(parameters, indices, wanted);
      for (const [place, names] of groups.entries()) {
        const single = await gradientsOver(names);
        const array = names.flatMap((one) => [...(given[one] as Float32Array)]);
        const one = found[place];
        expectClose(
          one?.squares,
          single.map((g) => dot(g, g)),
        );
        expectClose(
          one?.products,
          single.map((g) => dot(g, array)),
        );
        // On tokens, examples of different lengths are in different micro-batches.
        if (classifier.cached)
          expectClose(
            one?.gram,
            single.flatMap((a) => single.map((b) => dot(a, b))),
          );
        else expect(one?.gram).toBeUndefined();
      }
      await classifier.close();
    },
  );

  it('keep the direction of gradients that will be scaled, and leave out products that nobody wants', async () => {
    const { classifier, trainable, parameters, given } = await open(name, 'pooler+classifier');
    const of = async (scaled: boolean) => {
      const wanted = { given, groups: [trainable], scaled, gram: false };
      const [one] = await classifier.gradientProducts(parameters, indices, wanted);
      expect(one?.gram).toBeUndefined();
      return Array.from(one?.products ?? [], (product, i) => product / Math.sqrt(one?.squares[i] as number));
    };
    const [plain, scaled] = [await of(false), await of(true)];
    for (const [i, cosine] of plain.entries()) expect(scaled[i]).toBeCloseTo(cosine, 5);
    await classifier.close();
  });
});
