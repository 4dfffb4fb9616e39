// What the package promises outside its code: examples that run, exports that exist, complete notices.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { exports, sideEffects, version } = JSON.parse(read('package.json')) as {
  exports: Record<string, string | { types: string; default: string }>;
  sideEffects: string[];
  version: string;
};

describe('the pages', () => {
  it.each([
    ['README.md', /\/\/ (Epsilon is .*)/],
    ['docs/engine.md', /\/\/ (\[ '.*\])/],
  ])('%s begins with an example that runs and prints what it says', (page, output) => {
    const code = /```ts\n(.*?)```/s.exec(read(page))?.[1] as string;
    const promised = output.exec(code)?.[1];
    const folder = join(root, '.cache');
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `example-${process.pid}.mjs`);
    // Shorter texts keep this to seconds.
    writeFileSync(file, code.replace('maxTokens: 32', 'maxTokens: 6'));
    try {
      expect(execFileSync(process.execPath, [file], { encoding: 'utf8' }).trim()).toBe(promised);
    } finally {
      rmSync(file);
    }
  });
});

describe('the package', () => {
  it('exports only what is built, with its types', () => {
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

  it('declares every module that does something when it is imported', () => {
    const isStatement = /^(?:await |for |if |try |while |[a-z][\w.]*(?:<[^>]*>)?\()/m;
    const active = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && isStatement.test(read(join('src', name))))
      .map((name) => `./dist/${name.replaceAll('\\', '/').replace(/ts$/, 'js')}`);
    expect(active.sort()).toEqual(sideEffects);
  });

  it('lists every package that is installed with it in the notices', () => {
    const current = execFileSync(process.execPath, [join(root, 'scripts', 'notices.mjs')], { encoding: 'utf8' });
    expect(read('THIRD_PARTY_NOTICES.md')).toBe(current);
  });
});
