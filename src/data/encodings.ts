// The encodings that text files may have. UTF-16 is turned into UTF-8 as it is read; of Windows-1252, every byte is one character.

import { isUtf8 } from 'node:buffer';
import { advice, check, FileError, say, setting } from '../checks/index.js';

/** The encodings that can be read; latin1 is read as windows-1252, as browsers do. */
export const textEncodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'latin1'] as const;
/** Name of an encoding: utf-8, utf-16le, utf-16be, windows-1252 or latin1. */
export type TextEncoding = (typeof textEncodings)[number];

/** Throws unless the encoding is one that can be read. */
export function checkEncoding(encoding: TextEncoding | undefined): void {
  if (encoding !== undefined)
    check({ encoding }, `one of ${textEncodings.join(', ')}`, (one) => textEncodings.includes(one));
}

/** The first bytes of zip archives, which spreadsheets are too. */
const zipMark = [0x50, 0x4b, 0x03, 0x04];

/** The encoding that the first bytes of a file show by a byte-order mark, or by the zeros of UTF-16; otherwise UTF-8. */
export function recognise(path: string, start: Uint8Array): TextEncoding {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  if (zipMark.every((byte, place) => start[place] === byte)) {
    throw new FileError(`${path}: expected text, got a zip archive or a spreadsheet; save the table as CSV`);
  }
  const some = start.subarray(0, 256);
  const zeros = [0, 1].map((parity) => some.filter((byte, place) => byte === 0 && place % 2 === parity).length);
  const [even = 0, odd = 0] = zeros;
  if (even + odd < some.length / 4 || Math.max(even, odd) < 4 * Math.min(even, odd)) return 'utf-8';
  const found = odd >= even ? 'utf-16le' : 'utf-16be';
  throw new FileError(say`${path}: it seems to be UTF-16 without a byte-order mark: ${orSave(found)}`);
}

/** UTF-16 as UTF-8, piece by piece. */
export async function* toUtf8(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  encoding: 'utf-16le' | 'utf-16be',
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Uint8Array): Buffer => {
    try {
      return Buffer.from(chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true }));
    } catch {
      throw notUtf16(path, encoding);
    }
  };
  for await (const chunk of chunks) yield decode(chunk);
  yield decode();
}

/** What Windows-1252 has at 0x80 to 0x9f. Some versions of Node read these as Latin-1, so TextDecoder cannot be used. */
const special =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Bytes that do not occur in Windows-1252. */
const withoutCharacter: readonly number[] = [0, 0x81, 0x8d, 0x8f, 0x90, 0x9d];

/** Windows-1252 as text. */
export const fromWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => special[control.charCodeAt(0) - 0x80] as string);

/**
 * Why bytes that are not UTF-8 cannot be read, with the line where they are. `isAscii` says whether all before them is ASCII: only
 * then they may be Windows-1252. Otherwise it is UTF-8 that was damaged.
 */
export function notUtf8(path: string, bytes: Uint8Array, first: number, isAscii: boolean): FileError {
  const endOf = (start: number) => {
    const end = bytes.indexOf(0x0a, start);
    return end === -1 ? bytes.length : end;
  };
  let [line, start, end] = [first, 0, endOf(0)];
  for (; end < bytes.length && isUtf8(bytes.subarray(start, end)); end = endOf(start)) {
    start = end + 1;
    line += 1;
  }
  const before = bytes.subarray(0, start);
  const own = bytes.subarray(start, end);
  const isWestern = !own.some((byte) => withoutCharacter.includes(byte));
  if (isAscii && isWestern && before.every((byte) => byte < 0x80)) {
    return new FileError(say`${path}: line ${line} is not UTF-8; it reads as Windows-1252: ${orSave('windows-1252')}`);
  }
  return new FileError(`${path}: line ${line}: expected UTF-8, got other bytes; save the file as UTF-8`);
}

const orSave = (encoding: TextEncoding) =>
  advice(say`add ${setting('encoding', encoding)}, or save the file as UTF-8`, 'save the file as UTF-8');

/** A whole text, for files that are small enough to be read at once. */
export function decodeText(path: string, bytes: Uint8Array, encoding?: TextEncoding): string {
  checkEncoding(encoding);
  const found = encoding ?? recognise(path, bytes);
  if (found === 'windows-1252' || found === 'latin1') return fromWindows1252(bytes);
  try {
    return new TextDecoder(found, { fatal: true }).decode(bytes);
  } catch {
    throw found === 'utf-8' ? notUtf8(path, bytes, 1, true) : notUtf16(path, found);
  }
}

const notUtf16 = (path: string, encoding: string) =>
  new FileError(`${path}: expected ${encoding.toUpperCase()}, got other bytes; save the file as UTF-8`);
