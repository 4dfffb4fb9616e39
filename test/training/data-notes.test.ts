// What is counted about the data of a training.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSet, Example } from '../../src/data/index.js';
import { loadModel, type Model } from '../../src/models/index.js';
import { encodeDataSet, encodeWithNotes } from '../../src/training/index.js';
import { makeRoot, writeTiny } from '../models/tiny-models.js';

const root = makeRoot();
let model: Model;
beforeAll(async () => {
  model = await loadModel(await writeTiny(join(root, 'model'), 'bert'), { numLabels: 2 });
});

const rows = (...texts: string[]): Example[] => texts.map((text, i) => ({ text, label: i % 2 }));
const notesOf = (dataSet: Partial<DataSet>, maxTokens = 8) =>
  encodeWithNotes({ name: 'd', classes: ['no', 'yes'], splits: {}, ...dataSet }, model, { maxTokens }).notes;

describe('the notes on data', () => {
  it('say nothing where there is nothing to say', () => {
    expect(notesOf({ splits: { train: rows('a', 'b', 'c', 'd'), test: rows('e') } })).toEqual({
      rows: { train: 4, test: 1 },
      skipped: {},
      unlabelled: [],
      cut: {},
      maxTokens: 8,
      scarceClasses: [],
      repeated: 0,
      alsoInTrain: {},
    });
  });

  it('count texts that were cut, and what they lost', () => {
    // Every letter is a token, and two special ones are around a text: 8, 10, 16 and 80 tokens.
    const texts = [6, 8, 14, 78].map((letters) => 'a '.repeat(letters));
    const { cut } = notesOf({ splits: { train: rows(...texts, 'a', 'b', 'c', 'd'), test: rows(texts[3] as string) } });
    expect(cut).toEqual({
      train: { texts: 3, medianLost: 0.5, mostLost: 0.9 },
      test: { texts: 1, medianLost: 0.9, mostLost: 0.9 },
    });
    // No more than the model reads.
    expect(notesOf({ splits: { train: rows(...texts) } }, 9999).maxTokens).toBe(model.config.positions);
  });

  it('count rows left out, splits without labels and classes with hardly a row', () => {
    const classes = ['never', 'once', 'often'];
    const train = [1, 2, 2, 2].map((label, i) => ({ text: `a ${'b '.repeat(i)}`, label }));
    const splits = { train, validation: [{ text: 'a', label: 1 }, { text: 'b' }], test: rows('x') };
    const skipped = { train: 3 };
    expect(notesOf({ classes, splits, skipped })).toMatchObject({
      rows: { train: 4, test: 1 },
      skipped,
      unlabelled: ['validation'],
      scarceClasses: [
        { name: 'never', rows: 0 },
        { name: 'once', rows: 1 },
      ],
    });
  });

  it('count texts that occur twice, and groups', () => {
    const train = [
      { text: 'a', label: 0, group: 'u' },
      { text: ' a ', label: 1, group: 'u' },
      { text: 'b', label: 0, group: 'v' },
      { text: 'c', label: 1 },
    ];
    const notes = notesOf({ splits: { train, validation: rows('b ', 'c', 'd'), test: rows('d') } });
    expect(notes).toMatchObject({ repeated: 1, alsoInTrain: { validation: 2 }, groups: { count: 3, largest: 2 } });
    expect(notes.alsoInTrain).not.toHaveProperty('test');
  });

  it('do not change the encoding', () => {
    const dataSet: DataSet = { name: 'd', classes: ['no', 'yes'], splits: { train: rows('a b c d e f g h', 'b') } };
    const { data } = encodeWithNotes(dataSet, model, { maxTokens: 8 });
    expect(data).toEqual(encodeDataSet(dataSet, model, { maxTokens: 8 }));
  });

  it('take a fraction of a second for 67,000 rows, without the time of the tokenizer', () => {
    const train = Array.from({ length: 67_000 }, (_, i) => ({ text: `row ${i}`, label: i % 2, group: `${i % 999}` }));
    const ids = [1, 2, 3];
    const encode: Model['tokenizer']['encode'] = (_, { onLength } = {}) => {
      onLength?.(9);
      return ids;
    };
    const quick: Model = { ...model, tokenizer: { ...model.tokenizer, encode } };
    const start = performance.now();
    const { notes } = encodeWithNotes({ name: 'd', classes: ['no', 'yes'], splits: { train } }, quick, {
      maxTokens: 8,
    });
    // About 0.1 s; what grows with the square of the rows takes several seconds.
    expect(performance.now() - start).toBeLessThan(1500);
    expect(notes.cut.train?.texts).toBe(67_000);
  });
});
