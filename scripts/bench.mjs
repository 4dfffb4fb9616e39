// Compiles bench/ into .cache/bench and runs it with the arguments given.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const run = (script, ...args) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit' });

const built = run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.bench.json');
if (built.status !== 0) process.exit(built.status ?? 1);
process.exit(run('.cache/bench/bench/main.js', ...process.argv.slice(2)).status ?? 1);
