// A repository of the Hub at one commit. What is in the cache is used without asking the Hub, so a name means the same files every time,
// also without a network, until a newer revision is asked for.

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../../checks/index.js';
import { failedToBe } from '../file-errors.js';
import { makePrivateFolder } from '../files.js';
import { lockWhenFree } from '../lock.js';
import { findCommit, type HubFile, listRepository } from './hub-api.js';
import {
  isThere,
  readListing,
  readRef,
  repositoryFolder,
  rootFor,
  showBlob,
  snapshotFolder,
  walkSnapshot,
  writeListing,
  writeRef,
} from './hub-cache.js';
import { downloadBlob } from './hub-download.js';
import { type HubKind, type HubName, isCommit, parseHubName, pinned } from './hub-name.js';
import { HubError, hubFetch } from './hub-request.js';
import { type HubSettings, hubSettings } from './hub-settings.js';

/** How far a download has come. */
export interface DownloadProgress {
  /** What is downloaded, such as `hf:owner/name`. */
  readonly source: string;
  /** The file under way. */
  readonly file: string;
  /** Bytes of all files so far. */
  readonly done: number;
  /** Bytes of all files. */
  readonly all: number;
}

/** How a repository is opened. */
export interface HubOptions {
  /** In place of the revision in the name. */
  readonly revision?: string;
  /** Asks the Hub which commit the revision is now. Default: the one in the cache, if there is one. */
  readonly newest?: boolean;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** A repository at one commit. */
export interface HubRepository {
  readonly name: HubName;
  readonly commit: string;
  /** Its name with the commit as the revision: the same files for ever. */
  readonly source: string;
  /** What it holds; without the Hub, what the cache holds of it. */
  readonly files: readonly HubFile[];
  /** Puts these files into the cache, where they are not yet, and returns the folder that they lie in. */
  readonly get: (paths: readonly string[]) => Promise<string>;
}

/** Opens the repository that a source such as `hf:owner/name@revision` names. */
export async function openHubRepository(
  source: string,
  kind: HubKind,
  options: HubOptions = {},
): Promise<HubRepository> {
  const name = parseHubName(source, kind);
  const settings = hubSettings();
  const root = rootFor(name, settings);
  const folder = repositoryFolder(root, name);
  const revision = options.revision ?? name.revision ?? 'main';
  const asked = { ...name, revision };
  const { commit, files } = await findFiles(asked, revision, folder, settings, options.newest ?? false);
  const place = { name: asked, source: `hf:${name.repository}`, root, folder, commit, settings };
  return {
    name,
    commit,
    source: pinned(name, commit),
    files,
    get: async (paths) => {
      const wanted = files.filter(({ path }) => paths.includes(path));
      await fill(place, wanted, options.onProgress);
      if (!isCommit(revision)) await writeRef(folder, revision, commit).catch(() => {});
      return snapshotFolder(folder, commit);
    },
  };
}

async function findFiles(
  name: HubName,
  revision: string,
  folder: string,
  settings: HubSettings,
  newest: boolean,
): Promise<{ readonly commit: string; readonly files: readonly HubFile[] }> {
  const known = isCommit(revision) ? revision : newest ? undefined : await readRef(folder, revision);
  const listed = known && (await readListing(folder, known, name));
  if (known && listed) return { commit: known, files: listed };
  // Another tool may have downloaded it: then the files are there, but not the list of those that are missing.
  const left = known && (await walkSnapshot(folder, known));
  if (known && left && settings.offline) return { commit: known, files: left };
  const access = { endpoint: settings.endpoint, fetch: hubFetch(name, settings) };
  if (settings.offline && !newest) {
    throw new FileError(
      `hf:${name.repository}: ${revision === 'main' ? 'it' : `revision ${revision}`} is not in the cache (${folder}), and HF_HUB_OFFLINE forbids to ask the Hub: unset it to download`,
    );
  }
  try {
    const commit = known ?? (await findCommit(name, revision, access));
    const files = (await readListing(folder, commit, name)) ?? (await listRepository(name, commit, access));
    // What is in a cache of ours may be private.
    if (folder.startsWith(settings.own)) await makePrivateFolder(settings.own);
    await writeListing(folder, commit, files);
    return { commit, files };
  } catch (error) {
    const isUnreachable = error instanceof HubError && error.status === undefined;
    if (known && left && isUnreachable) return { commit: known, files: left };
    throw error;
  }
}

interface Place {
  readonly name: HubName;
  readonly source: string;
  readonly root: string;
  readonly folder: string;
  readonly commit: string;
  readonly settings: HubSettings;
}

async function missingOf({ folder, commit }: Place, files: readonly HubFile[]): Promise<HubFile[]> {
  const snapshot = snapshotFolder(folder, commit);
  const there = await Promise.all(files.map(({ path, size }) => isThere(join(snapshot, path), size)));
  return files.filter((_, index) => !there[index]);
}

/** Downloads what is missing, while no other process does. */
async function fill(place: Place, files: readonly HubFile[], onProgress: HubOptions['onProgress']): Promise<void> {
  const { root, folder, commit, settings, name, source } = place;
  const [first] = await missingOf(place, files);
  if (first === undefined) return;
  if (settings.offline) {
    throw new FileError(
      `${source}: ${first.path} is not in the cache (${folder}), and HF_HUB_OFFLINE forbids to ask the Hub: unset it to download`,
    );
  }
  const locks = join(root, '.locks', folder.slice(root.length + 1));
  for (const path of [locks, folder]) {
    await mkdir(path, { recursive: true }).catch(failedToBe('written', path));
  }
  const unlock = await lockWhenFree(join(locks, 'epsilens.lock'));
  try {
    const missing = await missingOf(place, files);
    const all = missing.reduce((sum, { size }) => sum + size, 0);
    const access = hubFetch(name, settings);
    let before = 0;
    for (const file of missing) {
      const show = (bytes: number) => onProgress?.({ source, file: file.path, done: before + bytes, all });
      show(0);
      const target = join(folder, 'blobs', file.sha256 ?? file.oid);
      if (!(existsSync(target) && (await isThere(target, file.size)))) {
        await downloadBlob({ source, url: addressOf(place, file), fetch: access, file, target, onBytes: show });
      }
      await showBlob(target, join(snapshotFolder(folder, commit), file.path));
      before += file.size;
      show(0);
    }
  } finally {
    await unlock();
  }
}

const addressOf = ({ name: { kind, repository }, commit, settings }: Place, { path }: HubFile): string =>
  `${settings.endpoint}/${kind === 'model' ? '' : 'datasets/'}${repository}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
