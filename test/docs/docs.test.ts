// What the pages promise: links lead somewhere, every page can be found, files they name exist, examples compile.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, examplesOf, filesNamedIn, type Link, linksOf, pages } from './pages.js';

const root = join(import.meta.dirname, '..', '..');

describe('the pages', () => {
  const isBroken = ({ target, anchor }: Link): boolean =>
    !existsSync(join(root, target)) || (anchor !== '' && !anchorsOf(target).has(anchor));

  it('link only to files and headings that exist', () => {
    const links = pages.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(25);
    expect(links.filter(isBroken)).toEqual([]);
  });

  it('would be caught when a link leads nowhere', () => {
    expect(isBroken({ page: 'README.md', target: 'docs/none.md', anchor: '' })).toBe(true);
    expect(isBroken({ page: 'README.md', target: 'docs/privacy.md', anchor: 'none' })).toBe(true);
    expect(isBroken({ page: 'README.md', target: 'docs/privacy.md', anchor: 'accountants' })).toBe(false);
  });

  it('can all be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of linksOf(page)) if (pages.includes(target)) reached.add(target);
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('name only files that exist', () => {
    // The changelog also names files of earlier versions.
    const named = pages.filter((page) => page !== 'CHANGELOG.md').flatMap((page) => filesNamedIn(page));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('the examples', () => {
  it('compile against the package as it is built', () => {
    const cache = join(root, '.cache');
    mkdirSync(cache, { recursive: true });
    // Inside the repository, so that `epsilens/…` is this package.
    const folder = mkdtempSync(join(cache, 'examples-'));
    try {
      const files = pages.flatMap((page) =>
        examplesOf(page).map((code, place) => {
          const name = `${page.replaceAll('/', '-')}-${place + 1}.ts`;
          // Without an export, a file that imports nothing would share its names with the others.
          writeFileSync(join(folder, name), `${code}\nexport {};\n`);
          return name;
        }),
      );
      expect(files.length).toBeGreaterThan(10);
      const compilerOptions = { noUncheckedIndexedAccess: false, noUnusedLocals: false, types: ['node'] };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
      );
      const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
      const result = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(`${result.stdout}${result.stderr}`).toBe('');
      expect(result.status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
