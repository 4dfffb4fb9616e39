// The span attack on several sentences at once: which tokens are there, and which belong together.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  type FirstInputs,
  type GradientView,
  openClient,
  openFirstInputs,
  openSecondInputs,
  type SecondInputs,
  spanAttack,
  spanParameters,
} from '../../src/attacks/index.js';
import { matchGuesses } from '../../src/metrics/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';

const texts = [
  'The garden was full of old statues.',
  'He could not find the key.',
  'The boy ate an apple.',
  'She sang well.',
  'The boy read a letter.',
];

const inPlace = (truth: readonly number[], guess: readonly number[]): number =>
  truth.filter((token, place) => token === guess[place]).length / truth.length;

describe.each(['bert-mini', 'gpt2-mini'])('the span attack on batches, %s', (name) => {
  let [model, client, rows]: [Model, Client, number[][]] = [undefined as never, undefined as never, []];
  let kept: { readonly inputs: FirstInputs; readonly secondInputs: SecondInputs };
  beforeAll(async () => {
    model = await loadModel(`bundled:${name}`, { numLabels: 2 });
    rows = texts.map((text) => [...model.tokenizer.encode(text)]);
    const data = { inputIds: rows, labels: rows.map((_, i) => i % 2) };
    client = await openClient({ model, data, shared: spanParameters({ model }, 2) });
    const known = { model, parameters: {} };
    kept = { inputs: await openFirstInputs(known, 12), secondInputs: openSecondInputs(known) };
    return async () => {
      await kept.inputs.close();
      await kept.secondInputs.close();
      await client.close();
    };
  });
  const viewOf = async (indices: readonly number[], cosine: number): Promise<GradientView> =>
    (await client.share(indices, { mechanism: 'cosine', cosine }, seededSource('noise'))).view;
  const score = async (view: GradientView, indices: readonly number[]): Promise<number> => {
    const { sentences } = await spanAttack(view, kept);
    const truths = indices.map((index) => rows[index] as number[]);
    const match = matchGuesses(truths, sentences as number[][], inPlace);
    return truths.reduce((sum, truth, i) => sum + inPlace(truth, sentences[match[i] as number] as number[]), 0);
  };

  it('recovers all sentences without noise, even of equal length or with common words', async () => {
    for (const indices of [
      [0, 1],
      [2, 4],
      [1, 2, 3],
      [0, 1, 2, 3],
    ]) {
      expect(await score(await viewOf(indices, 1), indices)).toBeCloseTo(indices.length, 9);
    }
  }, 120_000);

  it('recovers less with more noise, and needs only the first block for one sentence', async () => {
    const [some, little] = [
      await score(await viewOf([1, 3], 0.95), [1, 3]),
      await score(await viewOf([1, 3], 0.1), [1, 3]),
    ];
    expect(some).toBeLessThanOrEqual(2);
    expect(some).toBeGreaterThan(1);
    expect(little).toBeLessThan(some);
    const one = await viewOf([0], 1);
    const first = Object.fromEntries(spanParameters({ model }).map((key) => [key, one.gradients[key] as Float32Array]));
    expect((await spanAttack({ ...one, gradients: first })).sentences).toEqual([rows[0]]);
  }, 120_000);

  it('refuses in one sentence what it cannot attack', async () => {
    const view = await viewOf([0, 1], 1);
    const attack = (changed: GradientView) => spanAttack(changed, kept);
    const { lengths, ...unknown } = view;
    await expect(attack(unknown)).rejects.toThrow('needs the lengths of the sentences in a batch of 2');
    await expect(attack({ ...view, lengths: [5] })).rejects.toThrow('lengths: expected those of 2 sentences, got 1');
    await expect(attack({ ...view, lengths: [150, 150] })).rejects.toThrow("fewer than the model's width 256");
    await expect(attack({ ...view, lengths: [0, 9] })).rejects.toThrow('invalid length');
    const [projection] = spanParameters({ model }, 2).slice(-1) as [string];
    const { [projection]: _, ...gradients } = view.gradients as Record<string, Float32Array>;
    await expect(attack({ ...view, gradients })).rejects.toThrow(`reads the gradient of ${projection}`);
  });
});
