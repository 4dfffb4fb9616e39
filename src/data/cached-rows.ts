// Rows that take long to make, kept as a gzip file: a header line with a key and a digest, then one JSON value a line.
// A file that is damaged, or made for another key, is made again.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { writeWhole } from '../platform/index.js';

interface Header {
  readonly key: string;
  readonly sha256: string;
}

export async function cachedRows<T>(
  path: string,
  key: string,
  make: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const kept = await readRows<T>(path, key);
  if (kept !== undefined) return kept;
  const rows = await make();
  // A full disk or a read-only folder costs time at the next start, not the result.
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
  await writeWhole(path, bytes);
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
