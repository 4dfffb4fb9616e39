// A language model beside the span: silent without noise, and it has to read the same tokens.

import { beforeAll, describe, expect, it } from 'vitest';
import {
  type GradientView,
  openClient,
  openPrior,
  type Prior,
  spanAttack,
  spanParameters,
} from '../../src/attacks/index.js';
import { searchWithPrior } from '../../src/attacks/span/beam.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { seededSource } from '../../src/random/index.js';

/** Knows only that 2 follows 1 and 4 follows 2. */
const parrot: Prior = {
  next: async (beginnings) =>
    beginnings.map((tokens) =>
      Float32Array.from({ length: 6 }, (_, token) => (token === 2 * (tokens.at(-1) as number) ? -0.1 : -5)),
    ),
  close: async () => {},
};

describe('the search with a prior', () => {
  const positions = [
    [
      { token: 1, score: 0.9 },
      { token: 3, score: 0.2 },
    ],
    [
      { token: 5, score: 0.62 },
      { token: 2, score: 0.6 },
    ],
    [
      { token: 5, score: 0.9 },
      { token: 4, score: 0.1 },
    ],
  ];
  it('follows the prior where candidates are nearly equal, and the span where they are not', async () => {
    expect(await searchWithPrior(positions, parrot, 0)).toEqual([1, 5, 5]);
    expect(await searchWithPrior(positions, parrot, 0.01)).toEqual([1, 2, 5]);
    expect(await searchWithPrior(positions, parrot, 1)).toEqual([1, 2, 4]);
  });
});

describe('the span attack with gpt2-mini as its prior', () => {
  let [model, language, clean, noisy]: [Model, Model, GradientView, GradientView] = [] as never;
  beforeAll(async () => {
    model = await loadModel('bundled:bert-mini', { numLabels: 2 });
    language = await loadModel('bundled:gpt2-mini');
    const rows = [model.tokenizer.encode('He could not find the key of the old house.')];
    const client = await openClient({
      model,
      data: { inputIds: rows, labels: [1] },
      shared: spanParameters({ model }),
    });
    const share = async (cosine: number) =>
      (await client.share([0], { mechanism: 'cosine', cosine }, seededSource('noise'))).view;
    [clean, noisy] = [await share(1), await share(0.3)];
    await client.close();
  }, 60_000);

  it('changes nothing without noise, but may under noise', async () => {
    const prior = openPrior(language, model);
    let asked = 0;
    const counted: Prior = {
      ...prior,
      next: (beginnings) => {
        asked++;
        return prior.next(beginnings);
      },
    };
    expect((await spanAttack(clean, { prior: counted })).sentences).toEqual((await spanAttack(clean)).sentences);
    expect(asked).toBe(0);
    const [sentence] = (await spanAttack(noisy, { prior: counted })).sentences;
    expect(sentence).toHaveLength(noisy.lengths?.[0] as number);
    expect(asked).toBe((sentence as number[]).length - 1);
    await prior.close();
  }, 60_000);

  it('gives probabilities of the next token', async () => {
    const prior = openPrior(language, model);
    const beginnings = [model.tokenizer.encode('he could').slice(0, -1), [language.tokenizer.special.start as number]];
    for (const logs of await prior.next(beginnings)) {
      expect(logs.reduce((sum, log) => sum + Math.exp(log), 0)).toBeCloseTo(1, 4);
    }
    await prior.close();
  }, 60_000);

  it('refuses in one sentence what does not fit', async () => {
    expect(() => openPrior(model, model)).toThrow('prior: expected a causal language model, got bundled:bert-mini');
    const other = { name: 'another', tokenizer: { ...model.tokenizer, digest: 'another' } };
    expect(() => openPrior(language, other)).toThrow('prior: expected the vocabulary of another, but');
    const batch = { ...clean, batchSize: 2, lengths: [5, 5] };
    await expect(spanAttack(batch, { prior: parrot })).rejects.toThrow('prior: expected one sentence at a time');
  });
});
