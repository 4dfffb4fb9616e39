// Models that come with the package; models/NAME/README.md says how each was trained.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ArgumentError } from '../checks/index.js';

/** The package's folder: the nearest one above with a package.json, wherever this file was compiled to. */
function packageFolder(from = import.meta.dirname): string {
  return existsSync(join(from, 'package.json')) ? from : packageFolder(dirname(from));
}

const root = join(packageFolder(), 'models');

/** The folder of the model `bundled:NAME`. */
export function bundledModel(source: string): string {
  const name = source.slice('bundled:'.length);
  const known = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  if (!known.includes(name)) {
    throw new ArgumentError(`unknown model ${source}: expected ${known.map((one) => `bundled:${one}`).join(' or ')}`);
  }
  return join(root, name);
}
