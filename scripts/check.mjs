// Runs everything that `npm test` checks, one check after the other, and ends with a line of summary.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

const checks = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', '.']],
  ['types', 'tsc', ['--noEmit', '-p', '.']],
  ['tests', 'vitest', ['run']],
  ['unused code', 'knip', []],
  ['package', 'publint', ['--strict', '--pack', 'npm']],
];

let failed = 0;
for (const [name, command, args] of checks) {
  const start = performance.now();
  const live = name === 'tests';
  const result = spawnSync(bin(command), args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', live ? 'inherit' : 'pipe', live ? 'inherit' : 'pipe'],
    shell: process.platform === 'win32',
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
  });
  const passed = result.status === 0;
  if (!passed) {
    failed += 1;
    process.stdout.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
}
process.stdout.write(`checks: ${checks.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);
