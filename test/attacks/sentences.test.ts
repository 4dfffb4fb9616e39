// A client's sentences: cut, drawn by the seed, in whole batches, and refused where nothing could be recovered.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, encodeTexts, sampleSentences } from '../../src/attacks/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const model: Model = await loadModel(await writeTiny(makeRoot(), 'bert'), { numLabels: 2 });
const { tokenizer } = model;

describe('sentences drawn from data', () => {
  const examples = Array.from({ length: 20 }, (_, i) => ({
    text: [...'abcdefghijklmnopqrst'].slice(i).join(' '),
    label: i % 3,
  }));
  const draw = (count: number, seed: number, maxTokens = 40) =>
    sampleSentences(model, examples, { count, seed, maxTokens });

  it('are distinct, each with its own label', () => {
    const { inputIds, labels } = draw(12, 1);
    const texts = inputIds.map((ids) => tokenizer.decode(ids));
    expect(new Set(texts).size).toBe(12);
    expect(labels).toEqual(texts.map((text) => examples.find((one) => one.text === text)?.label));
  });

  it('are the beginning of one order per seed, so that more sentences contain the fewer', () => {
    expect(draw(5, 1).inputIds).toEqual(draw(12, 1).inputIds.slice(0, 5));
    expect(draw(12, 2).inputIds).not.toEqual(draw(12, 1).inputIds);
  });

  it('are cut to the tokens that are allowed and to the positions that the model has', () => {
    for (const row of draw(20, 1, 6).inputIds) expect([row.length <= 6, row.at(-1)]).toEqual([true, 3]);
    const long = [{ text: Array(100).fill('a').join(' ') }];
    expect(sampleSentences(model, long, { count: 1, seed: 1, maxTokens: 99 }).inputIds[0]).toHaveLength(40);
  });

  it('contain words, and have label 0 where the data has none', () => {
    const some = ['', '☃', 'a b'].map((text) => ({ text }));
    expect(sampleSentences(model, some, { count: 1, seed: 1, maxTokens: 9 })).toEqual({
      inputIds: [tokenizer.encode('a b')],
      labels: [0],
    });
  });
});

describe('given texts', () => {
  it('stay in their order', () => {
    const texts = ['z y', 'a b c'];
    expect(encodeTexts(model, texts, 40)).toEqual({
      inputIds: texts.map((text) => tokenizer.encode(text)),
      labels: [0, 0],
    });
    expect(encodeTexts(model, ['a b c d e f'], 5).inputIds).toEqual([tokenizer.encode('a b c')]);
  });

  it('must leave something to recover', () => {
    expect(() => encodeTexts(model, ['a', '?!'], 40)).toThrow(
      'text 2: expected letters or digits to recover, got none',
    );
    expect(() => encodeTexts(model, ['a b'], 2)).toThrow(
      'text 1: expected at least 3 tokens, special ones included, got 2',
    );
  });
});

describe('batches', () => {
  it('hold every sentence once, in order, all of one size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), (size, count) => {
        const batches = batchesOf(size * count, size);
        expect(batches.map(({ length }) => length)).toEqual(Array(count).fill(size));
        expect(batches.flat()).toEqual(Array.from({ length: size * count }, (_, i) => i));
      }),
    );
  });

  it('that would not be whole are refused, with counts that would fit', () => {
    expect(() => batchesOf(7, 3)).toThrow('expected whole batches of 3, got 7 sentences: give 6 or 9');
    expect(() => batchesOf(2, 3)).toThrow('batchSize 3: expected at most the 2 sentences');
  });
});
