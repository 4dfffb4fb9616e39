// Loading a data set by name, file or folder.

import { inTermsOf } from '../checks/index.js';
import { type DataSet, type LoadOptions, loadDataSet as loadFromSource, placeDataSet } from '../data/index.js';
import { isHubSource } from '../platform/index.js';
import { expectKind, expectOptions } from './known-options.js';
import { remember } from './origin.js';

/** Every option of `loadDataSet`. */
export const loadKeys = [
  'format',
  'textColumn',
  'labelColumn',
  'groupColumn',
  'header',
  'skipEmpty',
  'textBy',
  'delimiter',
  'encoding',
  'classes',
  'onProgress',
] as const satisfies readonly (keyof LoadOptions)[];

/**
 * Loads a data set: a file (GLUE TSV, CSV, JSONL, Parquet or text, also gzipped), a folder with a file or folder per split,
 * `bundled:mail`, or a data set of the Hugging Face Hub (`hf:owner/name`, `hf:owner/name:config@revision`), which is downloaded once. By default, columns are found by their usual names (text, sentence, …; label, class, …).
 */
export async function loadDataSet(source: string, options: LoadOptions = {}): Promise<DataSet> {
  expectKind('data', source);
  expectOptions(options, loadKeys, 'loadDataSet');
  const { onProgress, ...reading } = options;
  // Later runs read the same rows: a name of the Hub is kept with its commit.
  const kept = await pinData(source, onProgress);
  return remember(await loadFromSource(kept, reading), kept, reading);
}

/** A name of the Hub with the commit that it stands for, once its files are downloaded; any other source as it is. */
export const pinData = async (source: string, onProgress?: LoadOptions['onProgress']): Promise<string> =>
  isHubSource(source) ? (await placeDataSet(source, { onProgress })).source : source;

/** Loads a data set by name; returns one that is loaded already as it is. Other functions do not have the options of `loadDataSet`. */
export const openDataSet = async (data: string | DataSet): Promise<DataSet> =>
  typeof data === 'string'
    ? inTermsOf(
        (word) => ({ ...word, of: 'loadDataSet' }),
        () => loadDataSet(data),
      )
    : data;
