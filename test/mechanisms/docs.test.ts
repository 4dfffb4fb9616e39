// The example of docs/mechanisms.md, run as shown on the built package.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('prints what it says', () => {
  const root = join(import.meta.dirname, '..', '..');
  const page = readFileSync(join(root, 'docs', 'mechanisms.md'), 'utf8');
  const code = /```ts\n(.*?)```/s.exec(page)?.[1] as string;
  const promised = /console\.log\(.*\); \/\/ (.*)/.exec(code)?.[1];
  const folder = join(root, '.cache');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `mechanisms-${process.pid}.mjs`);
  writeFileSync(file, code);
  try {
    expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim()).toBe(promised);
  } finally {
    rmSync(file);
  }
});
