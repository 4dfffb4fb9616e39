// What the package promises outside its code: examples that run, exports that exist, complete notices.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  it('begin with an example that runs and prints what it says: docs/engine.md', () => {
    const [, promised] = /\/\/ (\[ '.*\])/.exec(exampleOf('docs/engine.md')) as RegExpExecArray;
    expect(runExample('docs/engine.md')).toBe(promised);
  });
});

const exampleOf = (page: string): string => /```ts\n(.*?)```/s.exec(read(page))?.[1] as string;

/** What the first example of a page prints, in a folder of its own. */
function runExample(page: string): string {
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  // Inside the repository, so that `epsilens` is this package.
  const folder = mkdtempSync(join(cache, 'example-'));
  try {
    writeFileSync(join(folder, 'example.mjs'), exampleOf(page));
    return execFileSync(process.execPath, ['example.mjs'], { encoding: 'utf8', cwd: folder }).trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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
