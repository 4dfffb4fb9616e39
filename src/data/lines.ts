// The lines of a text file, in batches. A line break is never part of a longer UTF-8 character, so bytes are first cut at
// line breaks and then decoded: whatever is not UTF-8 is reported with its line, wherever the pieces of the file end.

import { isUtf8 } from 'node:buffer';
import { FileError } from '../checks/index.js';
import { readChunks } from './chunks.js';

/** The longest line, field, paragraph or value that is read, in bytes: longer than any sentence, and a bound on memory. */
export const longestLine = 1 << 24;

/** Some whole lines, joined by line feeds. Carriage returns are kept. */
export interface LineBatch {
  /** The number of the first line, counted from 1. */
  readonly first: number;
  readonly text: string;
}

const lineFeed = 0x0a;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Yields the lines of a file, plain or gzipped, in batches of bounded size. */
export async function* readLineBatches(path: string): AsyncGenerator<LineBatch> {
  let first = 1;
  let held: Uint8Array[] = [];
  let heldLength = 0;
  const hold = (bytes: Uint8Array) => {
    held.push(bytes);
    heldLength += bytes.length;
    if (heldLength > longestLine) throw tooLong(path, first);
  };
  for await (const chunk of readChunks(path)) {
    const end = chunk.lastIndexOf(lineFeed);
    if (end === -1) {
      hold(chunk);
      continue;
    }
    const text = decodeLines(path, Buffer.concat([...held, chunk.subarray(0, end)]), first);
    held = [];
    heldLength = 0;
    yield { first, text };
    first += 1 + countFeeds(text, 0, text.length);
    hold(chunk.subarray(end + 1));
  }
  if (heldLength > 0) yield { first, text: decodeLines(path, Buffer.concat(held), first) };
}

/** The error for a line, field or paragraph beyond `longestLine`. */
export const tooLong = (path: string, line: number, what = 'the line') =>
  new FileError(`${path}: line ${line}: ${what} is longer than ${longestLine} bytes, the most that can be read`);

/** Counts the line feeds between two positions of a text. */
export function countFeeds(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function decodeLines(path: string, bytes: Buffer, first: number): string {
  const end = bytes.indexOf(lineFeed);
  if ((end === -1 ? bytes.length : end) > longestLine) throw tooLong(path, first);
  try {
    const text = decoder.decode(bytes);
    return first === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
  } catch {
    throw notUtf8(path, bytes, first);
  }
}

function notUtf8(path: string, bytes: Buffer, first: number): FileError {
  const mark = first === 1 ? bytes.subarray(0, 2).toString('hex') : '';
  if (mark === 'fffe' || mark === 'feff') return new FileError(`${path}: expected UTF-8, got UTF-16; save it as UTF-8`);
  let line = first;
  for (let start = 0; ; line += 1) {
    const end = bytes.indexOf(lineFeed, start);
    if (!isUtf8(bytes.subarray(start, end === -1 ? undefined : end)) || end === -1) break;
    start = end + 1;
  }
  return new FileError(`${path}: line ${line}: expected UTF-8, got other bytes; save the file as UTF-8`);
}
