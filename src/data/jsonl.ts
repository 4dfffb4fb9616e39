// JSONL: one JSON object per line.

import { FileError } from '../checks/index.js';
import { findNamed } from './columns.js';
import { readLineBatches } from './lines.js';
import type { RawReader, RawRow, ReadOptions } from './record.js';

interface Names {
  readonly text: string;
  readonly label: string | undefined;
  readonly group: string | undefined;
}

export const readJsonl: RawReader = async function* (path, options, onColumns) {
  let names: Names | undefined;
  for await (const { first, text } of readLineBatches(path, options.encoding)) {
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const number = first + index;
      const fields = parse(path, line, number);
      if (names === undefined) {
        names = findNames(path, fields, options);
        onColumns?.(Object.keys(fields));
      }
      if (names.label === undefined) expectUnlabelled(path, fields, number);
      yield toRow(path, fields, names, number);
    }
  }
};

function parse(path: string, line: string, number: number): Record<string, unknown> {
  if (number === 1 && line.trimStart().startsWith('[')) {
    throw new FileError(
      `${path}: line 1: expected one JSON object per line, got an array: write each of its objects on a line`,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new FileError(`${path}: line ${number}: expected one JSON object per line: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  const got = Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40);
  throw new FileError(`${path}: line ${number}: expected one JSON object per line, got ${got}`);
}

function findNames(path: string, fields: Record<string, unknown>, options: ReadOptions): Names {
  const names = Object.keys(fields);
  const { text, label, group } = findNamed(path, names, options);
  const nameOf = (column: number | undefined) => (column === undefined ? undefined : names[column]);
  return { text: names[text] as string, label: nameOf(label), group: nameOf(group) };
}

/** The first row decides which fields are read; a label that appears only later must not be lost. */
function expectUnlabelled(path: string, fields: Record<string, unknown>, number: number): void {
  if (!Object.hasOwn(fields, 'label')) return;
  throw new FileError(
    `${path}: line ${number}: expected no label, because the first row has none; label all rows or none`,
  );
}

function toRow(path: string, fields: Record<string, unknown>, names: Names, line: number): RawRow {
  const valueIn = (name: string | undefined) =>
    name === undefined ? undefined : shortValue(path, Object.hasOwn(fields, name) ? fields[name] : null, name, line);
  const text = Object.hasOwn(fields, names.text) ? fields[names.text] : null;
  if (typeof text !== 'string' && text !== null) {
    throw new FileError(
      `${path}: line ${line}: expected text in ${names.text}, got ${JSON.stringify(text).slice(0, 40)}`,
    );
  }
  if (text !== null && /\p{Surrogate}/u.test(text)) {
    throw new FileError(
      `${path}: line ${line}: expected whole characters in ${names.text}, got half a surrogate pair; write the file again as UTF-8`,
    );
  }
  return { line, text, label: valueIn(names.label), group: valueIn(names.group) };
}

function shortValue(path: string, value: unknown, name: string, line: number): string | null {
  if (typeof value === 'string') return value.trim() || null;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return null;
  throw new FileError(
    `${path}: line ${line}: expected text or a number in ${name}, got ${JSON.stringify(value).slice(0, 40)}`,
  );
}
