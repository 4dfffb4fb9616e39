// npm run api: writes docs/api from the doc comments. Its tools are installed in scripts/api when they are first needed,
// because TypeDoc needs TypeScript 6 and the project compiles with 7.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'api');

function run(command, args, options = {}) {
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(folder, 'node_modules', 'typedoc'))) {
  const npm = process.env.npm_execpath;
  const args = ['ci', '--ignore-scripts', '--loglevel=error'];
  if (npm === undefined) run('npm', args, { shell: process.platform === 'win32' });
  else run(process.execPath, [npm, ...args]);
}
run(process.execPath, ['generate.mjs']);
