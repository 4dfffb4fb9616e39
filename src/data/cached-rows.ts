// Caches rows that take long to compute in a gzip file: a header line with a key and a digest, then one JSON value per
// line. A file that is damaged, or was written for another key, is written again.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { writePrivate } from '../platform/index.js';

interface Header {
  readonly key: string;
  readonly sha256: string;
}

/** Rows from the cache file, or from `make`, whose result is then cached. */
export async function cachedRows<T>(
  path: string,
  key: string,
  make: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const cached = await readRows<T>(path, key);
  if (cached !== undefined) return cached;
  const rows = await make();
  // With a full disk or a read-only folder the rows are computed again next time; the result is the same.
  await writeRows(path, key, rows).catch((error: Error) => process.emitWarning(`not cached: ${error.message}`));
  return rows;
}

async function readRows<T>(path: string, key: string): Promise<T[] | undefined> {
  try {
    const text = (await promisify(gunzip)(await readFile(path))).toString();
    const end = text.indexOf('\n');
    const header = JSON.parse(text.slice(0, end)) as Header;
    const lines = text.slice(end + 1);
    if (header.key !== key || header.sha256 !== digest(lines)) return undefined;
    return lines.split('\n').map((line) => JSON.parse(line) as T);
  } catch {
    return undefined;
  }
}

async function writeRows(path: string, key: string, rows: readonly unknown[]): Promise<void> {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const header: Header = { key, sha256: digest(lines) };
  const bytes = await promisify(gzip)(`${JSON.stringify(header)}\n${lines}`);
  await writePrivate(path, bytes);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
