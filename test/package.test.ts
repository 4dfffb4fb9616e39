// What the package promises outside its code: the README's example, the notices, the exports.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { exports, version } = JSON.parse(read('package.json')) as {
  exports: Record<string, string | { types: string; default: string }>;
  version: string;
};

describe('the README', () => {
  it.each([
    ['README.md', /\/\/ (Epsilon is .*)/],
    ['docs/engine.md', /\/\/ (\[ '.*\])/],
  ])('%s has an example that runs and prints what it says', (page, output) => {
    const code = /```ts\n(.*?)```/s.exec(read(page))?.[1] as string;
    const promised = output.exec(code)?.[1];
    const folder = join(root, '.cache');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `example-${process.pid}.mjs`);
    // Shorter texts, so that it takes seconds.
    writeFileSync(file, code.replace('maxTokens: 32', 'maxTokens: 6'));
    try {
      expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim()).toBe(promised);
    } finally {
      rmSync(file);
    }
  });

  it('and the other pages link only to files that exist', () => {
    for (const page of [
      'README.md',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'docs/engine.md',
      'docs/benchmarks.md',
      'docs/training.md',
    ]) {
      const links = [...read(page).matchAll(/\]\(([^):#]+)\)/g)].map((match) => match[1] as string);
      const missing = links.filter((link) => !existsSync(join(root, page, '..', link)));
      expect(missing, page).toEqual([]);
    }
  });
});

describe('the package', () => {
  it('exports built rooms, one line each', () => {
    for (const [name, target] of Object.entries(exports)) {
      expect(name).not.toContain('*');
      const files = typeof target === 'string' ? [target] : [target.types, target.default];
      expect(
        files.filter((file) => !existsSync(join(root, file))),
        name,
      ).toEqual([]);
    }
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('names everything it is installed with', () => {
    const current = execFileSync(process.execPath, [join(root, 'scripts', 'notices.mjs')], { encoding: 'utf8' });
    expect(read('THIRD_PARTY_NOTICES.md')).toBe(current);
  });
});
