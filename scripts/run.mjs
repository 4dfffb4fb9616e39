// node scripts/run.mjs FILE [argument …]: compiles bench/ and scripts/ into .cache/tools and runs one of their files.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [file = '', ...args] = process.argv.slice(2);
const run = (script, ...rest) =>
  spawnSync(process.execPath, [join(root, script), ...rest], { cwd: root, stdio: 'inherit' });

const built = run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.tools.json');
if (built.status !== 0) process.exit(built.status ?? 1);
process.exit(run(`.cache/tools/${file.replace(/\.ts$/, '.js')}`, ...args).status ?? 1);
