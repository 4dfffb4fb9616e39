// Splits: disjoint, complete, of the right sizes, with groups together, and repeatable from the record.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import {
  type DataSet,
  type Example,
  paperSplit,
  pick,
  restorePaperSplit,
  restoreSplit,
  type Split,
  splitShares,
  splitWays,
  undersample,
} from '../../src/data/index.js';
import { seededSource } from '../../src/random/index.js';

const make = (count: number, classes = 2): Example[] =>
  Array.from({ length: count }, (_, index) => ({ text: `text ${index}`, label: index % classes }));
const sizes = ({ parts }: Split) => parts.map(({ length }) => length);

/** Every index exactly once, rising in each part. */
function expectPartition({ parts, record }: Split, count: number) {
  expect(parts.flatMap((part) => [...part]).sort((a, b) => a - b)).toEqual([...Array(count).keys()]);
  for (const part of parts) expect([...part]).toEqual([...part].sort((a, b) => a - b));
  expect(record.sizes).toEqual(parts.map(({ length }) => length));
  expect(record.examples).toBe(count);
}

/** Examples, some of which belong to groups. */
const grouped = fc
  .array(fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }), { minLength: 60, maxLength: 300 })
  .map((groups) =>
    groups.map((group, index) => ({ text: `${index}`, ...(group !== undefined && { group: `g${group}` }) })),
  );

describe('shares and ways', () => {
  it('have the requested sizes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 500 }), fc.integer({ min: 1, max: 13 }), fc.nat(), (count, ways, seed) => {
        const equal = splitWays(make(count), ways, seededSource(seed));
        expectPartition(equal, count);
        expect(Math.max(...sizes(equal)) - Math.min(...sizes(equal))).toBeLessThanOrEqual(1);
        const shares = splitShares(make(count), [0.7, 0.2, 0.1], seededSource(seed));
        expectPartition(shares, count);
        for (const [part, share] of [0.7, 0.2, 0.1].entries()) {
          expect(Math.abs((sizes(shares)[part] as number) - share * count)).toBeLessThanOrEqual(1);
        }
      }),
    );
    expect(sizes(splitShares(make(8551), [0.9, 0.1], seededSource(1)))).toEqual([7696, 855]);
  });

  it('keep groups together, with sizes off by less than the largest group', () => {
    fc.assert(
      fc.property(grouped, fc.nat(), (examples, seed) => {
        for (const split of [
          splitShares(examples, [0.6, 0.4], seededSource(seed)),
          splitWays(examples, 3, seededSource(seed)),
        ]) {
          expectPartition(split, examples.length);
          const home = new Map<string, number>();
          for (const [part, indices] of split.parts.entries()) {
            for (const { group } of pick(examples, indices)) {
              if (group !== undefined) expect(home.get(group) ?? part).toBe(part);
              if (group !== undefined) home.set(group, part);
            }
          }
          const largest = Math.max(
            ...[...home.keys()].map((name) => examples.filter(({ group }) => group === name).length),
            1,
          );
          const [first = 0] = sizes(split);
          const wanted = split.parts.length === 2 ? 0.6 * examples.length : examples.length / 3;
          expect(Math.abs(first - wanted)).toBeLessThanOrEqual(largest + 1);
        }
      }),
    );
  });

  it('put every example into every part equally often', () => {
    const rounds = 4000;
    const counts = new Float64Array(20);
    for (let seed = 0; seed < rounds; seed += 1) {
      for (const index of splitShares(make(20), [0.25, 0.75], seededSource(seed)).parts[0] ?? [])
        counts[index] = (counts[index] ?? 0) + 1;
    }
    // Binomial(4000, 1/4): six standard deviations are 164, a false alarm once in 25 million.
    for (const count of counts) expect(Math.abs(count - rounds / 4)).toBeLessThan(164);
  });

  it('refuse examples that cannot be divided', () => {
    const source = seededSource(1);
    expect(() => splitShares(make(9), [0.9, 0.2], source)).toThrow(
      'invalid shares: expected positive numbers that add up to 1',
    );
    expect(() => splitShares(make(9), [1, 0], source)).toThrow('invalid shares');
    expect(() => splitShares(make(9), [], source)).toThrow('invalid shares');
    expect(() => splitShares(make(3), [0.99, 0.01], source)).toThrow('part 1 would be empty');
    expect(() => splitWays(make(3), 4, source)).toThrow('cannot split 3 examples (3 groups) into parts of 1, 1, 1, 0');
    expect(() => splitWays(make(3), 1.5, source)).toThrow(ArgumentError);
    const one = make(9).map((example) => ({ ...example, group: 'same' }));
    expect(() => splitWays(one, 2, source)).toThrow('cannot split 9 examples (1 groups)');
  });
});

describe('undersample', () => {
  it('takes as many examples of every class as the smallest has', () => {
    const examples = [
      ...make(40, 1),
      ...make(25, 1).map((example) => ({ ...example, label: 2 })),
      { text: 'x', label: 1 },
      { text: 'y', label: 1 },
    ];
    const { parts, record } = undersample(examples, seededSource(5));
    const chosen = pick(examples, parts[0] as Uint32Array);
    expect([0, 1, 2].map((label) => chosen.filter((example) => example.label === label).length)).toEqual([2, 2, 2]);
    expect(new Set(parts[0]).size).toBe(6);
    expect(record.sizes).toEqual([6]);
  });

  it('refuses examples without labels, or of one class', () => {
    expect(() => undersample([{ text: 'a' }], seededSource(5))).toThrow('example 0 has no label');
    expect(() => undersample(make(5, 1), seededSource(5))).toThrow('expected at least two classes, got 1');
  });
});

describe('records', () => {
  const examples = make(50).map((example, index) => ({ ...example, label: Number(index % 5 > 0) }));
  const makers = [
    (from: readonly Example[], seed: number) => splitShares(from, [0.8, 0.2], seededSource(seed).stream('splits')),
    (from: readonly Example[], seed: number) => splitWays(from, 7, seededSource(seed)),
    (from: readonly Example[], seed: number) => undersample(from, seededSource(seed)),
  ];

  it('repeat the split, also from JSON', () => {
    for (const split of makers) {
      const made = split(examples, 3);
      const record = JSON.parse(JSON.stringify(made.record));
      expect(restoreSplit(record, examples)).toEqual(made);
      expect(split(examples, 4).record.indicesDigest).not.toBe(record.indicesDigest);
    }
  });

  it('do not depend on earlier draws from the source', () => {
    const source = seededSource(3);
    source.next();
    expect(splitWays(examples, 7, source)).toEqual(splitWays(examples, 7, seededSource(3)));
  });

  it('fit no other data: not another text, label, group or order', () => {
    const { record } = splitWays(examples, 7, seededSource(3));
    const [first = { text: '' }, second = { text: '' }, ...rest] = examples;
    const changed: Example[][] = [
      [{ ...first, text: 'text 00' }, second, ...rest],
      [{ ...first, label: 1 }, second, ...rest],
      [{ ...first, group: 'g' }, second, ...rest],
      [second, first, ...rest],
      [first, ...rest],
      [{ text: first.text }, second, ...rest],
    ];
    for (const other of changed) {
      expect(() => restoreSplit(record, other)).toThrow(
        `the split was made from 50 other examples, got ${other.length}`,
      );
    }
  });

  it('that were altered are refused', () => {
    const { record } = splitWays(examples, 7, seededSource(3));
    const wrong = { ...record, source: seededSource(4).state() };
    expect(() => restoreSplit(wrong, examples)).toThrow('its seed, plan or digest was changed');
    expect(() => restoreSplit({ ...record, plan: { kind: 'ways', ways: 6 } }, examples)).toThrow(
      'the record does not give the split it names',
    );
  });

  it('stay the same from version to version', () => {
    // A change here means that no split of an earlier version can be repeated.
    expect(splitShares(make(10), [0.5, 0.5], seededSource(1)).parts.join(' ')).toBe('1,3,6,7,9 0,2,4,5,8');
    expect(splitWays(make(10), 3, seededSource(1)).parts.join(' ')).toBe('0,1,2,3 4,8,9 5,6,7');
    expect(undersample(make(9), seededSource(1)).parts.join(' ')).toBe('0,1,3,4,5,6,7,8');
    expect(splitWays(make(10), 3, seededSource(1)).record.indicesDigest).toBe(
      'f94be21ebe139319af14e407fb2cb09e1f97f8e866ea099a2a93d6587aa658d4',
    );
  });
});

describe('pick', () => {
  it('refuses an index out of range', () => {
    expect(() => pick(make(3), Uint32Array.of(3))).toThrow('invalid index: expected below 3, got 3');
  });
});

describe('the split of the paper', () => {
  const unlabelled = (count: number): Example[] => make(count).map(({ text }) => ({ text }));
  const skewed = (count: number): Example[] =>
    make(count).map((example, index) => ({ ...example, label: Number(index % 5 > 0) }));
  const set = (parts: DataSet['splits']): DataSet => ({ name: 'set', classes: ['0', '1'], splits: parts });
  const source = seededSource('paper');
  const shape = (dataSet: DataSet) => {
    const { record, dataSet: made } = paperSplit(dataSet, source);
    return Object.entries(record.parts).map(([part, { from, size }]) => {
      expect(made.splits[part as 'train']?.length).toBe(size);
      return [from, size];
    });
  };

  it('undersamples train and validation if test has labels (CoLA)', () => {
    const dataSet = set({ train: skewed(100), validation: skewed(50), test: skewed(30) });
    expect(shape(dataSet)).toEqual([
      ['train', 40],
      ['validation', 20],
      ['test', 30],
    ]);
  });

  it('tests on validation if test has no labels, and undersamples both parts of train (SST-2)', () => {
    const dataSet = set({ train: skewed(1000), validation: skewed(50), test: unlabelled(30) });
    const [[, train = 0] = [], [, validation = 0] = [], test] = shape(dataSet) as [string, number][];
    expect(train + validation).toBe(400);
    expect(validation).toBeGreaterThan(10);
    expect(validation).toBeLessThan(80);
    expect(test).toEqual(['validation', 50]);
    expect(shape(set({ train: skewed(1000), validation: skewed(50) }))[2]).toEqual(['validation', 50]);
    const { selections } = paperSplit(dataSet, source);
    expect(selections.train.indices.filter((index) => selections.validation.indices.includes(index)).length).toBe(0);
  });

  it('divides train 90 : 10 if there is no validation (IMDb)', () => {
    expect(shape(set({ train: make(1000), test: make(500) }))).toEqual([
      ['train', 900],
      ['train', 100],
      ['test', 500],
    ]);
  });

  it('is repeated from its record, and only with the same data', () => {
    const dataSet = set({ train: skewed(100), test: skewed(30) });
    const made = paperSplit(dataSet, source);
    expect(restorePaperSplit(JSON.parse(JSON.stringify(made.record)), dataSet)).toEqual(made);
    const other = set({ train: skewed(101), test: skewed(30) });
    expect(() => restorePaperSplit(made.record, other)).toThrow(
      "set: the record's split train has 90 rows of other data",
    );
    const changed = set({ ...dataSet.splits, test: skewed(31).slice(1) });
    expect(() => restorePaperSplit(made.record, changed)).toThrow("the record's split test has 30 rows");
  });

  it('needs two classes and labels to test on', () => {
    expect(() => paperSplit(set({ train: make(10, 1), test: make(10) }), source)).toThrow(
      'at least two classes in train',
    );
    expect(() => paperSplit(set({ train: make(10), test: unlabelled(10) }), source)).toThrow(
      'expected labels on validation or test',
    );
  });
});
