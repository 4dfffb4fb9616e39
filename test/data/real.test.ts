// Real data sets, only where ../shared is: rows, classes, lengths and repeated texts as Python 3.11 and numpy 2.4 count
// them, and the sizes of the paper's splits.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type DataSet, loadDataSet, paperSplit, type SplitName, splitWays, summarize } from '../../src/data/index.js';
import { seededSource } from '../../src/random/index.js';
import { readAll, shared } from './files.js';

const percents = [0, 5, 25, 50, 75, 95, 99, 100] as const;

/** The start of SHA-256 over lines of text, tab, label. */
function fingerprint({ classes, splits: parts }: DataSet, part: SplitName): string {
  const lines = parts[part]?.map(({ text, label }) => `${text}\t${label === undefined ? 'None' : classes[label]}`);
  return createHash('sha256')
    .update(lines?.join('\n') ?? '')
    .digest('hex')
    .slice(0, 16);
}

function facts(dataSet: DataSet, part: SplitName) {
  const summary = summarize(dataSet).parts[part];
  return {
    rowsPerClass: summary?.rowsPerClass,
    unlabelled: summary?.unlabelled,
    repeated: summary?.repeated,
    alsoIn: summary?.alsoIn,
    characters: percents.map((percent) => summary?.characters[percent]),
    fingerprint: fingerprint(dataSet, part),
  };
}

const sizes = (dataSet: DataSet) =>
  Object.values(paperSplit(dataSet, seededSource('paper')).record.parts).map(({ from, size }) => [from, size]);

describe.skipIf(!existsSync(join(shared, 'cola')))('CoLA', () => {
  let cola: DataSet;
  beforeAll(async () => {
    cola = await loadDataSet(join(shared, 'cola'));
  });

  it('has 8551, 527 and 516 sentences', () => {
    expect(facts(cola, 'train')).toEqual({
      rowsPerClass: [2528, 6023],
      unlabelled: 0,
      repeated: 19,
      alsoIn: { validation: 6, test: 12 },
      characters: [6, 18, 28, 37, 49, 78, 107, 231],
      fingerprint: '10c1a595159233bf',
    });
    expect(facts(cola, 'validation')).toMatchObject({ rowsPerClass: [162, 365], fingerprint: '1693c5d87bb66451' });
    expect(facts(cola, 'test')).toMatchObject({
      rowsPerClass: [162, 354],
      repeated: 3,
      fingerprint: '5f2dad3c01c76fe9',
    });
  });

  it('splits as in the paper: 5,056, 324 and 516, equal classes in the first two', () => {
    expect(sizes(cola)).toEqual([
      ['train', 5056],
      ['validation', 324],
      ['test', 516],
    ]);
    const { parts } = summarize(paperSplit(cola, seededSource('paper')).dataSet);
    expect([parts.train?.rowsPerClass, parts.validation?.rowsPerClass]).toEqual([
      [2528, 2528],
      [162, 162],
    ]);
  });
});

describe.skipIf(!existsSync(join(shared, 'sst2')))('SST-2', () => {
  let sst2: DataSet;
  beforeAll(async () => {
    sst2 = await loadDataSet(join(shared, 'sst2'));
  });

  it('has 67,349 and 872 sentences, and 1,821 without labels', () => {
    expect(facts(sst2, 'train')).toEqual({
      rowsPerClass: [29780, 37569],
      unlabelled: 0,
      repeated: 371,
      alsoIn: { validation: 0, test: 2 },
      characters: [2, 10, 21, 39, 74, 145, 194, 268],
      fingerprint: '89a0e5704cd5eab7',
    });
    expect(facts(sst2, 'validation')).toMatchObject({ rowsPerClass: [428, 444], fingerprint: 'e3f46bd04fdd5384' });
    expect(facts(sst2, 'test')).toMatchObject({
      rowsPerClass: [0, 0],
      unlabelled: 1821,
      fingerprint: '0f9abf56d71a1f42',
    });
  });

  it('splits as in the paper: 59,560 rows in train and validation, 872 in test', () => {
    const [train, validation, test] = sizes(sst2) as [string, number][];
    expect((train?.[1] ?? 0) + (validation?.[1] ?? 0)).toBe(59_560);
    // The paper has 5,850; by chance the smaller class has 2,978 ± 39 of a tenth of the rows.
    expect(Math.abs((validation?.[1] ?? 0) - 5956)).toBeLessThan(6 * 2 * 39);
    expect(test).toEqual(['validation', 872]);
  });

  it('splits into eleven equal parts for reference models', () => {
    const { record } = splitWays(sst2.splits.train ?? [], 11, seededSource('references'));
    expect(record.sizes).toEqual([...Array(7).fill(6123), ...Array(4).fill(6122)]);
  });
});

describe.skipIf(!existsSync(join(shared, 'imdb')))('IMDb', () => {
  let imdb: DataSet;
  beforeAll(async () => {
    imdb = await loadDataSet(join(shared, 'imdb'));
  });

  it('has 25,000 and 25,000 reviews', () => {
    expect(facts(imdb, 'train')).toEqual({
      rowsPerClass: [12500, 12500],
      unlabelled: 0,
      repeated: 96,
      alsoIn: { test: 123 },
      characters: [52, 356, 702, 979, 1614, 3432, 5213, 13704],
      fingerprint: '6942ed2d0a54ec7d',
    });
    expect(facts(imdb, 'test')).toMatchObject({ repeated: 199, fingerprint: '9f27fbd2e2023933' });
  });

  it('splits as in the paper: 22,500, 2,500 and 25,000', () => {
    expect(sizes(imdb)).toEqual([
      ['train', 22_500],
      ['train', 2500],
      ['test', 25_000],
    ]);
  });
});

describe.skipIf(!existsSync(join(shared, 'multi30k')))('Multi30k', () => {
  it('is read as lines of text, although its name has no known ending', async () => {
    const path = join(shared, 'multi30k', 'train.de.gz');
    expect(await readAll(path, { format: 'text', textBy: 'lines' })).toHaveLength(29_000);
  });
});
