// The bytes of a file, piece by piece. Gzip is told by its first two bytes, whatever the file is called.

import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FileError } from '../math/index.js';

const pieceLength = 1 << 16;

/** Opens a regular file; the caller closes it. */
export async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new FileError(error.code === 'ENOENT' ? `${path}: no such file` : `${path}: ${error.message}`);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new FileError(`${path}: expected a file, got a folder or a device`);
}

/** Unpacked where the file is gzipped. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await openFile(path);
  try {
    const start = new Uint8Array(2);
    await file.read(start, 0, 2, 0);
    const stream = file.createReadStream({ start: 0, autoClose: false, highWaterMark: pieceLength });
    const isGzip = start[0] === 0x1f && start[1] === 0x8b;
    // The callback is only there because pipeline asks for one: errors also come out of the iteration.
    yield* isGzip ? pipeline(stream, createGunzip({ chunkSize: pieceLength }), () => {}) : stream;
  } catch (error) {
    throw new FileError(`${path}: ${explain(error as NodeJS.ErrnoException)}`);
  } finally {
    await file.close();
  }
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'Z_BUF_ERROR') return 'the gzip data end too early; copy or download the file again';
  if (code?.startsWith('Z_')) return `the gzip data are damaged (${message}); copy or download the file again`;
  return message;
}
