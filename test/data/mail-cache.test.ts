import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cachedRows } from '../../src/data/cached-rows.js';
import { cacheFolder } from '../../src/platform/index.js';

describe('the cache folder', () => {
  it('is the one that is set', () => {
    expect(cacheFolder({ EPSILENS_CACHE: 'here', XDG_CACHE_HOME: '/x' })).toBe(resolve('here'));
  });

  it("is otherwise the platform's", () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe(join('/x', 'epsilens'));
    expect(cacheFolder({ XDG_CACHE_HOME: 'relative', EPSILENS_CACHE: '' }, 'linux')).toBe(
      join(homedir(), '.cache', 'epsilens'),
    );
    expect(cacheFolder({}, 'darwin')).toBe(join(homedir(), 'Library', 'Caches', 'epsilens'));
    expect(cacheFolder({ LOCALAPPDATA: 'L' }, 'win32')).toBe(join('L', 'epsilens', 'Cache'));
    expect(cacheFolder({}, 'win32')).toBe(join(homedir(), 'AppData', 'Local', 'epsilens', 'Cache'));
  });
});

describe('cached rows', () => {
  let folder: string;
  let path: string;
  let made: number;
  const rows = [{ text: 'line\nbreak' }, { text: '' }];
  const load = (key = 'k1') =>
    cachedRows(path, key, async () => {
      made += 1;
      return rows;
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'epsilens-cache-'));
    path = join(folder, 'new', 'rows.gz');
    made = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are computed once, and leave no other file behind', async () => {
    expect(await load()).toEqual(rows);
    expect(await load()).toEqual(rows);
    expect(made).toBe(1);
    expect(readdirSync(join(folder, 'new'))).toEqual(['rows.gz']);
  });

  it.skipIf(process.platform === 'win32')('are their owner’s alone', async () => {
    await load();
    expect([path, join(folder, 'new')].map((one) => (statSync(one).mode & 0o777).toString(8))).toEqual(['600', '700']);
  });

  it('are computed again for another key', async () => {
    await load('k1');
    await load('k2');
    await load('k2');
    expect(made).toBe(2);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('no gzip')],
    [
      'changed inside a whole gzip',
      (bytes: Buffer) => gzipSync(gunzipSync(bytes).toString().replace('break', 'brake')),
    ],
    ['without a header', () => gzipSync('[]')],
  ])('are computed again if the file is %s', async (_, damage) => {
    await load();
    const whole = readFileSync(path);
    writeFileSync(path, damage(whole));
    expect(await load()).toEqual(rows);
    expect(made).toBe(2);
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  it('may be empty', async () => {
    const none = () => cachedRows(path, 'k', async () => []);
    expect(await none()).toEqual([]);
    expect(await none()).toEqual([]);
  });

  it('come with a warning if they cannot be cached', async () => {
    writeFileSync(join(folder, 'new'), 'a file where a folder should be');
    const printing = process.listeners('warning');
    process.removeAllListeners('warning');
    try {
      const warned = new Promise<Error>((done) => process.once('warning', done));
      expect(await load()).toEqual(rows);
      expect((await warned).message).toContain('not cached');
    } finally {
      for (const listener of printing) process.on('warning', listener);
    }
  });
});
