// The built command, run as a person runs it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

export function epsilens(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}
