// Doorway to libsql (SQLite), which is loaded at first use: commands that need no database work without its library.

import { createRequire } from 'node:module';
import type Database from 'libsql';
import { FileError } from '../checks/index.js';

/** An open SQLite database. */
export type SqliteDatabase = Database.Database;

/** Opens a database, or creates it. Errors are SQLite's own, with a `code` such as SQLITE_BUSY. */
export function openDatabase(path: string): SqliteDatabase {
  const Connection = loadLibsql();
  return new Connection(path);
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
