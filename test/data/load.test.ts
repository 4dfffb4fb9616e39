// Whole data sets: files, folders, classes, and the errors on the way.

import { dirname } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FileError } from '../../src/checks/index.js';
import { bundledData, checkClasses, type DataSet, loadDataSet } from '../../src/data/index.js';
import { golden, makeFolder } from './files.js';

const write = makeFolder();

/** Writes files into a folder of this name and returns its path. */
function folder(name: string, files: Record<string, string | Uint8Array>): string {
  for (const [file, content] of Object.entries(files)) write(`${name}/${file}`, content);
  return dirname(write(`${name}/.hidden`, ''));
}
const labels = (set: DataSet, part: 'train' | 'validation' | 'test' = 'train') =>
  set.splits[part]?.map(({ label }) => label);

describe('a file', () => {
  it('becomes the split train, with classes sorted by value or by code unit', async () => {
    const numbers = await loadDataSet(write('numbers.csv', 'text,label\na,10\nb,9\nc,-1\nd,10\n'));
    expect(numbers).toEqual({
      name: 'numbers',
      classes: ['-1', '9', '10'],
      splits: {
        train: [
          { text: 'a', label: 2 },
          { text: 'b', label: 1 },
          { text: 'c', label: 0 },
          { text: 'd', label: 2 },
        ],
      },
    });
    const names = await loadDataSet(write('names.tsv.gz', gzipSync('text\tlabel\na\tspam\nb\tHam\nc\t10\n')));
    expect(names.name).toBe('names');
    expect(names.classes).toEqual(['10', 'Ham', 'spam']);
    expect(labels(names)).toEqual([2, 1, 0]);
  });

  it('keeps the given order of classes and refuses other labels', async () => {
    const path = write('given.csv', 'text,label\na,pos\nb,neg\n');
    expect(labels(await loadDataSet(path, { classes: ['neg', 'pos', 'other'] }))).toEqual([1, 0]);
    await expect(loadDataSet(path, { classes: ['pos'] })).rejects.toThrow(
      `${path}: line 3: expected one of the labels pos, got "neg"`,
    );
    const parquet = `${golden}/parquet/snappy.parquet`;
    await expect(loadDataSet(parquet, { classes: ['0'] })).rejects.toThrow(
      `${parquet}: row 2: expected one of the labels 0, got "1"`,
    );
    await expect(loadDataSet(path, { format: 'xls' as 'csv' })).rejects.toThrow('invalid format');
    await expect(loadDataSet(path, { classes: ['pos', 'pos'] })).rejects.toThrow(ArgumentError);
  });

  it('may have no labels, and keeps groups', async () => {
    const path = write('mail.jsonl', '{"text": "a", "thread": 7}\n{"text": "b", "thread": 8}\n');
    expect(await loadDataSet(path, { groupColumn: 'thread' })).toEqual({
      name: 'mail',
      classes: [],
      columns: ['text', 'thread'],
      splits: {
        train: [
          { text: 'a', group: '7' },
          { text: 'b', group: '8' },
        ],
      },
    });
  });

  it('without rows is an error; dropped rows are counted', async () => {
    await expect(loadDataSet(write('none.tsv', ''))).rejects.toThrow('none.tsv: expected rows, got none');
    await expect(loadDataSet(write('head.csv', 'text,label\n'))).rejects.toThrow('head.csv: expected rows, got none');
    const { splits: parts, skipped } = await loadDataSet(write('gaps.csv', 'text,label\n,1\nb,1\n" ",2\n'), {
      skipEmpty: true,
    });
    expect(parts.train?.length).toBe(1);
    expect(skipped).toEqual({ train: 2 });
  });
});

describe('a folder', () => {
  const table = (...rows: string[]) => `text,label\n${rows.join('\n')}\n`;

  it.each([
    ['glue', ['train.csv', 'dev.csv', 'test.csv']],
    ['names', ['x-train.csv', 'my_validation_set.csv', 'TEST.CSV']],
    ['v1.0', ['train.csv', 'dev.csv', 'test.csv']],
    ['short', ['training.csv.gz', 'val.csv', 'test.csv']],
    ['cola', ['in_domain_train.csv', 'in_domain_dev.csv', 'out_of_domain_dev.csv']],
    ['other', ['train.csv', 'valid.csv', 'test.csv', 'README.md', 'pretraining.csv', '.train.csv.swp']],
  ])('finds the splits by name: %s', async (name, [train = '', validation = '', test = '', ...rest]) => {
    const others = Object.fromEntries(rest.map((file) => [file, 'nothing to read']));
    const path = folder(name, { [train]: table('a,x'), [validation]: table('b,y'), [test]: table('c,x'), ...others });
    expect(await loadDataSet(path)).toEqual({
      name,
      classes: ['x', 'y'],
      splits: {
        train: [{ text: 'a', label: 0 }],
        validation: [{ text: 'b', label: 1 }],
        test: [{ text: 'c', label: 0 }],
      },
    });
  });

  it('lets every split have its own columns, and reads withheld labels (-1) as none', async () => {
    const glue = await loadDataSet(
      folder('sst2', { 'train.tsv': 'sentence\tlabel\na\t0\nb\t1\n', 'test.tsv': 'index\tsentence\n0\tc\n' }),
    );
    expect(glue.splits.test).toEqual([{ text: 'c' }]);
    const hidden = await loadDataSet(
      folder('hidden', { 'train.csv': table('a,0', 'b,1'), 'test.csv': table('c,-1', 'd,-1') }),
    );
    expect(hidden.classes).toEqual(['0', '1']);
    expect(hidden.splits.test).toEqual([{ text: 'c' }, { text: 'd' }]);
  });

  it('joins the shards of a split, and needs all of them', async () => {
    const pieces = { 'train-00000-of-00002.csv': table('a,x'), 'train-00001-of-00002.csv': table('b,y') };
    expect((await loadDataSet(folder('pieces', pieces))).splits.train?.map(({ text }) => text)).toEqual(['a', 'b']);
    const lost = folder('lost', { 'train-00001-of-00002.csv': table('b,y') });
    await expect(loadDataSet(lost)).rejects.toThrow('expected 2 files for train, got train-00001-of-00002.csv');
    const twice = folder('twice', {
      'train-00000-of-00002.csv': table('a,x'),
      'train-00000-of-00002.tsv': 'text\nb\n',
    });
    await expect(loadDataSet(twice)).rejects.toThrow('expected 2 files for train');
    const two = folder('two', { 'train.csv': table('a,x'), 'train.tsv': 'text\nb\n' });
    await expect(loadDataSet(two)).rejects.toThrow('expected one file for train, got train.csv, train.tsv');
  });

  it("like IMDb's: one file per example, in folders named after the classes", async () => {
    const path = folder('aclImdb', {
      'train/pos/0_9.txt': 'Good film.\n',
      'train/pos/10_8.txt': 'Great.<br />\r\nReally.',
      'train/neg/0_1.txt': 'Bad film.',
      'train/unsup/0_0.txt': 'Film.',
      'train/urls_pos.txt': 'http://…',
      'test/neg/0_2.txt': 'No.',
      'imdb.vocab': 'film',
    });
    expect(await loadDataSet(path)).toEqual({
      name: 'aclImdb',
      classes: ['neg', 'pos'],
      splits: {
        train: [
          { text: 'Bad film.', label: 0 },
          { text: 'Good film.', label: 1 },
          { text: 'Great.<br />\nReally.', label: 1 },
        ],
        test: [{ text: 'No.', label: 0 }],
      },
    });
    const gap = folder('gap', { 'train/pos/0.txt': '\n', 'train/neg/0.txt': 'a' });
    await expect(loadDataSet(gap)).rejects.toThrow('0.txt: the text is empty; remove the file or add skipEmpty: true');
    expect((await loadDataSet(gap, { skipEmpty: true })).skipped).toEqual({ train: 1 });
  });

  it('without data is refused with a list of what it holds', async () => {
    const path = folder('strange', { 'notes.md': '', 'words.csv': '' });
    await expect(loadDataSet(path)).rejects.toThrow('or folders such as train/pos, got notes.md, words.csv');
    const bare = folder('bare', { 'train/a.bin': '' });
    await expect(loadDataSet(bare)).rejects.toThrow('expected one folder of text files per class, got none');
    await expect(loadDataSet(folder('void', {}))).rejects.toThrow('got nothing');
  });
});

describe('other sources', () => {
  it('are named in the error if they are unknown', async () => {
    await expect(loadDataSet('nowhere')).rejects.toThrow('nowhere: no such file or folder; for the data set');
    await expect(loadDataSet('nowhere')).rejects.toBeInstanceOf(FileError);
    await expect(loadDataSet('bundled:constructor')).rejects.toThrow(
      'no bundled data set "constructor"; expected one of',
    );
    await expect(loadDataSet('bundled:mail', { skipEmpty: true })).rejects.toThrow(
      'invalid skipEmpty: bundled:mail is read without options; leave it out',
    );
  });

  it('are all listed in the error', async () => {
    for (const name of Object.keys(bundledData)) {
      await expect(loadDataSet('bundled:none')).rejects.toThrow(`bundled:${name}`);
    }
  });
});

describe('checkClasses', () => {
  const set = (train: DataSet['splits']['train'] = []): DataSet => ({
    name: 'set',
    classes: ['x', 'y'],
    splits: { train },
  });

  it('requires labels and two classes', () => {
    checkClasses(
      set([
        { text: 'a', label: 0 },
        { text: 'b', label: 1 },
      ]),
    );
    expect(() => checkClasses(set([{ text: 'a', label: 1 }]))).toThrow(
      'set: expected at least two classes in train, got only "y"',
    );
    expect(() => checkClasses(set([{ text: 'a', label: 1 }, { text: 'b' }]))).toThrow('got none on example 1');
    expect(() => checkClasses(set(), 'test')).toThrow('two classes in test, got none');
  });
});
