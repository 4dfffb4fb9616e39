// Prints THIRD_PARTY_NOTICES.md from the lock file: every package that is installed with epsilens, with its version and
// licence. `npm run notices` writes the file; a test checks that it is current.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package-lock.json'), 'utf8'));
const rows = Object.entries(packages)
  .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
  .map(
    ([path, { version, license }]) =>
      `| ${path.replace(/^.*node_modules\//, '')} | ${version} | ${license ?? 'see package'} |`,
  );

process.stdout.write(`# Third-party notices

Epsilens is licensed under the Apache License 2.0 (see LICENSE). It is installed together with the packages below, each
under its own licence, whose text is in the package's folder.

| package | version | licence |
|---|---|---|
${[...new Set(rows)].sort().join('\n')}
`);
