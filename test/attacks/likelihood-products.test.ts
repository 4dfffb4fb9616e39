// Products of sentences' gradients with a shared one, against gradients that were materialised one by one.

import { beforeAll, describe, expect, it } from 'vitest';
import type { ClientLoss } from '../../src/attacks/client-loss.js';
import { openSentenceGradients, type SentenceGradients } from '../../src/attacks/decepticons/client.js';
import {
  openSentenceProducts,
  paddedLength,
  type SentenceProducts,
  sentenceBatches,
} from '../../src/attacks/likelihood/sentence-products.js';
import type { GradientView } from '../../src/attacks/view.js';
import { normOf } from '../../src/mechanisms/index.js';
import type { Model } from '../../src/models/index.js';
import { integerBelow, seededSource } from '../../src/random/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { openTiny, randomTensors, settings } from './likelihood-models.js';
import { product } from './planted-tables.js';

const root = makeRoot();

describe.each(settings)('products of sentences: %s, loss %s', (name, loss) => {
  let [model, shared, gradients, products] = [] as unknown as [Model, string[], SentenceGradients, SentenceProducts];
  let view: GradientView;
  beforeAll(async () => {
    ({ model, shared } = await openTiny(root, name, loss));
    gradients = await openSentenceGradients(model, {}, shared);
    products = openSentenceProducts(model, shared, loss);
    view = { gradients: randomTensors(model, shared, 'shared') } as unknown as GradientView;
    return async () => {
      await gradients.close();
      await products.close();
    };
  });

  async function compare(sentences: readonly (readonly number[])[], label: number) {
    const asked: ClientLoss = loss === 'class' ? { loss, labels: sentences.map(() => label) } : { loss };
    const truths = await gradients.of(sentences, asked);
    const found = await products.of(view, sentences, label);
    expect(found).toHaveLength(sentences.length);
    for (const [k, truth] of truths.entries()) {
      const whole = Math.hypot(...Object.values(truth).map((one) => normOf(one)));
      for (const [place, tensor] of shared.entries()) {
        const [own, other] = [truth[tensor] as Float32Array, view.gradients[tensor] as Float32Array];
        // Float32 agrees to 1e-5 of the tensor; gradients that cancel, as those of key biases, to 1e-6 of the whole.
        const error = 1e-5 * normOf(own) + 1e-6 * whole;
        const { shared: along, own: squares } = found[k] as (typeof found)[number];
        const what = `${tensor} of sentence ${k}`;
        expect(Math.abs((along[place] as number) - product(own, other)), what).toBeLessThan(error * normOf(other));
        expect(Math.abs(Math.sqrt(squares[place] as number) - normOf(own)), what).toBeLessThan(error);
      }
    }
  }
  const random = seededSource('sentences');
  const drawn = (count: number, length: number) =>
    Array.from({ length: count }, () => Array.from({ length }, () => 5 + integerBelow(random, 50)));

  it.each([1, 2, 9, 33])('are those of materialised gradients: %i at once', async (count) => {
    await compare(drawn(count, 5), 1);
  });

  it('are so for every label, padded and full rows, and as long as the model reads', async () => {
    const { positions } = model.config;
    for (const label of loss === 'class' ? [0, 1, 2] : [0]) await compare(drawn(2, 11), label);
    for (const length of [2, 8, positions - 1, positions]) await compare(drawn(1, length), 0);
  });

  it('are so for repeated tokens', async () => {
    await compare(
      [
        [7, 7, 7, 7, 7, 7],
        [9, 7, 9, 7, 9, 9],
      ],
      2,
    );
  });

  it('have names in order, and read only what is asked', async () => {
    expect(products.names).toEqual(shared);
    const some = [shared.at(-1) as string, shared[3] as string];
    const few = openSentenceProducts(model, some, loss);
    const sentence = [5, 6, 7, 8];
    const [[all], [own]] = [await products.of(view, [sentence], 0), await few.of(view, [sentence], 0)];
    for (const [place, tensor] of some.entries()) {
      const expected = all?.own[shared.indexOf(tensor)] as number;
      expect(Math.abs((own?.own[place] as number) / expected - 1)).toBeLessThan(1e-4);
    }
    await few.close();
  });
});

describe('rows', () => {
  it('are padded to a multiple of 8, as far as the model reads', () => {
    expect([1, 8, 9, 40, 41, 43].map((tokens) => paddedLength(tokens, 43))).toEqual([8, 8, 16, 40, 43, 43]);
  });

  it('hold every sentence once, and repeat the first where there is none', () => {
    const sentences = Array.from({ length: 70 }, (_, k) => [k, k + 1, k + 2]);
    const passes = [...sentenceBatches(sentences, 8)];
    expect(passes.flatMap(({ some }) => some)).toEqual(sentences);
    expect(passes.map(({ rows }) => rows)).toEqual([32, 32, 8]);
    expect([...sentenceBatches(sentences.slice(0, 1), 8)].map(({ rows }) => rows)).toEqual([1]);
    const { ids, mask, rows } = passes[2] as (typeof passes)[number];
    for (let row = 0; row < rows; row++) {
      const first = row < 6 ? 64 + row : 64;
      const expected = [first, first + 1, first + 2, 0, 0, 0, 0, 0];
      expect([...ids.subarray(row * 8, (row + 1) * 8)].map(Number)).toEqual(expected);
      expect([...mask.subarray(row * 8, (row + 1) * 8)]).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    }
  });
});
