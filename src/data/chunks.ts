// The bytes of a file, piece by piece. Gzip is recognised by its first two bytes, whatever the file is called.

import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileError } from '../checks/index.js';
import { failedToBe } from '../platform/index.js';

const pieceLength = 1 << 16;

/** Opens a regular file; the caller closes it. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch(failedToBe('read', path));
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new FileError(`${path}: expected a file, got a folder or a device`);
}

/** Yields the bytes of a file, unpacked if it is gzipped. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(path);
  try {
    const pieces = readPieces(file);
    const { value: start, done } = await pieces.next();
    if (done) return;
    const rest = prepend(start, pieces);
    // pipeline requires a callback; errors also surface through the iteration.
    yield* isGzip(start) ? pipeline(rest, createGunzip({ chunkSize: pieceLength }), () => {}) : rest;
  } catch (error) {
    throw new FileError(`${path}: ${explain(error as NodeJS.ErrnoException)}`);
  } finally {
    await file.close();
  }
}

/** Reads without a stream, which would be much slower for the many small files of a folder. */
async function* readPieces(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(pieceLength) });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Puts a piece before others. */
export async function* prepend(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}

const isGzip = (start: Uint8Array): boolean => start[0] === 0x1f && start[1] === 0x8b;

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'Z_BUF_ERROR') return 'the gzip data end early; copy or download the file again';
  if (code?.startsWith('Z_')) return `the gzip data are damaged (${message}); copy or download the file again`;
  return message;
}
