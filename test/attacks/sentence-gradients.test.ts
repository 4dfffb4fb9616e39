// The losses of a client against closed forms: by the bias of the last map, a cross-entropy has the gradient probability − [target],
// so the model's own logits say what it must be.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ClientLoss, sentenceGradients } from '../../src/attacks/index.js';
import { compile } from '../../src/engine/index.js';
import { initializeReluTransformer, loadModel, type Model, type ModelCore } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { Arrays } from '../../src/training/index.js';
import { feedRows, makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const relu = initializeReluTransformer(seededSource('relu'), {
  vocabulary: 40,
  hidden: 16,
  heads: 2,
  intermediateSize: 12,
});
let masked: Model;
beforeAll(async () => {
  const folder = await writeTiny(join(root, 'masked'), 'bert', { golden: 'tiny-bert-mlm' });
  masked = await loadModel(folder, { numLabels: 2, newHead: true });
});

/** Softmax of the logits of each position, or of the class. */
async function probabilities(
  model: ModelCore,
  row: readonly number[],
  parameters: Arrays = {},
  what: 'lm' | 'class' = 'lm',
) {
  const built = model.build({ batch: 1, tokens: row.length, trainable: Object.keys(parameters) });
  const program = await compile({ logits: what === 'lm' ? built.lmLogits() : built.classify() });
  const feeds = Object.entries({ ...parameters, ...feedRows([row], row.length) });
  const { logits } = await program.run(Object.fromEntries(feeds.filter(([name]) => name in program.inputs)));
  await program.close();
  const numbers = logits as Float32Array;
  const width = what === 'lm' ? numbers.length / row.length : numbers.length;
  return Array.from({ length: numbers.length / width }, (_, place) => {
    const powers = [...numbers.subarray(place * width, (place + 1) * width)].map(Math.exp);
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((x) => x / sum);
  });
}
/** Mean over these positions of probability − [target]. */
const slopesOf = (rows: readonly (readonly number[])[], targets: readonly number[]) =>
  (rows[0] as readonly number[]).map(
    (_, id) => rows.reduce((sum, row, i) => sum + (row[id] as number) - (targets[i] === id ? 1 : 0), 0) / rows.length,
  );
async function expectSlopes(
  model: ModelCore,
  name: string,
  rows: readonly (readonly number[])[],
  loss: ClientLoss,
  truths: number[][],
  parameters: Arrays = {},
) {
  const found = await sentenceGradients(model, parameters, { inputIds: rows, shared: [name], ...loss });
  expect(found).toHaveLength(truths.length);
  for (const [i, truth] of truths.entries())
    for (const [id, slope] of truth.entries()) expect(found[i]?.[name]?.[id]).toBeCloseTo(slope, 5);
}

const rows = [
  [5, 17, 9, 9, 30],
  [8, 21, 6],
];

describe('the gradient of a sentence', () => {
  it('under the loss of the next token is that of all but the last position', async () => {
    const bias = relu.layout.decoderBias as string;
    const truths = await Promise.all(
      rows.map(async (row) => slopesOf((await probabilities(relu, row)).slice(0, -1), row.slice(1))),
    );
    await expectSlopes(relu, bias, rows, { loss: 'next' }, truths);
  });

  it('under the loss of every token is that of each at its own position', async () => {
    const bias = masked.layout.decoderBias as string;
    const truths = await Promise.all(rows.map(async (row) => slopesOf(await probabilities(masked, row), row)));
    await expectSlopes(masked, bias, rows, { loss: 'all' }, truths);
  });

  it('under the loss of hidden tokens is that of the text with the mask in their places', async () => {
    const bias = masked.layout.decoderBias as string;
    const maskToken = masked.tokenizer.special.mask as number;
    const places = [[3, 1], [0]];
    const truths = await Promise.all(
      rows.map(async (row, i) => {
        const own = places[i] as number[];
        const seen = await probabilities(
          masked,
          row.map((id, p) => (own.includes(p) ? maskToken : id)),
        );
        return slopesOf(
          own.map((p) => seen[p] as number[]),
          own.map((p) => row[p] as number),
        );
      }),
    );
    await expectSlopes(masked, bias, rows, { loss: 'masked', places, maskToken }, truths);
  });

  it('under the loss of the class is that of the label, at the parameters that were sent', async () => {
    const { weight } = masked.layout.embeddings.positions;
    const size = (masked.parameters.get(weight)?.shape ?? []).reduce((a, b) => a * b, 1);
    const parameters = { [weight]: fillNormal(seededSource('sent'), new Float32Array(size)) };
    const labels = [1, 0];
    const truths = await Promise.all(
      rows.map(async (row, i) =>
        slopesOf(await probabilities(masked, row, parameters, 'class'), [labels[i] as number]),
      ),
    );
    await expectSlopes(masked, 'classifier.bias', rows, { loss: 'class', labels }, truths, parameters);
  });

  it('is refused without targets', async () => {
    const ask = (model: ModelCore, loss: ClientLoss, shared: readonly string[], inputIds = rows) =>
      sentenceGradients(model, {}, { inputIds, shared, ...loss });
    const bias = masked.layout.decoderBias as string;
    const hide = (places: number[][]) => ask(masked, { loss: 'masked', places, maskToken: 4 }, [bias]);
    await expect(hide([[], [0]])).rejects.toThrow('sentence 0: expected places to hide from 0 to 4');
    await expect(hide([[0], [3]])).rejects.toThrow('sentence 1: expected places to hide from 0 to 2');
    await expect(ask(masked, { loss: 'all' }, ['classifier.bias'])).rejects.toThrow(
      'parameter classifier.bias gets no gradient from this loss: do not share it',
    );
    await expect(ask(relu, { loss: 'next' }, [])).rejects.toThrow('expected at least one parameter');
    await expect(ask(masked, { loss: 'all' }, [bias], [[]])).rejects.toThrow('expected at least 1, got 0');
  });
});
