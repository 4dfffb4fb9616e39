// Loads a whole data set into memory, from a file, a folder, the package or the Hugging Face Hub.

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ArgumentError, check, FileError, option, say } from '../checks/index.js';
import { type DownloadProgress, explainFileError, hubAdvice, isHubSource } from '../platform/index.js';
import { loadBundled } from './bundled.js';
import { sortClasses } from './classes.js';
import { type DataSet, type Example, type SplitName, splitNames } from './data-set.js';
import { fileSource, findParts, type PartSources, type RowSource } from './folder.js';
import { placeDataSet } from './hub-data.js';
import type { OnColumns, ReadOptions } from './record.js';
import { formatOf, type Row } from './rows.js';

/** How a data set is loaded. Bundled data sets take no options. */
export interface LoadOptions extends ReadOptions {
  /** Class names in the order of their labels; any other label is an error. Default: the labels found, sorted. */
  readonly classes?: readonly string[] | undefined;
  /** Called while a data set of the Hub is downloaded. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** In characters, plus 64 per row for the objects around them. */
const largestDataSet = 2 ** 30;

/** GLUE uses -1 for withheld labels. */
const hiddenLabel = '-1';

/**
 * Loads a data set. `source` is a file (which becomes the split `train`), a folder with one file or folder per split,
 * `bundled:mail`, or the Parquet files of a data set of the Hub (`hf:owner/name`, `hf:owner/name:config@revision`), which are downloaded once. Throws a FileError with file and line on the first row that cannot be used.
 */
export async function loadDataSet(source: string, options: LoadOptions = {}): Promise<DataSet> {
  if (source.startsWith('bundled:')) {
    const { onProgress: _, ...reading } = options;
    const given = Object.entries(reading).find(([, value]) => value !== undefined);
    if (given)
      throw new ArgumentError(say`invalid ${option(given[0])}: ${source} is read without options; leave it out`);
    return loadBundled(source.slice('bundled:'.length));
  }
  const { classes } = options;
  if (classes)
    check({ classes }, 'distinct names', (names) => names.length > 0 && new Set(names).size === names.length);
  const { name, sources } = await findSources(source, options);
  let columns: readonly string[] | undefined;
  const collected = await collect(sources, (names) => {
    columns ??= names;
  });
  const numbered = number(collected, classes);
  return numbered.classes.length > 0 || columns === undefined ? { name, ...numbered } : { name, ...numbered, columns };
}

async function findSources(
  source: string,
  options: LoadOptions,
): Promise<{ readonly name: string; readonly sources: PartSources }> {
  if (isHubSource(source)) {
    const { name, folder, parts } = await placeDataSet(source, options);
    const read = (paths: readonly string[]) => paths.map((path) => fileSource(join(folder, path), options));
    return {
      name,
      sources: Object.fromEntries(splitNames.flatMap((part) => (parts[part] ? [[part, read(parts[part])]] : []))),
    };
  }
  const stats = await stat(source).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new FileError(`${source}: no such file or folder${hubAdvice(source, 'dataset')}`);
    throw explainFileError(error, { path: source, tried: 'read' });
  });
  const sources = stats.isDirectory() ? await findParts(source, options) : { train: [fileSource(source, options)] };
  return { name: formatOf(resolve(source)).stem, sources };
}

interface CollectedFile {
  readonly source: RowSource;
  readonly rows: readonly Row[];
}

interface CollectedPart {
  readonly part: SplitName;
  readonly files: readonly CollectedFile[];
  readonly skipped: number;
}

async function collect(sources: PartSources, onColumns: OnColumns): Promise<CollectedPart[]> {
  const collected: CollectedPart[] = [];
  let size = 0;
  const take = async (source: RowSource) => {
    const iterator = source.rows(onColumns);
    const taken: Row[] = [];
    for (;;) {
      const { value, done } = await iterator.next();
      if (done) return { file: { source, rows: taken }, skipped: value };
      taken.push(value);
      size += value.text.length + 64;
      if (size > largestDataSet)
        throw new FileError(`${source.path}: the data set is too large to be held in memory; use a smaller part of it`);
    }
  };
  for (const part of splitNames) {
    const files: CollectedFile[] = [];
    let skipped = 0;
    for (const source of sources[part] ?? []) {
      const taken = await take(source);
      files.push(taken.file);
      skipped += taken.skipped;
    }
    if (files.length === 0) continue;
    if (files.every(({ rows }) => rows.length === 0))
      throw new FileError(`${files[0]?.source.path}: expected rows, got none`);
    collected.push({ part, files, skipped });
  }
  return collected;
}

/** Replaces label names by their index among the classes. */
function number(collected: readonly CollectedPart[], given: readonly string[] | undefined): Omit<DataSet, 'name'> {
  const labelled = collected.filter(({ files }) =>
    files.some(({ rows }) => rows.some(({ label }) => label !== undefined && label !== hiddenLabel)),
  );
  const found = labelled.flatMap(({ files }) =>
    files.map(({ rows }) => new Set(rows.flatMap(({ label }) => label ?? []))),
  );
  const classes = given ?? sortClasses(found.flatMap((labels) => [...labels]));
  const numbers = new Map(classes.map((name, index) => [name, index]));
  const toExample = ({ text, group, line }: Row, label: string | undefined, source: RowSource): Example => {
    const index = label === undefined ? undefined : numbers.get(label);
    if (label !== undefined && index === undefined) {
      throw new FileError(
        `${source.path}: ${source.place} ${line}: expected one of the labels ${classes.join(', ')}, got ${JSON.stringify(label)}`,
      );
    }
    return { text, ...(index !== undefined && { label: index }), ...(group !== undefined && { group }) };
  };
  const parts = collected.map((one) => {
    const isHidden = !labelled.includes(one);
    const examples = one.files.flatMap(({ source, rows }) =>
      rows.map((row) => toExample(row, isHidden ? undefined : row.label, source)),
    );
    return [one.part, examples] as const;
  });
  const skipped = collected.flatMap((one) => (one.skipped > 0 ? [[one.part, one.skipped] as const] : []));
  return {
    classes,
    splits: Object.fromEntries(parts),
    ...(skipped.length > 0 && { skipped: Object.fromEntries(skipped) }),
  };
}
