// Sums of clipped gradients against a loop over single examples, for any micro-batch size; norms against the reference.

import { beforeAll, describe, expect, it } from 'vitest';
import type { Clipping } from '../../src/mechanisms/index.js';
import { type BertConfig, type Model, parseBertConfig, parseGpt2Config } from '../../src/models/index.js';
import { gradientTerms, squaredNorms } from '../../src/training/index.js';
import { ids, readGolden, readWeights, runWith } from '../models/describe-golden.js';
import { builds, openRandom } from '../models/random-models.js';
import { makeRoot } from '../models/tiny-models.js';
import { flat, gradientsAlone, lengthOf, loadTiny, openTask, relativeDistance, weightedTotal } from './tiny-task.js';

const root = makeRoot();
const models = new Map<string, Model>();
beforeAll(async () => {
  for (const name of ['bert', 'gpt2'] as const) models.set(name, await loadTiny(root, name));
});

/** The margin that the noise has for clipping in float32. */
const margin = 2 ** -12;
const all = Array.from({ length: 24 }, (_, i) => i);
const batches = [[3], [0, 1, 2, 7, 19], all, []];
/** Clip norms that clip all gradients, some, and none. */
const boundings: Clipping[] = [
  ...[0.01, 4, 1e6].map((norm): Clipping => ({ kind: 'clip', norm })),
  { kind: 'normalise', norm: 0.5 },
];
const factorOf = ({ kind, norm }: Clipping, length: number): number =>
  kind === 'clip' ? Math.min(1, norm / length) : norm / length;

describe.each(['bert', 'gpt2'])('clipped sums of tiny %s', (name) => {
  it.each(['head', 'pooler+classifier', 'all'])('%s: equal those of a loop over single examples', async (selector) => {
    const task = await openTask(models.get(name) as Model, selector, { count: all.length, microBatchSize: 7 });
    const { classifier, parameters } = task;
    const alone = await gradientsAlone(task, all);
    for (const batch of batches) {
      for (const clipping of boundings) {
        const { gradients, nonFinite, zero } = await classifier.clippedSums(parameters, batch, clipping);
        expect([nonFinite, zero]).toEqual([0, 0]);
        const together = flat(gradients);
        const members = batch.map((index) => alone[index] as Float64Array);
        const wanted = weightedTotal(members, (length) => factorOf(clipping, length));
        if (batch.length === 0) expect(together.every((x) => x === 0)).toBe(true);
        else expect(relativeDistance(together, wanted), JSON.stringify({ batch, clipping })).toBeLessThan(1e-5);
      }
    }
    await classifier.close();
  });

  it.each(['head', 'pooler+classifier', 'all'])('%s: no example is longer than the clip norm', async (selector) => {
    const { classifier, parameters } = await openTask(models.get(name) as Model, selector, { microBatchSize: 1 });
    for (const clipping of boundings.filter(({ norm }) => norm < 1)) {
      for (let index = 0; index < 12; index++) {
        const { gradients } = await classifier.clippedSums(parameters, [index], clipping);
        const share = lengthOf(flat(gradients)) / clipping.norm;
        // At these norms every gradient is clipped, so its length is exactly the norm.
        expect(Math.abs(share - 1)).toBeLessThanOrEqual(margin);
      }
    }
    await classifier.close();
  });

  it.each(['pooler+classifier', 'all'])('%s: the micro-batch size does not matter', async (selector) => {
    const batch = [0, 1, 2, 7, 11, 13, 19];
    const found: Float64Array[] = [];
    for (const microBatchSize of [1, 3, 5, undefined]) {
      const { classifier, parameters } = await openTask(
        models.get(name) as Model,
        selector,
        microBatchSize === undefined ? {} : { microBatchSize },
      );
      const { gradients, loss } = await classifier.clippedSums(parameters, batch, { kind: 'clip', norm: 1 });
      found.push(Float64Array.of(loss, ...flat(gradients)));
      await classifier.close();
    }
    for (const one of found) expect(relativeDistance(one, found[0] as Float64Array)).toBeLessThan(1e-5);
  });
});

it.each([
  { name: 'tiny-bert', prefix: 'bert.', build: builds.BERT, parse: parseBertConfig },
  {
    name: 'tiny-gpt2',
    prefix: 'transformer.',
    build: builds['GPT-2'],
    parse: (raw: Record<string, unknown>) => ({ ...parseGpt2Config(raw), types: 1 }) as BertConfig,
  },
])('norms of $name, run by the engine, are those of the reference', async ({ name, prefix, build, parse }) => {
  const expected = readGolden(name, 'expected.json');
  const { traces, loss, parameters } = openRandom(build(parse(readGolden(name, 'config.json'))), 'classification', {
    batch: 3,
    tokens: 12,
  });
  const { squares } = squaredNorms(gradientTerms(loss, traces, parameters));
  const { norms } = await runWith(
    { norms: squares },
    {
      ...(await readWeights(name, prefix)),
      ids: ids(expected.input_ids),
      mask: Float32Array.from(expected.attention_mask.flat()),
      targets: ids([expected.labels]),
    },
  );
  for (const [example, norm] of expected.gradient_norm_per_example.entries()) {
    expect(Math.sqrt(Number(norms?.[example])) / norm).toBeCloseTo(1, 5);
  }
});
