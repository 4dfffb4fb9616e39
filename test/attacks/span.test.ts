// The span attack on tiny models: all of the text without noise, less with more, nothing from an unrelated gradient.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type GradientView, openFirstInputs, spanAttack, spanParameters } from '../../src/attacks/index.js';
import { protect } from '../../src/mechanisms/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';
import { type Arrays, type Classifier, openClassifier } from '../../src/training/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const texts = ['a b c d', 'the cat', 'z y x w v', 'hello', 'q q q q'];

describe.each(['bert', 'gpt2'] as const)('the span attack on tiny %s', (name: TinyName) => {
  let [model, classifier, parameters, rows]: [Model, Classifier, Record<string, Float32Array>, number[][]] = [
    undefined as never,
    undefined as never,
    {},
    [],
  ];
  beforeAll(async () => {
    model = await loadModel(await writeTiny(join(root, name), name), { numLabels: 2, newHead: true });
    rows = texts.map((text) => [...model.tokenizer.encode(text, { maxTokens: 10 })]);
    const trained = [...spanParameters({ model })];
    classifier = await openClassifier({
      model,
      trainable: trained,
      data: { inputIds: rows, labels: rows.map((_, i) => i % 2) },
    });
    for (const one of trained) parameters[one] = (await model.parameters.get(one)?.read()) as Float32Array;
    return () => classifier.close();
  });
  const gradientOf = async (index: number): Promise<Arrays> => {
    const { gradients } = await classifier.sums(parameters, [index]);
    return Object.fromEntries(Object.entries(gradients).map(([key, array]) => [key, array.slice()]));
  };
  const viewOf = async (index: number, cosine: number): Promise<GradientView> => {
    const protection = cosine === 1 ? ({ mechanism: 'none' } as const) : ({ mechanism: 'cosine', cosine } as const);
    const { gradients, noise } = protect([await gradientOf(index)], protection, seededSource(`noise ${index}`));
    return { model, parameters, gradients, noise, batchSize: 1, lengths: [(rows[index] as number[]).length] };
  };
  const share = (guess: readonly number[], truth: readonly number[]) =>
    truth.filter((token, place) => token === guess[place]).length / truth.length;

  it('recovers every token without noise, whether it knows the length or not', async () => {
    for (const [index, truth] of rows.entries()) {
      const { lengths, ...view } = await viewOf(index, 1);
      expect((await spanAttack({ ...view, lengths: lengths as number[] })).sentences).toEqual([truth]);
      expect((await spanAttack(view, { longest: 12 })).sentences).toEqual([truth]);
    }
  });

  it('recovers less with more noise, and next to nothing from noise alone', async () => {
    const inputs = await openFirstInputs({ model, parameters }, 10);
    const means: number[] = [];
    for (const cosine of [1, 0.9, 0.3, 0.001]) {
      let sum = 0;
      for (const [index, truth] of rows.entries()) {
        const { sentences } = await spanAttack(await viewOf(index, cosine), { inputs });
        sum += share(sentences[0] as number[], truth) / rows.length;
      }
      means.push(sum);
    }
    await inputs.close();
    expect(means[0]).toBe(1);
    expect(means[1]).toBeLessThanOrEqual(1);
    expect(means[2]).toBeLessThan(means[1] as number);
    expect(means[3]).toBeLessThan(0.25);
  });

  it('refuses in one sentence what it cannot attack', async () => {
    const view = await viewOf(0, 1);
    const [first] = spanParameters({ model }) as [string];
    const { [first]: gradient, ...others } = view.gradients as Record<string, Float32Array>;
    const attack = (change: Partial<GradientView>) => spanAttack({ ...view, ...change });
    await expect(attack({ gradients: others })).rejects.toThrow(`reads the gradient of ${first}, which was not shared`);
    await expect(attack({ gradients: { ...others, [first]: new Float32Array(3) } })).rejects.toThrow(
      'expected a multiple of',
    );
    const broken = (gradient as Float32Array).map((x, i) => (i === 7 ? Number.NaN : x));
    await expect(attack({ gradients: { ...others, [first]: broken } })).rejects.toThrow(
      'expected finite numbers, got NaN at 7',
    );
    const zero = Object.fromEntries(Object.entries(view.gradients).map(([key, array]) => [key, array.map(() => 0)]));
    await expect(attack({ gradients: zero })).rejects.toThrow('there is nothing to attack');
    await expect(attack({ lengths: [1000] })).rejects.toThrow("at most the model's");
    await expect(attack({ batchSize: 2 })).rejects.toThrow('lengths: expected those of 2 sentences, got 1');
    await expect(attack({ batchSize: 0.5 })).rejects.toThrow('invalid batch size');
    const { layout } = model;
    const single = { ...model, layout: { ...layout, blocks: layout.blocks.slice(0, 1) } };
    expect(() => spanParameters({ model: single }, 2)).toThrow(
      'by the second block: expected a model with two, got one',
    );
    const { norm, ...bare } = layout.embeddings;
    const blocks = layout.blocks.map((block) => {
      const { beforeAttention, ...norms } = block.norms;
      return { ...block, norms };
    });
    const plain = { ...model, layout: { ...layout, embeddings: bare, blocks } };
    await expect(attack({ model: plain })).rejects.toThrow(
      'needs a model with one norm between the embeddings and the first attention, got 0',
    );
  });
});
