// One process at a time in a folder. The lock is the operating system's own on a file, taken through SQLite, because Node has no
// call for it. It ends with the process however that ends, so no lock is ever stale, and it holds between containers that share
// a volume, where process numbers mean nothing. The empty file stays: if it were removed, two processes could lock two files.
//
// Nothing else in this process may open the file: on POSIX, closing it anywhere in a process gives up all its locks.

import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { FileError, option, say } from '../checks/index.js';
import { explainFileError } from './file-errors.js';
import { openDatabase, type SqliteDatabase } from './sqlite.js';

/** Takes the lock, or throws an error if a process has it. The result releases the lock. */
export async function lockFile(path: string): Promise<() => Promise<void>> {
  let database: SqliteDatabase | undefined;
  try {
    database = openDatabase(path);
    // On a file that cannot be written, SQLite would take a lock that others can share.
    accessSync(path, constants.W_OK);
    database.pragma('busy_timeout = 0');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    throw inWords(path, error);
  }
  const held = database;
  return async () => {
    held.exec('ROLLBACK');
    held.close();
  };
}

const betweenTries = 200; // milliseconds

/** Takes the lock as soon as no other process has it. */
export async function lockWhenFree(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      return await lockFile(path);
    } catch (error) {
      if (!busy.has(error as object)) throw error;
      await new Promise((resolve) => setTimeout(resolve, betweenTries));
    }
  }
}

/** Errors that only say that another process has the lock. */
const busy = new WeakSet<object>();

function inWords(path: string, error: unknown): unknown {
  if (error instanceof FileError) return error;
  const explained = explainFileError(error, { path, tried: 'written' });
  if (explained !== error) return explained;
  const code = `${(error as { code?: unknown }).code ?? ''}`;
  const folder = dirname(path);
  if (code === 'SQLITE_BUSY') {
    const held = new FileError(
      say`${path}: another process is working in this folder: wait until it ends, or choose another ${option('folder')}`,
    );
    busy.add(held);
    return held;
  }
  if (code === 'SQLITE_NOTADB') {
    return new FileError(
      `${path}: expected a lock, got another file, perhaps a lock of epsilens 0.1: delete it if no process is working in ${folder}`,
    );
  }
  return new FileError(
    `${path}: the folder cannot be locked (${error instanceof Error ? error.message : error}): use a folder that exists, can be written to, and supports file locks, such as one on a local disk`,
  );
}
