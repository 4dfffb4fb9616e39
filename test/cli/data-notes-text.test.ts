// The lines about the data that `epsilens train` prints.

import { describe, expect, it } from 'vitest';
import { describeNotes } from '../../src/cli/data-notes-text.js';
import type { DataNotes } from '../../src/training/index.js';

const none: DataNotes = {
  rows: { train: 2000, test: 10 },
  skipped: {},
  unlabelled: [],
  cut: {},
  maxTokens: 128,
  scarceClasses: [],
  repeated: 0,
  alsoInTrain: {},
};

describe('the lines about the data', () => {
  it('are none where nothing is noteworthy', () => {
    expect(describeNotes(none, true)).toEqual([]);
    expect(describeNotes({ ...none, groups: { count: 2000, largest: 1 } }, true)).toEqual([]);
    expect(describeNotes({ ...none, cut: { test: { texts: 1, medianLost: 0.1, mostLost: 0.1 } } }, true)).toEqual([]);
  });

  it.each([
    [{ skipped: { train: 1200, test: 1 } }, 'Rows without text were left out: 1,200 of train, 1 of test.'],
    [{ repeated: 4000 }, 'Training texts that repeat an earlier one: 4,000.'],
    [{ unlabelled: ['test'] }, 'Not scored, because labels are missing: test.'],
    [
      { cut: { train: { texts: 37, medianLost: 0.214, mostLost: 0.8 } } },
      'Cut to 128 tokens (--max-tokens): 37 of 2,000 training texts, which lost 21 % of their tokens in the median, 80 % at most.',
    ],
    [
      { scarceClasses: [...'abcdefg'].map((name, i) => ({ name, rows: i % 2 })) },
      'Classes with hardly a row to train on: a (no row), b (one row), c (no row), d (one row), e (no row), 2 more.',
    ],
    [
      { alsoInTrain: { validation: 2, test: 3 } },
      'Texts that are also in train: 2 of validation, 3 of test; scores there flatter the model.',
    ],
  ] as const)('say %j in a sentence', (changes, sentence) => {
    expect(describeNotes({ ...none, ...changes } as DataNotes, false)).toEqual([sentence]);
  });

  it('name the unit of a guarantee where rows have groups, and only there', () => {
    const grouped = { ...none, groups: { count: 120, largest: 14 } };
    expect(describeNotes(grouped, false)).toEqual([]);
    expect(describeNotes(grouped, true)).toEqual([
      'The training rows are of 120 groups, up to 14 rows each: the guarantee is for one row, not for a group.',
    ]);
  });
});
