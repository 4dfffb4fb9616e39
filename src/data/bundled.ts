// Data sets that come with the package, by name.

import { ArgumentError } from '../checks/index.js';
import type { DataSet } from './data-set.js';
import { loadMail } from './mail/load.js';

/** Loaders by the name after `bundled:`. */
export type BundledData = Readonly<Record<string, () => Promise<DataSet>>>;

export const bundledData: BundledData = { mail: loadMail };

/** Loads `bundled:NAME`. */
export async function loadBundled(name: string): Promise<DataSet> {
  const load = Object.hasOwn(bundledData, name) ? bundledData[name] : undefined;
  if (load) return load();
  const known = Object.keys(bundledData).map((key) => `bundled:${key}`);
  throw new ArgumentError(`no bundled data set ${JSON.stringify(name)}; expected one of ${known.join(', ')}`);
}
