// The lines of a text file, in batches. A line break is never part of a longer UTF-8 character, so bytes are first cut at
// line breaks and then decoded: whatever is not UTF-8 is reported with its line, wherever the pieces of the file end.

import { FileError } from '../checks/index.js';
import { prepend, readChunks } from './chunks.js';
import { fromWindows1252, notUtf8, recognise, type TextEncoding, toUtf8 } from './encodings.js';

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

/** Yields the lines of a file, plain or gzipped, in batches of bounded size. Without an encoding, it is UTF-8, or UTF-16 with its mark. */
export async function* readLineBatches(path: string, encoding?: TextEncoding): AsyncGenerator<LineBatch> {
  const decode = makeDecoder(path, encoding);
  let first = 1;
  let held: Uint8Array[] = [];
  let heldLength = 0;
  const hold = (bytes: Uint8Array) => {
    held.push(bytes);
    heldLength += bytes.length;
    if (heldLength > longestLine) throw tooLong(path, first);
  };
  for await (const chunk of readBytes(path, encoding)) {
    const end = chunk.lastIndexOf(lineFeed);
    if (end === -1) {
      hold(chunk);
      continue;
    }
    const text = decode(Buffer.concat([...held, chunk.subarray(0, end)]), first);
    held = [];
    heldLength = 0;
    yield { first, text };
    first += 1 + countFeeds(text, 0, text.length);
    hold(chunk.subarray(end + 1));
  }
  if (heldLength > 0) yield { first, text: decode(Buffer.concat(held), first) };
}

/** The bytes of a file, with UTF-16 as UTF-8. */
async function* readBytes(path: string, encoding: TextEncoding | undefined): AsyncGenerator<Uint8Array> {
  const chunks = readChunks(path);
  try {
    const { value: start, done } = await chunks.next();
    if (done) return;
    const found = encoding ?? recognise(path, start);
    const all = prepend(start, chunks);
    yield* found === 'utf-16le' || found === 'utf-16be' ? toUtf8(path, all, found) : all;
  } finally {
    await chunks.return(undefined);
  }
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

/** A function from whole lines, the number of the first one given, to text. */
function makeDecoder(path: string, encoding: TextEncoding | undefined): (bytes: Buffer, first: number) => string {
  let isAscii = true;
  const decodeUtf8 = (bytes: Buffer, first: number): string => {
    try {
      const text = decoder.decode(bytes);
      isAscii &&= text.length === bytes.length;
      return first === 1 && text.startsWith('\ufeff') ? text.slice(1) : text;
    } catch {
      throw notUtf8(path, bytes, first, isAscii);
    }
  };
  const decode = encoding === 'windows-1252' || encoding === 'latin1' ? fromWindows1252 : decodeUtf8;
  return (bytes, first) => {
    const end = bytes.indexOf(lineFeed);
    if ((end === -1 ? bytes.length : end) > longestLine) throw tooLong(path, first);
    return decode(bytes, first);
  };
}
