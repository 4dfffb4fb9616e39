// Models that come with the package; models/NAME/README.md says how each was trained.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ArgumentError } from '../checks/index.js';

/** The package's folder: the nearest one above with a package.json, wherever this file was compiled to. */
function packageFolder(from = import.meta.dirname): string {
  return existsSync(join(from, 'package.json')) ? from : packageFolder(dirname(from));
}

const root = join(packageFolder(), 'models');

/** The names of all bundled models, `bundled:` included. */
export const bundledModels = (): string[] =>
  readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [`bundled:${entry.name}`] : []));

/** The folder of the model `bundled:NAME`. */
export function bundledModel(source: string): string {
  const known = bundledModels();
  if (!known.includes(source)) throw new ArgumentError(`unknown model ${source}: expected ${known.join(' or ')}`);
  return join(root, source.slice('bundled:'.length));
}
