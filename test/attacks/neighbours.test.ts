// Neighbours of a text: which tokens are exchanged for which, against probabilities computed one place at a time in float64, and the round trip through
// tokenizers.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { miaN } from '../../src/attacks/membership/mia-n.js';
import { exchangesOf } from '../../src/attacks/membership/neighbours.js';
import { addQueries } from '../../src/attacks/world/queries.js';
import { readOptions } from '../../src/checks/index.js';
import { compile, input } from '../../src/engine/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { seededSource, uniform } from '../../src/random/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
const masked = 'bundled:bert-mini';
const bert = () => loadModel(masked, { numLabels: 2 });
const texts = [
  [2, 700, 900, 1100, 3],
  [2, 800, 3],
  [2, 90, 90, 1200, 70, 60, 3000, 110, 80, 3],
];

/** Probabilities of all tokens at one place, in which the word's embedding passed through dropout; no padding, one row. */
async function probabilities(model: Model, ids: readonly number[], place: number, dropout: number) {
  const { hidden } = model.config;
  const table = (await model.parameters.get('embeddings.word_embeddings.weight')?.read()) as Float32Array;
  const words = Float32Array.from(ids.flatMap((id) => [...table.subarray(id * hidden, (id + 1) * hidden)]));
  const random = seededSource(4).stream(`${place} of ${ids.join()}`);
  for (let k = place * hidden; k < (place + 1) * hidden; k++)
    words[k] = uniform(random) < dropout ? 0 : (words[k] as number) / (1 - dropout);
  const built = model.build({
    batch: 1,
    tokens: ids.length,
    from: 'words',
    words: input('words', [1, ids.length, hidden]),
  });
  const program = await compile({ logits: built.lmLogits() });
  const { logits } = await program.run({ words, mask: new Float32Array(ids.length).fill(1) });
  await program.close();
  const size = logits.length / ids.length;
  const row = Array.from({ length: size }, (_, v) => Math.exp(Number(logits[place * size + v])));
  const sum = row.reduce((a, b) => a + b);
  return row.map((one) => one / sum);
}

describe('exchanges of a text', () => {
  it('are the likeliest other tokens of each place, ranked by p(candidate)/(1 − p(original))', async () => {
    const model = await bert();
    const special = new Set<number | undefined>(Object.values(model.tokenizer.special));
    const found = await exchangesOf(model, texts, { dropout: 0.7, candidates: 3, random: seededSource(4) });
    for (const [text, ids] of texts.entries()) {
      const expected: { place: number; token: number; score: number }[] = [];
      for (let place = 1; place < ids.length - 1; place++) {
        const shares = await probabilities(model, ids, place, 0.7);
        const tokens = [...shares.keys()]
          .filter((v) => v !== ids[place] && !special.has(v) && model.tokenizer.tokenOf(v) !== undefined)
          .sort((a, b) => (shares[b] as number) - (shares[a] as number));
        for (const token of tokens.slice(0, 3))
          expected.push({
            place,
            token,
            score: (shares[token] as number) / (1 - (shares[ids[place] as number] as number)),
          });
      }
      expected.sort((a, b) => b.score - a.score);
      expect(found[text]).toHaveLength(3 * (ids.length - 2));
      for (const [k, one] of expected.entries()) {
        expect(found[text]?.[k]?.score).toBeCloseTo(one.score, 5);
        expect(found[text]).toContainEqual({ ...one, score: expect.closeTo(one.score, 5) });
      }
    }
  });

  it('need a masked language model', async () => {
    const gpt2 = await loadModel(await writeTiny(join(root, 'gpt2'), 'gpt2'), { numLabels: 2 });
    const options = { dropout: 0.7, candidates: 3, random: seededSource(4) };
    await expect(exchangesOf(gpt2, texts, options)).rejects.toThrow('expected a masked language model');
  });
});

describe('what mia-n asks about', () => {
  const ask = async (neighbourTexts: number) => {
    const model = await bert();
    const inputIds = ['the meeting is today', 'hello', 'please send the report to all of us'].map((text) =>
      model.tokenizer.encode(text),
    );
    const data = { inputIds, labels: [0, 1, 1] };
    const given = { neighbourTexts, maskedModel: masked, tokensPerPlace: 4 };
    const queried = await addQueries({
      attack: miaN as never,
      options: readOptions(miaN.options, given) as never,
      tokenizer: model.tokenizer,
      data,
      maxTokens: 16,
      targets: [{ members: [0], others: [2] }],
    });
    return { ...queried, inputIds };
  };

  it('are the text itself and texts in which one token differs, behind the examples, with the label of the text', async () => {
    const { data, examples, queriesOf, inputIds } = await ask(5);
    expect(examples).toBe(3);
    expect(data.inputIds.slice(0, 3)).toEqual(inputIds);
    expect(queriesOf(1)).toEqual([]);
    for (const example of [0, 2]) {
      const places = queriesOf(example);
      expect(places).toHaveLength(6);
      const [first, ...rest] = places.map((place) => data.inputIds[place] as number[]);
      expect(first).toEqual(inputIds[example]);
      expect(new Set(rest.map((ids) => ids.join())).size).toBe(5);
      for (const ids of rest) {
        expect(ids).toHaveLength(first?.length ?? 0);
        expect(ids.filter((id, k) => id !== first?.[k])).toHaveLength(1);
      }
      for (const place of places) expect(data.labels[place]).toBe([0, 1, 1][example]);
    }
  });

  it('are found again in the cache, and are others for other settings', async () => {
    const [first, again, more] = [await ask(5), await ask(5), await ask(7)];
    expect(again.data).toEqual(first.data);
    expect(more.queriesOf(2)).toHaveLength(8);
  });

  it('score a text by how far its loss is below the mean of its neighbours', () => {
    const view = {
      losses: Float64Array.of(1, 2, 3),
      margins: Float64Array.of(0, 0, 0),
      references: [],
      queried: [Float64Array.of(1, 2, 4), Float64Array.of(2, 1, 1), Float64Array.of(3)],
    };
    expect(miaN.run(view, readOptions(miaN.options, {}), seededSource(1))).toEqual([2, -1, 0]);
  });
});
