// Doorway to libsql (SQLite), which is loaded at first use: commands that need no database work without its library.

import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Database from 'libsql';
import { FileError } from '../checks/index.js';
import { explainFileError } from './file-errors.js';
import { ownerOnly } from './files.js';

/** An open SQLite database. */
export type SqliteDatabase = Database.Database;

/** Opens a database, or creates it for its owner only. Errors are SQLite's own, with a `code` such as SQLITE_BUSY. */
export function openDatabase(path: string): SqliteDatabase {
  const Connection = loadLibsql();
  create(path);
  return new Connection(path);
}

/**
 * SQLite would let everybody read a new file; its journal has the mode of the file. One that exists is not opened, because closing
 * it would give up the locks that this process has on it.
 */
function create(path: string): void {
  try {
    closeSync(openSync(path, 'wx', ownerOnly.file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw explainFileError(error, { path, tried: 'written' });
  }
}

function loadLibsql(): typeof Database {
  try {
    return createRequire(import.meta.url)('libsql') as typeof Database;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : error;
    throw new FileError(
      `libsql, which stores results and locks folders, cannot be loaded (${reason}): run npm install libsql`,
    );
  }
}
