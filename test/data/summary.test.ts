// The summary of a data set, against counts by hand and against a slow definition of quantiles.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DataSet, summarize } from '../../src/data/index.js';

describe('summarize', () => {
  const dataSet: DataSet = {
    name: 'small',
    classes: ['no', 'yes', 'maybe'],
    splits: {
      train: [
        { text: 'one', label: 0 },
        { text: ' one ', label: 1 },
        { text: 'two words', label: 1 },
        { text: 'one', label: 1 },
      ],
      test: [{ text: 'one' }, { text: '😀😀', label: 2 }, { text: 'two words', label: 1 }],
    },
    skipped: { test: 4 },
  };

  it('counts rows, classes, lengths and repeated texts', () => {
    const { name, classes, parts } = summarize(dataSet, (text) => text.trim().split(' ').length);
    expect([name, classes]).toEqual(['small', ['no', 'yes', 'maybe']]);
    expect(parts.train).toEqual({
      rows: 4,
      skipped: 0,
      unlabelled: 0,
      rowsPerClass: [1, 3, 0],
      emptyClasses: ['maybe'],
      characters: { 0: 3, 5: 3, 25: 3, 50: 3, 75: 5, 95: 9, 99: 9, 100: 9 },
      tokens: { 0: 1, 5: 1, 25: 1, 50: 1, 75: 1, 95: 2, 99: 2, 100: 2 },
      repeated: 2,
      alsoIn: { test: 4 },
    });
    expect(parts.test).toMatchObject({ rows: 3, skipped: 4, unlabelled: 1, rowsPerClass: [0, 1, 1], repeated: 0 });
    expect(parts.test).toMatchObject({
      emptyClasses: ['no'],
      alsoIn: { train: 2 },
      characters: { 0: 2, 50: 3, 100: 9 },
    });
  });

  it('counts no tokens without a function that does', () => {
    expect(summarize(dataSet).parts.train).not.toHaveProperty('tokens');
  });

  it('gives quantiles that occur: the smallest length that enough rows do not exceed', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 200 }), (lengths) => {
        const train = lengths.map((length) => ({ text: 'x'.repeat(length) }));
        const { characters } = summarize({ name: '', classes: [], splits: { train } }).parts.train ?? {};
        for (const [percent, found] of Object.entries(characters ?? {})) {
          const share = (most: number) => (100 * lengths.filter((length) => length <= most).length) / lengths.length;
          const smallest = lengths.toSorted((a, b) => a - b).find((length) => share(length) >= Number(percent));
          expect(found).toBe(smallest);
        }
      }),
    );
  });
});
