// Loading a data set by name, file or folder.

import { type DataSet, type LoadOptions, loadDataSet as loadFromSource } from '../data/index.js';
import { expectKind, expectOptions } from './known-options.js';
import { remember } from './origin.js';

const known = ['format', 'header', 'textBy', 'skipEmpty', 'classes', 'textColumn', 'labelColumn', 'groupColumn'];

/**
 * Loads a data set: a file (GLUE TSV, CSV, JSONL, Parquet or text, also gzipped), a folder with a file or folder per split, or
 * `bundled:mail`. By default, columns are found by their usual names (text, sentence, …; label, class, …).
 */
export async function loadDataSet(source: string, options: LoadOptions = {}): Promise<DataSet> {
  expectKind('data', source);
  expectOptions(options, known, 'loadDataSet');
  return remember(await loadFromSource(source, options), source, options);
}

/** Loads a data set by name; returns one that is loaded already as it is. */
export const openDataSet = async (data: string | DataSet): Promise<DataSet> =>
  typeof data === 'string' ? loadDataSet(data) : data;
