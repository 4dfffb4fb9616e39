// Data sets of the Hub, from a server on this machine: which files are which configuration and split, and the rows that they hold.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { loadDataSet, placeDataSet } from '../../src/data/index.js';
import { commitOf, useFakeHub } from '../platform/hub/fake-hub.js';

const hub = useFakeHub();
const golden = join(import.meta.dirname, '..', 'golden', 'data', 'parquet');
const [one, two] = ['plain', 'zstd'].map((name) => readFileSync(join(golden, `${name}.parquet`))) as [Buffer, Buffer];

function offer(paths: readonly string[], branch = 'main', others: Record<string, Record<string, Buffer>> = {}) {
  const files = Object.fromEntries(paths.map((path, i) => [path, i % 2 === 0 ? one : two]));
  hub.repositories.set('datasets/owner/texts', { branches: { ...others, [branch]: files } });
  return files;
}
const partsOf = async (source = 'hf:owner/texts') => (await placeDataSet(source)).parts;

/** The sentence of a refusal, in caches of its own. */
async function refusal(paths: readonly string[], source?: string): Promise<string> {
  offer(paths);
  process.env.HF_HOME = join(hub.root(), String(Math.random()));
  const error = await partsOf(source).catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(FileError);
  return (error as Error).message;
}

describe('a data set of the Hub', () => {
  it('is read as its files are, and without the Hub from then on', async () => {
    const files = offer([
      'data/train-00000-of-00002.parquet',
      'data/train-00001-of-00002.parquet',
      'data/test-00000-of-00001.parquet',
      'README.md',
    ]);
    const seen: string[] = [];
    const data = await loadDataSet('hf:owner/texts', { onProgress: ({ file }) => seen.push(file) });
    const [first, second] = await Promise.all(
      ['plain', 'zstd'].map((name) => loadDataSet(join(golden, `${name}.parquet`))),
    );
    expect(data.splits.train).toEqual([...(first?.splits.train ?? []), ...(second?.splits.train ?? [])]);
    expect(data.splits.test).toEqual(first?.splits.train);
    expect(data.name).toBe('owner/texts');
    expect(seen).toContain('data/train-00001-of-00002.parquet');
    hub.seen.length = 0;
    process.env.HF_HUB_OFFLINE = '1';
    expect(await loadDataSet(`hf:owner/texts@${commitOf(files)}`)).toEqual(data);
    expect(await loadDataSet('hf:owner/texts')).toEqual(data);
    expect(hub.seen).toEqual([]);
  });

  it.each<[string, readonly string[], Record<string, readonly string[]>]>([
    [
      'files at the top',
      ['train.parquet', 'valid.parquet'],
      { train: ['train.parquet'], validation: ['valid.parquet'] },
    ],
    [
      'shards with a digest in their names',
      ['data/train-00000-of-00001-0a1b2c.parquet'],
      { train: ['data/train-00000-of-00001-0a1b2c.parquet'] },
    ],
    [
      'a folder per split',
      ['data/train/0000.parquet', 'data/train/0001.parquet', 'data/test/part.parquet'],
      { train: ['data/train/0000.parquet', 'data/train/0001.parquet'], test: ['data/test/part.parquet'] },
    ],
    [
      'other splits, which are left out',
      ['plain_text/train-00000-of-00001.parquet', 'plain_text/unsupervised-00000-of-00001.parquet'],
      { train: ['plain_text/train-00000-of-00001.parquet'] },
    ],
    [
      'a split of exactly this name before others',
      ['train.parquet', 'train_small.parquet'],
      { train: ['train.parquet'] },
    ],
  ])('is understood with %s', async (_, paths, parts) => {
    offer(paths);
    expect(await partsOf()).toEqual(parts);
  });

  it('has configurations, of which one is chosen by name, and one alone or default without', async () => {
    const files = offer([
      'cola/train-00000-of-00001.parquet',
      'sst2/train-00000-of-00001.parquet',
      'sst2/test-00000-of-00001.parquet',
    ]);
    const place = await placeDataSet('hf:owner/texts:sst2');
    expect(place).toMatchObject({ name: 'owner/texts:sst2', source: `hf:owner/texts:sst2@${commitOf(files)}` });
    expect(Object.keys(place.parts)).toEqual(['train', 'test']);
    expect(hub.seen.some(({ url }) => url.includes('/resolve/') && url.includes('cola'))).toBe(false);
    await expect(partsOf()).rejects.toThrow(
      'hf:owner/texts: the data set has several configurations: write hf:owner/texts:cola, or with another of cola, sst2',
    );
    await expect(partsOf('hf:owner/texts:qqp')).rejects.toThrow(
      'there is no configuration qqp: expected one of cola, sst2',
    );
    process.env.HF_HOME = join(hub.root(), 'b');
    offer(['data/train.parquet', 'en/train.parquet', 'data/de/train.parquet']);
    expect(await partsOf()).toEqual({ train: ['data/train.parquet'] });
    expect(await partsOf('hf:owner/texts:de')).toEqual({ train: ['data/de/train.parquet'] });
  });

  it('is read from the Hub’s own conversion where it has no Parquet files, also offline', async () => {
    const converted = { 'default/train/0000.parquet': one, 'default/train/0001.parquet': two };
    offer(['train.csv'], 'main', { 'refs/convert/parquet': converted });
    const place = await placeDataSet('hf:owner/texts');
    expect(place.source).toBe(`hf:owner/texts@${commitOf(converted)}`);
    expect(place.parts).toEqual({ train: ['default/train/0000.parquet', 'default/train/0001.parquet'] });
    hub.seen.length = 0;
    process.env.HF_HUB_OFFLINE = '1';
    expect(await placeDataSet('hf:owner/texts')).toEqual(place);
    expect(await placeDataSet(place.source)).toEqual(place);
    expect(await partsOf('hf:owner/texts@refs/convert/parquet')).toEqual(place.parts);
    expect(hub.seen).toEqual([]);
  });

  it('is refused where files are missing, doubled, or only a part', async () => {
    expect(await refusal(['train-00000-of-00002.parquet'])).toBe(
      'hf:owner/texts: expected all files of train once, got train-00000-of-00002.parquet',
    );
    expect(await refusal(['d/train/0000.parquet', 'd/train/0002.parquet'])).toContain(
      'expected all files of train once',
    );
    expect(await refusal(['validation_matched.parquet', 'validation_mismatched.parquet'])).toContain(
      'expected one split for validation, got validation_matched and validation_mismatched: download the files that you mean',
    );
    expect(await refusal(['d/partial-train/0000.parquet'])).toContain(
      'the Hub has converted only a part of its split train',
    );
    expect(await refusal(['things.parquet'])).toContain('expected splits named train, validation or test, got things');
    expect(await refusal(['train.csv'])).toBe(
      'hf:owner/texts: expected Parquet files, which the repository lacks, and the Hub has not converted it: download its files and give their folder',
    );
    expect(await refusal(['train.csv'], 'hf:owner/texts@main')).toContain(
      'which the repository lacks at main: try @refs/convert/parquet',
    );
  });

  it('is suggested where its name stands alone, and named as expected', async () => {
    await expect(loadDataSet('stanfordnlp/imdb')).rejects.toThrow(
      'no such file or folder; for the data set of this name on the Hugging Face Hub, write hf:stanfordnlp/imdb',
    );
    await expect(loadDataSet('hf:a/b/c')).rejects.toBeInstanceOf(ArgumentError);
    await expect(loadDataSet('hf:a/b/c')).rejects.toThrow(
      'expected a data set of the Hub as hf:owner/name, hf:owner/name:config',
    );
    await expect(loadDataSet('hf:owner/gone')).rejects.toThrow('there is no such data set, or it is private or gated');
  });
});
