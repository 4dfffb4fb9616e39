// Downloads one file of the Hub: what came before a cut is kept and continued by a range request, also by a later process, and nothing
// gets its final name before its checksum is right.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileError } from '../../checks/index.js';
import { explainFileError, failedToBe } from '../file-errors.js';
import type { HubFile } from './hub-api.js';
import { HubError, pause, withinReason } from './hub-request.js';

/** What to download, and how. */
export interface Transfer {
  /** Named in errors. */
  readonly source: string;
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly file: HubFile;
  /** The blob's final path. */
  readonly target: string;
  /** Called with the bytes that are there so far. */
  readonly onBytes?: (bytes: number) => void;
}

/** Cuts in a row, each after less than `enough` bytes. */
const mostCuts = 5;
const enough = 1 << 20;

/**
 * Not the name that Hugging Face's tools use for theirs: one of them may be writing to that at the same time, and our lock does not
 * keep it out.
 */
const partialPath = (target: string): string => `${target}.epsilens.incomplete`;

/** Downloads a blob. Only one process at a time may do so. */
export async function downloadBlob(transfer: Transfer): Promise<void> {
  const { target, file } = transfer;
  await mkdir(dirname(target), { recursive: true }).catch(failedToBe('written', target));
  const partial = partialPath(target);
  let isContinued = await complete(transfer, partial);
  for (;;) {
    const got = await checksumOf(partial, file);
    const wanted = file.sha256 ?? file.oid;
    if (got === wanted) break;
    await rm(partial, { force: true });
    if (!isContinued) throw changed(transfer, wanted, got);
    // The beginning may have been damaged long ago.
    isContinued = await complete(transfer, partial);
  }
  await rename(partial, target).catch(failedToBe('written', target));
}

const changed = ({ source, file }: Transfer, wanted: string, got: string) =>
  new FileError(
    `${source}: ${file.path} has the checksum ${got.slice(0, 12)}…, where the Hub states ${wanted.slice(0, 12)}…: it was deleted; try again, and if it happens again, look for a proxy that changes files`,
  );

/** Fetches until the file has its length; whether a part was there before. */
async function complete(transfer: Transfer, partial: string): Promise<boolean> {
  const { file, onBytes } = transfer;
  const handle = await open(partial, 'a').catch(failedToBe('written', partial));
  try {
    let have = (await handle.stat()).size;
    const isContinued = have > 0;
    for (let cuts = 0; have !== file.size; ) {
      if (have > file.size) have = await restart(handle);
      const before = have;
      const reason = await receive(transfer, handle, before, (bytes) => onBytes?.(bytes));
      have = (await handle.stat()).size;
      if (have === file.size) break;
      if (have > file.size) throw new FileError(`${transfer.source}: ${file.path} is longer than the Hub states`);
      cuts = have - before >= enough ? 0 : cuts + 1;
      if (cuts >= mostCuts) throw givenUp(transfer, have, reason);
      await pause(0.1 * 2 ** cuts);
    }
    await handle.sync();
    return isContinued;
  } catch (error) {
    throw explainFileError(error, { path: partial, tried: 'written' });
  } finally {
    await handle.close();
  }
}

const givenUp = ({ source, file }: Transfer, have: number, reason: string) =>
  new HubError(
    `${source}: the connection broke ${mostCuts} times while ${file.path} came (${reason}): ${have} of ${file.size} bytes are kept; run the same command again to continue`,
  );

async function restart(handle: FileHandle): Promise<number> {
  await handle.truncate(0);
  return 0;
}

/** Appends what comes, and says why it ended. Refusals of the Hub are thrown; a broken connection is not. */
async function receive(
  { url, fetch, file }: Transfer,
  handle: FileHandle,
  from: number,
  onBytes: (bytes: number) => void,
): Promise<string> {
  let have = from;
  const response = await fetch(url, have > 0 ? { headers: { range: `bytes=${have}-` } } : {}).catch(
    async (error: unknown) => {
      if (!(error instanceof HubError) || error.status !== 416) throw error;
      await restart(handle);
      return undefined;
    },
  );
  if (response?.body == null) return 'it sent nothing';
  const begins = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  // A server may answer with the whole file, or with another part of it.
  if (have > 0 && (response.status !== 206 || Number(begins) !== have)) {
    have = await restart(handle);
    if (response.status === 206) {
      await response.body.cancel();
      return 'it sent another part';
    }
  }
  const reader = response.body.getReader();
  let pieces: Uint8Array[] = [];
  let held = 0;
  const write = async () => {
    if (held > 0) await handle.appendFile(Buffer.concat(pieces));
    [pieces, held] = [[], 0];
    onBytes(have);
  };
  try {
    while (have <= file.size) {
      const { done, value } = await withinReason(reader.read()).catch((error: Error) => ({
        done: undefined,
        value: (error.cause as Error | undefined)?.message ?? error.message,
      }));
      if (done === undefined) return value as string;
      if (done) return 'it ended early';
      const piece = value as Uint8Array;
      pieces.push(piece);
      held += piece.length;
      have += piece.length;
      // Pieces come in a few kilobytes each; writing every one would take most of the time.
      if (held >= enough) await write();
    }
    return 'it is too long';
  } finally {
    await write();
    await reader.cancel().catch(() => {});
  }
}

/** Read back from the disk, so that the beginning from an earlier process is checked too. */
async function checksumOf(path: string, { size, sha256 }: HubFile): Promise<string> {
  const hash = createHash(sha256 === undefined ? 'sha1' : 'sha256');
  if (sha256 === undefined) hash.update(`blob ${size}\0`);
  await pipeline(createReadStream(path), hash).catch(failedToBe('read', path));
  return hash.digest('hex');
}
