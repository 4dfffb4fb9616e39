// Tables whose columns are known by name: CSV with a header, JSON (a list of objects) or JSONL (one object per line).

import { readFile } from 'node:fs/promises';
import { FileError } from '../checks/index.js';
import { failedToBe } from '../platform/index.js';
import { readCsvRecords } from './csv.js';

/** One row: values by column, as texts (CSV) or as JSON has them. */
export interface NamedRecord {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a whole file, which must have at least one row. The ending decides: .json and .jsonl are JSON, anything else is CSV. */
export async function readNamedRecords(path: string): Promise<readonly NamedRecord[]> {
  const records = /\.(?:json|jsonl|ndjson)$/i.test(path) ? await readJson(path) : await readCsv(path);
  if (records.length === 0) throw new FileError(`${path}: expected rows, got none`);
  return records;
}

/** The delimiter that the header has most of. */
const commonest = (header: string): string =>
  [',', ';', '\t', '|'].reduce((best, one) => (header.split(one).length > header.split(best).length ? one : best));

async function readCsv(path: string): Promise<NamedRecord[]> {
  const records: NamedRecord[] = [];
  let names: readonly string[] | undefined;
  for await (const { line, cells } of readCsvRecords(path, commonest)) {
    if (cells.every((cell) => cell.trim() === '')) continue;
    if (names === undefined) {
      names = cells.map((cell) => cell.trim());
      continue;
    }
    if (cells.length !== names.length) {
      throw new FileError(`${path}: line ${line}: expected ${names.length} columns, got ${cells.length}`);
    }
    records.push({ line, fields: Object.fromEntries(names.map((name, k) => [name, (cells[k] as string).trim()])) });
  }
  return records;
}

async function readJson(path: string): Promise<NamedRecord[]> {
  const text = await readFile(path, 'utf8').catch(failedToBe('read', path));
  const isList = text.trimStart().startsWith('[');
  const values: [number, unknown][] = isList
    ? (parse(path, text) as unknown[]).map((value, k) => [k + 1, value])
    : text
        .split('\n')
        .flatMap((line, k): [number, unknown][] => (line.trim() === '' ? [] : [[k + 1, parse(path, line, k + 1)]]));
  return values.map(([line, value]) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { line, fields: value as Record<string, unknown> };
    }
    throw new FileError(
      `${path}: ${isList ? 'entry' : 'line'} ${line}: expected an object, got ${JSON.stringify(value)}`,
    );
  });
}

function parse(path: string, text: string, line?: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FileError(
      `${path}:${line === undefined ? '' : ` line ${line}:`} expected JSON: ${(error as Error).message}`,
    );
  }
}
