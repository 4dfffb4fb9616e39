// A real pretrained BERT from its folder to a trained classifier and back; only where ../shared is.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, crossEntropy, gradients, input, reduceMean, type Value } from '../../src/engine/index.js';
import {
  buildTrainablePart,
  computeFeatures,
  loadModel,
  saveModel,
  selectParameters,
  shouldCacheFeatures,
} from '../../src/models/index.js';
import { adam, runLoop } from '../../src/training/index.js';
import { expectNear, ids, runWith } from './describe-golden.js';
import { feedRows, makeRoot } from './tiny-models.js';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'models', 'minilm-l6');
const root = makeRoot();
const texts = [
  ['A delight from beginning to end.', 1],
  ['Two hours that I will never get back.', 0],
  ['The cast is wonderful and so is the music.', 1],
  ['Dull, loud and far too long.', 0],
  ['I laughed, I cried, I want to see it again!', 1],
  ['Nothing in this story makes any sense.', 0],
  ['Warm, clever, beautifully filmed.', 1],
  ['The worst thing I have seen all year.', 0],
] as const;

describe.skipIf(!existsSync(folder))('minilm-l6', () => {
  it('is loaded, trained on its features, saved, and loaded again', async () => {
    const model = await loadModel(folder, { numLabels: 2, seed: 1 });
    expect(model.newlyInitialized).toEqual(['classifier.weight', 'classifier.bias']);
    const trained = selectParameters(model, 'pooler+classifier');
    expect(shouldCacheFeatures(model, trained, 10, 8)).toBe(true);
    const rows = texts.map(([text]) => model.tokenizer.encode(text));
    const longest = Math.max(...rows.map(({ length }) => length));
    const { values } = await computeFeatures({ model, trainable: trained, inputIds: rows });

    const part = buildTrainablePart(model, trained, rows.length, longest);
    const losses = crossEntropy(part.logits, input('labels', [rows.length], 'i64'));
    const slopes = gradients(reduceMean(losses), Object.values(part.trainable));
    const names = Object.keys(part.trainable);
    const program = await compile<string>({
      loss: reduceMean(losses),
      logits: part.logits,
      ...Object.fromEntries(slopes.map((slope, i) => [names[i] as string, slope as Value])),
    });
    const feeds = {
      ...Object.fromEntries(values.map(({ data }, i) => [`feature ${i}`, data])),
      labels: ids([texts.map(([, label]) => label)]),
    };
    const parameters: Record<string, Float32Array> = {};
    for (const name of names) parameters[name] = (await model.parameters.get(name)?.read()) as Float32Array;
    const said: number[] = [];
    await runLoop({
      parameters,
      optimizer: adam({ learningRate: 1e-3 }),
      steps: 12,
      compute: async () => {
        const { loss, logits: _, ...slope } = await program.run({ ...feeds, ...parameters });
        return { loss: Number(loss?.[0]), gradients: slope as Record<string, Float32Array> };
      },
      onStep: ({ loss }) => void said.push(loss),
    });
    const { logits } = await program.run({ ...feeds, ...parameters });
    await program.close();
    expect(said[0]).toBeCloseTo(Math.log(2), 1);
    expect(said.at(-1)).toBeLessThan(0.3 * (said[0] as number));

    const saved = join(root, 'saved');
    await saveModel(saved, model, { parameters, classes: ['negative', 'positive'] });
    const again = await loadModel(saved);
    expect(again.newlyInitialized).toEqual([]);
    const whole = again.build({ batch: rows.length, tokens: longest }).classify();
    const after = await runWith({ logits: whole }, feedRows(rows, longest));
    expectNear(after.logits, [...(logits as Float32Array)], 1e-5);
  });
});
