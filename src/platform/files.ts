// Files that are written whole or not at all, files and folders that only their owner may read, and JSON files with clear errors.

import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileError } from '../checks/index.js';
import { explainFileError, failedToBe } from './file-errors.js';

/**
 * Modes of what holds private text, features, losses or other figures that no guarantee covers. They hold on POSIX; on Windows the
 * folder decides. What is made to be passed on, such as a saved model, has the usual mode.
 */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const;

/** What a file is written from; a function makes its piece when it is its turn, so that large files need not be in memory at once. */
type Pieces = readonly (string | Uint8Array | (() => Promise<Uint8Array>))[];

/** Writes to a temporary file, waits until it is on disk, then renames it: under its own name a file is always complete. */
export const writeWhole = (path: string, ...pieces: Pieces): Promise<void> => write(path, pieces);

/** The same for a file that only its owner may read; so are the folders that are made for it. */
export const writePrivate = (path: string, ...pieces: Pieces): Promise<void> => write(path, pieces, ownerOnly);

async function write(path: string, pieces: Pieces, modes?: typeof ownerOnly): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: modes?.folder });
    const file = await open(temporary, 'w', modes?.file);
    try {
      for (const piece of pieces) await file.writeFile(typeof piece === 'function' ? await piece() : piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw explainFileError(error, { path, tried: 'written' });
  }
}

/** Adds text to a file that only its owner may read. */
export const appendPrivate = (path: string, text: string): Promise<void> =>
  appendFile(path, text, { mode: ownerOnly.file }).catch(failedToBe('written', path));

/** Makes a folder, with those on the way, that only its owner may read; leaves one that exists as it is. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: ownerOnly.folder }).catch(failedToBe('written', path));
}

/** Reads a JSON file whose top level is an object. Every error begins with the path. */
export async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch(failedToBe('read', path));
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new FileError(`${path}: not JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new FileError(`${path}: expected a JSON object`);
}

/** Writes a value as indented JSON, whole or not at all. */
export const writeJson = (path: string, value: unknown): Promise<void> => writeWhole(path, toJson(value));

/** The same for a file that only its owner may read. */
export const writePrivateJson = (path: string, value: unknown): Promise<void> => writePrivate(path, toJson(value));

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
