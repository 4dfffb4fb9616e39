// Models that come with the package, trained by us (models/NAME/README.md says on what).

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ArgumentError } from '../math/index.js';

const root = join(import.meta.dirname, '..', '..', 'models');

/** The folder of `bundled:NAME`. */
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
