// The cache folder in the layout of Hugging Face's tools, which share it: refs/REVISION names a commit, snapshots/COMMIT has the files as
// links, and blobs/CHECKSUM holds their content once. Beside them, .listings/COMMIT.json is ours: what the Hub says is in that commit.

import { existsSync } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { failedToBe } from '../file-errors.js';
import { writeWhole } from '../files.js';
import { checkFile, type HubFile } from './hub-api.js';
import { type HubKind, type HubName, isCommit } from './hub-name.js';
import type { HubSettings } from './hub-settings.js';

/** The folder of a repository in a cache. */
export const repositoryFolder = (root: string, { kind, repository }: HubName): string =>
  join(root, `${kind}s--${repository.replace('/', '--')}`);

/** The cache that holds a repository already, or the one that new files go to. */
export function rootFor(name: HubName, { shared, own, target }: HubSettings): string {
  return [shared, own].find((root) => existsSync(repositoryFolder(root, name))) ?? target;
}

export const snapshotFolder = (folder: string, commit: string): string => join(folder, 'snapshots', commit);

/** The commit that a revision was when it was downloaded. */
export async function readRef(folder: string, revision: string): Promise<string | undefined> {
  const commit = (await readFile(join(folder, 'refs', revision), 'utf8').catch(() => '')).trim();
  return isCommit(commit) ? commit : undefined;
}

export async function writeRef(folder: string, revision: string, commit: string): Promise<void> {
  if ((await readRef(folder, revision)) !== commit) await writeWhole(join(folder, 'refs', revision), commit);
}

const listingPath = (folder: string, commit: string): string => join(folder, '.listings', `${commit}.json`);

/** The files of a commit as the Hub listed them; undefined if it was not asked, or what is there cannot be used. */
export async function readListing(folder: string, commit: string, name: HubName): Promise<HubFile[] | undefined> {
  try {
    const files = JSON.parse(await readFile(listingPath(folder, commit), 'utf8')) as HubFile[];
    for (const file of files) checkFile(name, file);
    return files;
  } catch {
    return undefined;
  }
}

/** Where the cache cannot be written, the Hub is asked again next time. */
export const writeListing = (folder: string, commit: string, files: readonly HubFile[]): Promise<void> =>
  writeWhole(listingPath(folder, commit), JSON.stringify(files)).catch(() => {});

/** The files that another tool left of a commit; undefined if there are none. */
export async function walkSnapshot(folder: string, commit: string): Promise<HubFile[] | undefined> {
  const snapshot = snapshotFolder(folder, commit);
  const paths = await readdir(snapshot, { recursive: true }).catch(() => []);
  const files: HubFile[] = [];
  for (const path of paths) {
    const found = await stat(join(snapshot, path)).catch(() => undefined);
    if (found?.isFile()) files.push({ path: path.replaceAll('\\', '/'), size: found.size, oid: '' });
  }
  return files.length > 0 ? files : undefined;
}

/** Whether a file is there with this length. Its content was checked when it was downloaded. */
export const isThere = async (path: string, size: number): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.size === size;

/** How a file in a snapshot may refer to its blob. */
export interface Linking {
  readonly symlink: typeof symlink;
  readonly link: typeof link;
}

/** Shows a blob in a snapshot: by a relative symbolic link, else by a hard link, else as a copy, as the file system allows. */
export async function showBlob(blob: string, path: string, linking: Linking = { symlink, link }): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch(failedToBe('written', path));
  const temporary = `${path}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  const ways = [
    () => linking.symlink(relative(dirname(path), blob), temporary),
    () => linking.link(blob, temporary),
    () => copyFile(blob, temporary),
  ];
  for (const [index, way] of ways.entries()) {
    try {
      await way();
      break;
    } catch (error) {
      if (index === ways.length - 1) throw failedToBe('written', path)(error);
    }
  }
  await rename(temporary, path).catch(failedToBe('written', path));
}

/** A commit of a repository in a cache. */
export interface CachedSnapshot {
  readonly repository: string;
  readonly commit: string;
  /** Branches and tags that stand for it. */
  readonly revisions: readonly string[];
  readonly folder: string;
}

/** Everything of one kind in both caches. */
export async function cachedSnapshots(kind: HubKind, { shared, own }: HubSettings): Promise<CachedSnapshot[]> {
  const found: CachedSnapshot[] = [];
  for (const root of new Set([shared, own])) {
    for (const entry of (await readdir(root).catch(() => [])).sort()) {
      const [prefix, ...names] = entry.split('--');
      if (prefix !== `${kind}s` || names.length === 0 || names.length > 2) continue;
      const folder = join(root, entry);
      const refs = await refsIn(join(folder, 'refs'));
      for (const commit of (await readdir(join(folder, 'snapshots')).catch(() => [])).filter(isCommit).sort()) {
        found.push({
          repository: names.join('/'),
          commit,
          revisions: refs.flatMap(([revision, of]) => (of === commit ? [revision] : [])),
          folder: snapshotFolder(folder, commit),
        });
      }
    }
  }
  return found;
}

async function refsIn(folder: string): Promise<(readonly [string, string | undefined])[]> {
  const found: (readonly [string, string | undefined])[] = [];
  for (const name of (await readdir(folder, { recursive: true }).catch(() => [])).sort()) {
    const isFile = (await lstat(join(folder, name)).catch(() => undefined))?.isFile() ?? false;
    if (isFile) found.push([name.replaceAll('\\', '/'), (await readFile(join(folder, name), 'utf8')).trim()]);
  }
  return found;
}
