// A server on this machine that speaks the Hub's routes: revisions, listings by page, files with ETag and ranges. Large files are
// redirected to a second server on another port, as the Hub does. Faults can be ordered for single files.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

interface FakeRepository {
  readonly kind?: 'model' | 'dataset';
  /** Files by path, per branch. */
  readonly branches: Readonly<Record<string, Readonly<Record<string, Buffer | string>>>>;
  /** Only whoever has this token may read it. */
  readonly token?: string;
  /** Access has to be asked for. */
  readonly gated?: boolean;
  /** The name under which it is known now. */
  readonly movedTo?: string;
}

/** What goes wrong with the next answers about one path. */
interface Fault {
  /** The connection ends after so many bytes, once per number. */
  readonly cuts?: number[];
  /** Answers with this status, so many times. */
  readonly status?: { readonly code: number; times: number; readonly retryAfter?: string };
  /** The content is changed, so many times. */
  wrong?: number;
  /** Requests for a part get the whole file. */
  readonly withoutRanges?: boolean;
  /** The content never ends by itself: more bytes than listed. */
  readonly longer?: boolean;
}

interface SeenRequest {
  readonly server: 'hub' | 'store';
  readonly method: string;
  readonly url: string;
  readonly range?: string;
  readonly authorization?: string;
}

export interface FakeHub {
  readonly url: () => string;
  readonly seen: SeenRequest[];
  readonly repositories: Map<string, FakeRepository>;
  readonly faults: Map<string, Fault>;
  /** Paths that are added to every listing as they are. */
  readonly alsoListed: string[];
}

const sha1 = (data: Buffer | string) => createHash('sha1').update(data).digest('hex');
const bufferOf = (content: Buffer | string): Buffer => (typeof content === 'string' ? Buffer.from(content) : content);
export const gitOid = (content: Buffer): string =>
  sha1(Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]));
export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const isLarge = (path: string) => /\.(safetensors|bin|parquet)$/.test(path);
const etagOf = (path: string, content: Buffer) => (isLarge(path) ? sha256(content) : gitOid(content));
const pageSize = 3;

/** The commit of a branch: another content is another commit. */
export const commitOf = (files: Readonly<Record<string, Buffer | string>>): string =>
  sha1(
    Object.entries(files)
      .map(([path, content]) => `${path} ${sha256(bufferOf(content))}`)
      .join('\n'),
  );

const variables = [
  'HF_ENDPOINT',
  'HF_HOME',
  'HF_TOKEN',
  'HF_HUB_CACHE',
  'HF_HUB_OFFLINE',
  'HF_TOKEN_PATH',
  'HUGGINGFACE_HUB_CACHE',
  'HUGGING_FACE_HUB_TOKEN',
  'EPSILENS_CACHE',
];

/** Starts the servers for a test file; every test has caches of its own and sees no other environment. */
export function useFakeHub(): FakeHub & { readonly root: () => string } {
  const seen: SeenRequest[] = [];
  const hub: FakeHub = { url: () => addressOf(main), seen, repositories: new Map(), faults: new Map(), alsoListed: [] };
  const store = createServer((request, response) => {
    note(seen, 'store', request);
    const [repository, branch, path] = JSON.parse(Buffer.from((request.url ?? '').slice(1), 'base64url').toString());
    send(hub, request, response, path, contentOf(hub, repository, branch, path) as Buffer);
  });
  const main = createServer((request, response) => {
    note(seen, 'hub', request);
    answer(hub, addressOf(store), request, response);
  });
  const before: Record<string, string | undefined> = {};
  let root: string;
  beforeAll(async () => {
    for (const server of [main, store]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    for (const server of [main, store]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'epsilens-hub-'));
    for (const name of variables) {
      before[name] = process.env[name];
      delete process.env[name];
    }
    Object.assign(process.env, {
      HF_ENDPOINT: addressOf(main),
      HF_HOME: join(root, 'hf'),
      EPSILENS_CACHE: join(root, 'own'),
    });
    for (const one of [hub.repositories, hub.faults]) one.clear();
    seen.length = 0;
    hub.alsoListed.length = 0;
  });
  afterEach(() => {
    for (const name of variables) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(root, { recursive: true });
  });
  return { ...hub, root: () => root };
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function note(seen: SeenRequest[], server: 'hub' | 'store', { method = '', url = '', headers }: IncomingMessage): void {
  const { range, authorization } = headers;
  seen.push({ server, method, url, ...(range && { range }), ...(authorization && { authorization }) });
}

/** Every file of a folder, as a branch of a repository. */
export const filesOf = (folder: string): Record<string, Buffer> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));

function contentOf({ repositories }: FakeHub, repository: string, revision: string, path: string): Buffer | undefined {
  const branches = repositories.get(repository)?.branches ?? {};
  const files = branches[revision] ?? Object.values(branches).find((one) => commitOf(one) === revision);
  return files?.[path] === undefined ? undefined : bufferOf(files[path]);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'x-error-code': code, 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: `${code} (of the fake hub)` }));
}

function answer(hub: FakeHub, store: string, request: IncomingMessage, response: ServerResponse): unknown {
  const url = new URL(request.url ?? '', hub.url());
  const api = /^\/api\/(models|datasets)\/(.+?)\/(revision|tree)\/([^/]+)$/.exec(url.pathname);
  const file = /^\/(datasets\/)?(.+?)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname);
  if (api === null && file === null) return refuse(response, 404, 'NotFound');
  const name = (api?.[2] ?? file?.[2]) as string;
  const kind = (api ? api[1] === 'datasets' : file?.[1] !== undefined) ? 'dataset' : 'model';
  const key = kind === 'dataset' ? `datasets/${name}` : name;
  const repository = hub.repositories.get(key);
  if (repository?.movedTo !== undefined) {
    // Relative to the server, as the Hub answers for its oldest names.
    response.writeHead(307, { location: `${url.pathname.replace(name, repository.movedTo)}${url.search}` });
    return response.end();
  }
  const given = request.headers.authorization;
  // The Hub does not say whether a private repository exists.
  if (repository === undefined) return refuse(response, given ? 404 : 401, 'RepoNotFound');
  if (repository.token !== undefined && given !== `Bearer ${repository.token}`)
    return refuse(response, 401, 'RepoNotFound');
  if (repository.gated) return refuse(response, 403, 'GatedRepo');
  const revision = decodeURIComponent((api?.[4] ?? file?.[3]) as string);
  const files =
    repository.branches[revision] ?? Object.values(repository.branches).find((one) => commitOf(one) === revision);
  if (files === undefined) return refuse(response, 404, 'RevisionNotFound');
  if (api) return api[3] === 'revision' ? describe(hub, name, files, response) : list(hub, url, files, response);
  const path = decodeURIComponent(file?.[4] as string);
  const content = contentOf(hub, key, revision, path);
  if (content === undefined) return refuse(response, 404, 'EntryNotFound');
  response.setHeader('x-repo-commit', commitOf(files));
  if (!isLarge(path)) return send(hub, request, response, path, content);
  const address = Buffer.from(JSON.stringify([key, revision, path])).toString('base64url');
  response.writeHead(302, {
    location: `${store}/${address}`,
    'x-linked-etag': `"${etagOf(path, content)}"`,
    'x-linked-size': content.length,
  });
  return response.end();
}

/** Whether an ordered status was sent. */
function failed({ faults }: FakeHub, path: string, response: ServerResponse): boolean {
  const status = faults.get(path)?.status;
  if (status === undefined || status.times === 0) return false;
  status.times--;
  response.writeHead(status.code, status.retryAfter === undefined ? {} : { 'retry-after': status.retryAfter });
  response.end();
  return true;
}

function describe(hub: FakeHub, id: string, files: FakeRepository['branches'][string], response: ServerResponse): void {
  if (failed(hub, 'revision', response)) return;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ _id: '1', id, sha: commitOf(files), lastModified: '2026-01-01T00:00:00.000Z' }));
}

function list(hub: FakeHub, url: URL, files: FakeRepository['branches'][string], response: ServerResponse): void {
  if (failed(hub, 'tree', response)) return;
  const folders = new Set(Object.keys(files).flatMap((path) => path.split('/').slice(0, -1)));
  const all = [
    ...[...folders].map((path) => ({ type: 'directory', path, size: 0, oid: sha1(path) })),
    ...Object.entries(files).map(([path, text]) => {
      const content = bufferOf(text);
      const lfs = isLarge(path) && { lfs: { oid: sha256(content), size: content.length, pointerSize: 130 } };
      return {
        type: 'file',
        path,
        size: content.length,
        oid: isLarge(path) ? sha1('pointer') : gitOid(content),
        ...lfs,
      };
    }),
    ...hub.alsoListed.map((path) => ({ type: 'file', path, size: 1, oid: sha1(path) })),
  ];
  const start = Number(url.searchParams.get('cursor') ?? 0);
  if (start + pageSize < all.length) {
    const next = new URL(url);
    next.searchParams.set('cursor', String(start + pageSize));
    response.setHeader('link', `<${next.href}>; rel="next"`);
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(all.slice(start, start + pageSize)));
}

function send(hub: FakeHub, request: IncomingMessage, response: ServerResponse, path: string, whole: Buffer): unknown {
  if (failed(hub, path, response)) return;
  const fault = hub.faults.get(path);
  let content = whole;
  if (fault?.wrong) {
    fault.wrong--;
    content = Buffer.from(whole.map((byte) => byte ^ 1));
  }
  if (fault?.longer) content = Buffer.concat([whole, whole]);
  const from = fault?.withoutRanges ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from > 0 && from >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` });
    return response.end();
  }
  response.writeHead(from > 0 ? 206 : 200, {
    etag: `"${etagOf(path, whole)}"`,
    'accept-ranges': 'bytes',
    'content-length': content.length - from,
    ...(from > 0 && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
  });
  const cut = fault?.cuts?.shift();
  if (cut === undefined) return void response.end(content.subarray(from));
  return response.write(content.subarray(from, from + cut), () => setTimeout(() => response.destroy(), 20));
}
