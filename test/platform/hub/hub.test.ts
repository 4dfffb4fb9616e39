// Repositories of the Hub, downloaded from a server on this machine: nothing is half-written, cuts are continued, refusals are sentences.

import { fork } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { ArgumentError, FileError } from '../../../src/checks/index.js';
import { showBlob } from '../../../src/platform/hub/hub-cache.js';
import { hubAdvice, parseHubName } from '../../../src/platform/hub/hub-name.js';
import { type DownloadProgress, openHubRepository } from '../../../src/platform/hub/hub-repository.js';
import { withinReason } from '../../../src/platform/hub/hub-request.js';
import { hubSettings } from '../../../src/platform/hub/hub-settings.js';
import { commitOf, gitOid, sha256, useFakeHub } from './fake-hub.js';

const hub = useFakeHub();
const large = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) % 251));
const files = {
  'config.json': '{"a":1}',
  'tokenizer.json': '{}',
  'model.safetensors': large,
  'sub/notes.txt': 'no',
  'empty.txt': '',
};
const commit = commitOf(files);
const folder = (...path: string[]) => join(hub.root(), 'hf', 'hub', 'models--owner--name', ...path);
const add = () => hub.repositories.set('owner/name', { branches: { main: files } });
const paths = Object.keys(files);

/** Whether the file of a snapshot holds this; the comparison of tests would take a second for the large one. */
const holds = (path: string, content: Buffer | string, of = folder('snapshots', commit)) =>
  readFileSync(join(of, path)).equals(Buffer.from(content));

async function pull(source = 'hf:owner/name', wanted: readonly string[] = paths): Promise<string> {
  return (await openHubRepository(source, 'model')).get(wanted);
}

/** A port that needs rights, so that no other test listens there. */
const nobody = 'http://127.0.0.1:1023';

/** The one sentence of a failure, which quotes no token. */
async function failure(work: Promise<unknown> = pull()): Promise<string> {
  const error = await work.then(
    () => new Error('it worked'),
    (reason: Error) => reason,
  );
  expect(error).toBeInstanceOf(FileError);
  expect(error.message).not.toContain('\n');
  expect(error.message).not.toContain('hf_secret');
  return error.message;
}

describe('a repository', () => {
  it('is downloaded in the layout of the shared cache, with its checksums', async () => {
    add();
    const seen: DownloadProgress[] = [];
    const repository = await openHubRepository('hf:owner/name', 'model', { onProgress: (now) => seen.push(now) });
    expect(repository.source).toBe(`hf:owner/name@${commit}`);
    expect(repository.files.map(({ path }) => path).sort()).toEqual([...paths].sort());
    expect(await repository.get(paths)).toBe(folder('snapshots', commit));
    for (const [path, content] of Object.entries(files)) {
      expect(holds(path, content)).toBe(true);
      expect(lstatSync(folder('snapshots', commit, path)).isSymbolicLink()).toBe(process.platform !== 'win32');
    }
    expect(readFileSync(folder('refs', 'main'), 'utf8')).toBe(commit);
    const blobs = [
      ...paths
        .filter((path) => path !== 'model.safetensors')
        .map((path) => gitOid(Buffer.from(files[path as 'config.json']))),
      sha256(large),
    ];
    expect(readdirSync(folder('blobs')).sort()).toEqual(blobs.sort());
    const all = paths.reduce((sum, path) => sum + files[path as 'config.json'].length, 0);
    expect(seen.at(-1)).toMatchObject({ source: 'hf:owner/name', done: all, all });
    expect(seen.every(({ done }, i) => i === 0 || done >= (seen[i - 1]?.done ?? 0))).toBe(true);
    // The listing came by pages.
    expect(hub.seen.filter(({ url }) => url.includes('/tree/')).length).toBe(2);
  });

  it('is not asked for again, and needs no network', async () => {
    add();
    await pull();
    hub.seen.length = 0;
    expect(await pull()).toBe(folder('snapshots', commit));
    expect(await pull(`hf:owner/name@${commit}`)).toBe(folder('snapshots', commit));
    process.env.HF_HUB_OFFLINE = '1';
    expect(await pull()).toBe(folder('snapshots', commit));
    expect(hub.seen).toEqual([]);
  });

  it('is asked for its newest commit only on demand; what did not change is not downloaded again', async () => {
    add();
    await pull();
    const later = { ...files, 'config.json': '{"a":2}' };
    hub.repositories.set('owner/name', { branches: { main: later } });
    hub.seen.length = 0;
    expect(await pull()).toBe(folder('snapshots', commit));
    const newest = await openHubRepository('hf:owner/name', 'model', { newest: true });
    expect(await newest.get(paths)).toBe(folder('snapshots', commitOf(later)));
    expect(hub.seen.filter(({ url }) => url.includes('/resolve/')).map(({ url }) => url.split('/').at(-1))).toEqual([
      'config.json',
    ]);
    expect(await pull()).toBe(folder('snapshots', commitOf(later)));
    expect(readFileSync(folder('snapshots', commit, 'config.json'), 'utf8')).toBe('{"a":1}');
  });

  it('is found under a name without an owner that has moved', async () => {
    hub.repositories.set('google-bert/bert-base-uncased', { branches: { main: files } });
    hub.repositories.set('bert-base-uncased', { branches: {}, movedTo: 'google-bert/bert-base-uncased' });
    process.env.HF_TOKEN = 'hf_secret';
    const place = await pull('hf:bert-base-uncased');
    expect(place).toContain('models--bert-base-uncased');
    expect(holds('model.safetensors', large, place)).toBe(true);
  });

  it('that another tool downloaded is used as it is without the Hub', async () => {
    const snapshot = folder('snapshots', commit);
    mkdirSync(folder('refs'), { recursive: true });
    mkdirSync(snapshot, { recursive: true });
    writeFileSync(folder('refs', 'main'), commit);
    writeFileSync(join(snapshot, 'config.json'), '{"a":1}');
    process.env.HF_HUB_OFFLINE = '1';
    const repository = await openHubRepository('hf:owner/name', 'model');
    expect(repository.files.map(({ path }) => path)).toEqual(['config.json']);
    expect(await repository.get(['config.json'])).toBe(snapshot);
    // And when it cannot be reached.
    process.env.HF_HUB_OFFLINE = '0';
    process.env.HF_ENDPOINT = nobody;
    expect(await pull('hf:owner/name', ['config.json'])).toBe(snapshot);
    // What it lacks is downloaded beside it.
    process.env.HF_ENDPOINT = hub.url();
    add();
    expect(await pull()).toBe(snapshot);
    expect(holds('model.safetensors', large)).toBe(true);
    expect(hub.seen.some(({ url }) => url.endsWith('config.json'))).toBe(false);
  });
});

describe('the cache', () => {
  it.each([
    [{ HF_HUB_CACHE: '/c' }, '/c'],
    [{ HUGGINGFACE_HUB_CACHE: '/c' }, '/c'],
    [{ HF_HOME: '/h' }, join('/h', 'hub')],
    [{ XDG_CACHE_HOME: '/nowhere', EPSILENS_CACHE: '/e' }, join('/e', 'hub')],
  ])('is chosen by %o', (env, target) => {
    expect(hubSettings(env).target).toBe(target);
  });

  it('is the shared one where that exists', () => {
    mkdirSync(join(hub.root(), 'x', 'huggingface', 'hub'), { recursive: true });
    const { target } = hubSettings({ XDG_CACHE_HOME: join(hub.root(), 'x'), EPSILENS_CACHE: '/e' });
    expect(target).toBe(join(hub.root(), 'x', 'huggingface', 'hub'));
  });

  it('is our own otherwise, for its owner only, and stays in use', async () => {
    add();
    delete process.env.HF_HOME;
    process.env.XDG_CACHE_HOME = join(hub.root(), 'absent');
    try {
      const place = await pull();
      expect(place).toContain(join('own', 'hub', 'models--owner--name'));
      if (process.platform !== 'win32') expect(lstatSync(join(hub.root(), 'own', 'hub')).mode & 0o077).toBe(0);
      mkdirSync(join(hub.root(), 'absent', 'huggingface', 'hub'), { recursive: true });
      hub.seen.length = 0;
      expect(await pull()).toBe(place);
      expect(hub.seen).toEqual([]);
    } finally {
      delete process.env.XDG_CACHE_HOME;
    }
  });

  it('holds hard links or copies where symbolic links are not possible', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    const { link } = await import('node:fs/promises');
    mkdirSync(folder('blobs'), { recursive: true });
    writeFileSync(folder('blobs', 'abc'), 'text');
    await showBlob(folder('blobs', 'abc'), folder('snapshots', 'one', 'a'), { symlink: refused, link });
    expect(lstatSync(folder('snapshots', 'one', 'a')).nlink).toBe(2);
    await showBlob(folder('blobs', 'abc'), folder('snapshots', 'one', 'b'), { symlink: refused, link: refused });
    expect(readFileSync(folder('snapshots', 'one', 'b'), 'utf8')).toBe('text');
    expect(readdirSync(folder('snapshots', 'one'))).toEqual(['a', 'b']);
  });
});

describe('a connection that breaks', () => {
  const rangesOf = () => hub.seen.filter(({ server }) => server === 'store').map(({ range }) => range);

  it('is continued where it broke', async () => {
    add();
    hub.faults.set('model.safetensors', { cuts: [100_000, 50_000] });
    await pull();
    expect(holds('model.safetensors', large)).toBe(true);
    expect(rangesOf()).toEqual([undefined, 'bytes=100000-', 'bytes=150000-']);
  });

  it('is given up after some cuts with a sentence, and continued by the next try', async () => {
    add();
    hub.faults.set('model.safetensors', { cuts: [1000, 1000, 1000, 1000, 1000] });
    expect(await failure()).toMatch(
      /^hf:owner\/name: the connection broke 5 times while model.safetensors came \(.*\): 5000 of 300000 bytes are kept; run the same command again to continue$/,
    );
    expect(existsSync(folder('snapshots', commit, 'model.safetensors'))).toBe(false);
    expect(readdirSync(folder('blobs')).filter((name) => name.includes('incomplete'))).toEqual([
      `${sha256(large)}.epsilens.incomplete`,
    ]);
    hub.seen.length = 0;
    await pull();
    expect(rangesOf()).toEqual(['bytes=5000-']);
    expect(holds('model.safetensors', large)).toBe(true);
    expect(readdirSync(folder('blobs')).some((name) => name.includes('incomplete'))).toBe(false);
  });

  it('begins again where a server has no ranges', async () => {
    add();
    hub.faults.set('model.safetensors', { cuts: [100_000], withoutRanges: true });
    await pull();
    expect(holds('model.safetensors', large)).toBe(true);
  });

  it('may be that of a process that was killed', async () => {
    add();
    hub.faults.set('model.safetensors', { cuts: [120_000, 1, 1, 1, 1, 1] });
    const child = fork(join(import.meta.dirname, 'pull.js'), ['hf:owner/name', ...paths], { stdio: 'ignore' });
    const partial = folder('blobs', `${sha256(large)}.epsilens.incomplete`);
    while (!existsSync(partial) || lstatSync(partial).size < 120_000) await sleep(5);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(existsSync(folder('snapshots', commit, 'model.safetensors'))).toBe(false);
    hub.faults.clear();
    hub.seen.length = 0;
    await pull();
    expect(rangesOf()[0]).toMatch(/^bytes=12\d{4}-$/);
    expect(holds('model.safetensors', large)).toBe(true);
  });
});

describe('an answer that never comes', () => {
  it('counts as a broken connection, and is stopped', async () => {
    vi.useFakeTimers();
    try {
      let stopped = false;
      const waiting = withinReason(new Promise(() => {}), () => {
        stopped = true;
      });
      const failed = expect(waiting).rejects.toThrow('no answer for 60 seconds');
      await vi.advanceTimersByTimeAsync(60_000);
      await failed;
      expect(stopped).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('content that is not what the Hub states', () => {
  it.each(['model.safetensors', 'config.json'])('is deleted: %s', async (path) => {
    add();
    hub.faults.set(path, { wrong: 1 });
    expect(await failure()).toMatch(
      new RegExp(
        `^hf:owner/name: ${path} has the checksum .{12}…, where the Hub states .{12}…: it was deleted; try again`,
      ),
    );
    expect(existsSync(folder('snapshots', commit, path))).toBe(false);
    expect(readdirSync(folder('blobs')).some((name) => name.includes('incomplete'))).toBe(false);
    await pull();
    expect(holds(path, files[path as 'config.json'])).toBe(true);
  });

  it('is fetched anew if its beginning was damaged before', async () => {
    add();
    mkdirSync(folder('blobs'), { recursive: true });
    writeFileSync(folder('blobs', `${sha256(large)}.epsilens.incomplete`), Buffer.alloc(1000));
    await pull();
    expect(holds('model.safetensors', large)).toBe(true);
  });

  it('is refused if it is longer, or the rest of an earlier try is', async () => {
    add();
    hub.faults.set('model.safetensors', { longer: true });
    expect(await failure()).toContain('model.safetensors is longer than the Hub states');
    hub.faults.clear();
    await pull();
    expect(holds('model.safetensors', large)).toBe(true);
  });

  it.each(['../x', '/etc/x', 'a/../../x', 'a\\..\\x', 'C:x', 'a//b', './x'])(
    'is not downloaded at all if it is named %s',
    async (path) => {
      add();
      hub.alsoListed.push(path);
      expect(await failure()).toContain(
        `the Hub lists a file outside the repository, ${JSON.stringify(path)}: nothing was downloaded`,
      );
      expect(existsSync(join(hub.root(), 'hf'))).toBe(false);
    },
  );

  it('is named if the answer is that of another server', async () => {
    add();
    process.env.HF_ENDPOINT = `${hub.url()}/elsewhere`;
    expect(await failure()).toContain('there is no such model at');
  });
});

describe('the token', () => {
  it('is sent to the Hub and to no other server', async () => {
    hub.repositories.set('owner/name', { branches: { main: files }, token: 'hf_secret' });
    process.env.HF_TOKEN = 'hf_secret';
    await pull();
    const [asked, stored] = [
      hub.seen.filter(({ server }) => server === 'hub'),
      hub.seen.filter(({ server }) => server === 'store'),
    ];
    expect(asked.every(({ authorization }) => authorization === 'Bearer hf_secret')).toBe(true);
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it('is read from the file that the login of other tools writes, of any form', async () => {
    hub.repositories.set('owner/name', { branches: { main: files }, token: 'secret-of-a-mirror' });
    mkdirSync(join(hub.root(), 'hf'));
    writeFileSync(join(hub.root(), 'hf', 'token'), 'secret-of-a-mirror\n');
    await pull();
    expect(existsSync(folder('snapshots', commit, 'config.json'))).toBe(true);
  });

  it('is never quoted', () => {
    const broken = () => hubSettings({ HF_TOKEN: 'hf_secret\nx' });
    expect(broken).toThrow('HF_TOKEN: expected a token of the Hub, which has no spaces and no line breaks');
    const address = () => hubSettings({ HF_ENDPOINT: 'https://user:hf_secret@host' });
    expect(address).toThrow('HF_ENDPOINT: expected an address such as https://huggingface.co, got another text');
  });
});

describe('refusals are one sentence', () => {
  it('for a name that is not there, or not to be seen', async () => {
    expect(await failure()).toBe(
      'hf:owner/name: there is no such model, or it is private or gated: check the name, or set HF_TOKEN to a token that may read it',
    );
    process.env.HF_TOKEN = 'hf_secret';
    expect(await failure()).toBe(`hf:owner/name: there is no such model at ${hub.url()}: check the name`);
    hub.repositories.set('owner/name', { branches: { main: files }, token: 'hf_other' });
    expect(await failure()).toBe(
      'hf:owner/name: the token in HF_TOKEN is not accepted for this model: check the name and the token',
    );
  });

  it('for a gated one', async () => {
    hub.repositories.set('owner/name', { branches: { main: files }, gated: true });
    expect(await failure()).toBe(
      `hf:owner/name: access is restricted: ask for it at ${hub.url()}/owner/name, and set HF_TOKEN to a token of that account`,
    );
  });

  it('for a revision that is not there', async () => {
    add();
    expect(await failure(pull('hf:owner/name@v9'))).toBe(
      `hf:owner/name: there is no revision v9 of this model: see ${hub.url()}/owner/name`,
    );
  });

  it('for too many requests, after as many as are asked for', async () => {
    add();
    hub.faults.set('tree', { status: { code: 429, times: 2, retryAfter: '0' } });
    await pull();
    const again = (retryAfter: string) => {
      hub.faults.set('tree', { status: { code: 429, times: 9, retryAfter } });
      hub.seen.length = 0;
      return failure(pull('hf:owner/name@dev'));
    };
    hub.repositories.set('owner/name', { branches: { main: files, dev: { ...files, x: 'x' } } });
    expect(await again('0')).toBe(
      'hf:owner/name: the Hub receives too many requests: try again later, or set HF_TOKEN, which allows more',
    );
    expect(hub.seen.filter(({ url }) => url.includes('/tree/')).length).toBe(4);
    expect(await again('300')).toContain('too many requests and asks to wait 300 seconds');
    expect(hub.seen.filter(({ url }) => url.includes('/tree/')).length).toBe(1);
  });

  it('for a server with an error', async () => {
    add();
    hub.faults.set('tree', { status: { code: 503, times: 9, retryAfter: '0' } });
    expect(await failure()).toBe(`hf:owner/name: ${hub.url()} answered with status 503: try again later`);
  });

  it('for a server that is not there', async () => {
    process.env.HF_ENDPOINT = nobody;
    expect(await failure()).toMatch(
      /^hf:owner\/name: http:\/\/127\.0\.0\.1:1023 cannot be reached \(.+\): check the connection and HF_ENDPOINT, then try again$/,
    );
  });

  it('for HF_HUB_OFFLINE, which makes no request', async () => {
    add();
    await pull('hf:owner/name', ['config.json']);
    hub.seen.length = 0;
    process.env.HF_HUB_OFFLINE = '1';
    expect(await failure()).toContain('tokenizer.json is not in the cache');
    expect(await failure(pull('hf:owner/other'))).toMatch(
      /^hf:owner\/other: it is not in the cache \(.*\), and HF_HUB_OFFLINE forbids to ask the Hub: unset it to download$/,
    );
    expect(await failure(openHubRepository('hf:owner/name', 'model', { newest: true }))).toContain(
      'HF_HUB_OFFLINE is set',
    );
    expect(hub.seen).toEqual([]);
  });
});

describe('at the same time', () => {
  it('two processes and two calls download each file once', async () => {
    add();
    const child = () => fork(join(import.meta.dirname, 'pull.js'), ['hf:owner/name', ...paths], { stdio: 'ignore' });
    const ended = [child(), child()].map((one) => new Promise((resolve) => one.once('exit', resolve)));
    await Promise.all([pull(), pull()]);
    expect(await Promise.all(ended)).toEqual([0, 0]);
    expect(hub.seen.filter(({ server }) => server === 'store').length).toBe(1);
    expect(holds('model.safetensors', large)).toBe(true);
    expect(readdirSync(folder('snapshots', commit)).sort()).toEqual([
      'config.json',
      'empty.txt',
      'model.safetensors',
      'sub',
      'tokenizer.json',
    ]);
  });
});

describe('names', () => {
  it.each([
    ['hf:bert-base-uncased', { repository: 'bert-base-uncased' }],
    ['hf:owner/name.v1_x-y', { repository: 'owner/name.v1_x-y' }],
    ['hf:owner/name@refs/pr/3', { repository: 'owner/name', revision: 'refs/pr/3' }],
    ['hf:owner/name@v1.0', { repository: 'owner/name', revision: 'v1.0' }],
  ])('of models: %s', (source, parts) => {
    expect(parseHubName(source, 'model')).toEqual({ kind: 'model', ...parts });
  });

  it.each([
    ['hf:glue:cola', { repository: 'glue', config: 'cola' }],
    ['hf:a/b:c-1.0@main', { repository: 'a/b', config: 'c-1.0', revision: 'main' }],
  ])('of data sets: %s', (source, parts) => {
    expect(parseHubName(source, 'dataset')).toEqual({ kind: 'dataset', ...parts });
  });

  it.each([
    'hf:',
    'hf:a/b/c',
    'hf:a b',
    'hf:../x',
    'hf:a/..',
    'hf:a/b@',
    'hf:a/b@../../x',
    'hf:a/b@/etc',
    'hf:a--b/c',
    'hf:a/b:c',
    'hf:.a/b',
    'hf:a/b@x y',
    'hf:/a',
    'hf:a/',
    'hf:a/b@x//y',
    'hf:a\\b',
    'hf:a/b%2e',
    'hf:ä/b',
    'hf:a/b\n',
  ])('that are refused: %j', (source) => {
    expect(() => parseHubName(source, 'model')).toThrow(ArgumentError);
    expect(() => parseHubName(source, 'model')).toThrow(
      `expected a model of the Hub as hf:owner/name or hf:owner/name@revision, got ${JSON.stringify(source)}`,
    );
  });

  it('are suggested where a path is not there', () => {
    expect(hubAdvice('bert-base-uncased', 'model')).toBe(
      '; for the model of this name on the Hugging Face Hub, write hf:bert-base-uncased',
    );
    expect(hubAdvice(join(process.cwd(), 'stanfordnlp', 'imdb'), 'dataset')).toContain('write hf:stanfordnlp/imdb');
    for (const path of ['./x', '../a/b', 'a/b/c', '/x/y', 'reviews.csv', ''])
      expect(hubAdvice(path, 'dataset')).toBe('');
  });
});
