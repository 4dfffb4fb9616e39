// A temporary folder for the files of a test, and a reader of all rows.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { type ReadOptions, type Row, readRows } from '../../src/data/index.js';

export const golden = join(import.meta.dirname, '..', 'golden', 'data');
export const shared = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');

/** Makes a function that writes a file into a new folder and returns its path. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'epsilens-test-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  return (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
}

export async function readAll(path: string, options?: ReadOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of readRows(path, options)) rows.push(row);
  return rows;
}
