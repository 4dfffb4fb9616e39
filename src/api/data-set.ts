// Loading a data set by name, file or folder.

import { inTermsOf } from '../checks/index.js';
import { type DataSet, type LoadOptions, loadDataSet as loadFromSource } from '../data/index.js';
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
] as const satisfies readonly (keyof LoadOptions)[];

/**
 * Loads a data set: a file (GLUE TSV, CSV, JSONL, Parquet or text, also gzipped), a folder with a file or folder per split, or
 * `bundled:mail`. By default, columns are found by their usual names (text, sentence, …; label, class, …).
 */
export async function loadDataSet(source: string, options: LoadOptions = {}): Promise<DataSet> {
  expectKind('data', source);
  expectOptions(options, loadKeys, 'loadDataSet');
  return remember(await loadFromSource(source, options), source, options);
}

/** Loads a data set by name; returns one that is loaded already as it is. Other functions do not have the options of `loadDataSet`. */
export const openDataSet = async (data: string | DataSet): Promise<DataSet> =>
  typeof data === 'string'
    ? inTermsOf(
        (word) => ({ ...word, of: 'loadDataSet' }),
        () => loadDataSet(data),
      )
    : data;
