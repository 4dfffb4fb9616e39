// Files that are written whole or not at all, and JSON files with clear errors.

import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FileError } from '../checks/index.js';

/** Writes to a temporary file, waits until it is on disk, then renames it: under its own name a file is always complete. */
export async function writeWhole(path: string, ...pieces: readonly (string | Uint8Array)[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'w');
    try {
      for (const piece of pieces) await file.writeFile(piece);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Reads a JSON file whose top level is an object. Every error begins with the path. */
export async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new FileError(error.code === 'ENOENT' ? `${path}: no such file` : `${path}: ${error.message}`);
  });
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw new FileError(`${path}: not JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new FileError(`${path}: expected a JSON object`);
}

/** Writes a value as indented JSON, whole or not at all. */
export const writeJson = (path: string, value: unknown): Promise<void> =>
  writeWhole(path, `${JSON.stringify(value, null, 2)}\n`);
