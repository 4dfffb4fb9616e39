// The splits of a data set in a folder: files named after them (train.tsv, dev.tsv, …), or IMDb's folders of text files
// (train/pos/*.txt), whose names are the classes.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError, say } from '../checks/index.js';
import { failedToBe } from '../platform/index.js';
import { type SplitName, splitNames } from './data-set.js';
import { longestLine, readLineBatches, tooLong } from './lines.js';
import type { OnColumns, ReadOptions } from './record.js';
import { formatOf, orSkipEmpty, placeIn, type Row, readRows } from './rows.js';

/** One file, or one folder of text files of one class. */
export interface RowSource {
  readonly path: string;
  /** Whether errors count lines or rows. */
  readonly place: 'line' | 'row';
  readonly rows: (onColumns?: OnColumns) => AsyncGenerator<Row, number>;
}

/** The rows of one file. */
export const fileSource = (path: string, options: ReadOptions): RowSource => ({
  path,
  place: placeIn(path, options),
  rows: (onColumns) => readRows(path, options, onColumns),
});

export type PartSources = Partial<Record<SplitName, readonly RowSource[]>>;

export const partWords: Readonly<Record<SplitName, readonly string[]>> = {
  train: ['train', 'training'],
  validation: ['dev', 'validation', 'valid', 'val'],
  test: ['test'],
};

const filesAtOnce = 16;

/** The split that a name stands for. CoLA's out-of-domain dev set counts as test: papers test on it, because the test set is not public. */
export function partOf(stem: string): SplitName | undefined {
  if (stem.toLowerCase() === 'out_of_domain_dev') return 'test';
  const words = stem.toLowerCase().split(/[^a-z]+/);
  const parts = splitNames.filter((part) => partWords[part].some((word) => words.includes(word)));
  return parts.length === 1 ? parts[0] : undefined;
}

/** Finds the files or class folders of every split in a folder. */
export async function findParts(folder: string, options: ReadOptions): Promise<PartSources> {
  const entries = (await entriesOf(folder)).filter(({ name }) => !name.startsWith('.'));
  const names = entries.map(({ name }) => name).sort();
  const parts: { -readonly [part in SplitName]?: readonly RowSource[] } = {};
  for (const part of splitNames) {
    const files = names.filter((name) => {
      const { stem, format } = formatOf(name);
      return partOf(stem) === part && (format !== undefined || (options.format !== undefined && name.includes('.')));
    });
    if (files.length === 0) continue;
    parts[part] = orderShards(folder, part, files).map((name) => fileSource(join(folder, name), options));
  }
  if (Object.keys(parts).length > 0) return parts;
  for (const entry of entries) {
    const part = entry.isDirectory() ? partOf(entry.name) : undefined;
    if (part) parts[part] = await findClassFolders(join(folder, entry.name), options);
  }
  if (Object.keys(parts).length > 0) return parts;
  throw new FileError(
    `${folder}: expected files such as train.tsv, dev.csv, test.jsonl, or folders such as train/pos, got ${names.slice(0, 10).join(', ') || 'nothing'}`,
  );
}

/** Accepts one file, or all shards train-00000-of-00004 … train-00003-of-00004: a lost shard would change the data unnoticed. */
function orderShards(folder: string, part: SplitName, names: readonly string[]): readonly string[] {
  const pieces = names.map((name) => /-(\d+)-of-(\d+)/.exec(name) ?? []);
  const total = pieces[0]?.[2];
  if (total === undefined && names.length === 1) return names;
  const isWhole = pieces.every(([, piece, of], index) => Number(piece) === index && of === total);
  if (isWhole && Number(total) === names.length) return names;
  const wanted = total === undefined ? 'one file' : `${Number(total)} files`;
  throw new FileError(`${folder}: expected ${wanted} for ${part}, got ${names.join(', ')}; move the others away`);
}

async function findClassFolders(folder: string, options: ReadOptions): Promise<RowSource[]> {
  const entries = await entriesOf(folder);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  // IMDb keeps reviews without a class in `unsup`.
  const labels = names.filter((name) => name !== 'unsup').sort();
  if (labels.length === 0) throw new FileError(`${folder}: expected one folder of text files per class, got none`);
  return labels.map((label) => ({
    path: join(folder, label),
    place: 'line',
    rows: () => readFolder(join(folder, label), label, options),
  }));
}

async function* readFolder(
  folder: string,
  label: string,
  { skipEmpty, encoding }: ReadOptions,
): AsyncGenerator<Row, number> {
  const paths = (await readdir(folder).catch(failedToBe('read', folder)))
    .filter((name) => formatOf(name).format === 'text')
    .sort();
  let skipped = 0;
  for (let start = 0; start < paths.length; start += filesAtOnce) {
    const batch = paths.slice(start, start + filesAtOnce).map((name) => join(folder, name));
    for (const [index, text] of (await Promise.all(batch.map((path) => readWhole(path, encoding)))).entries()) {
      if (text.trim() !== '') yield { text, label, line: 1 };
      else if (skipEmpty) skipped += 1;
      else throw new FileError(say`${batch[index]}: the text is empty; remove the file${orSkipEmpty}`);
    }
  }
  return skipped;
}

async function readWhole(path: string, encoding: ReadOptions['encoding']): Promise<string> {
  const batches: string[] = [];
  let size = 0;
  for await (const { text } of readLineBatches(path, encoding)) {
    batches.push(text);
    size += text.length + 1;
    if (size > longestLine) throw tooLong(path, 1, 'the text');
  }
  return batches.join('\n').replaceAll('\r\n', '\n').trimEnd();
}

const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(failedToBe('read', folder));
