// Reads a weights file once before it is used: checks that all numbers are finite, and computes its SHA-256. F16 and BF16
// weights are written once as F32 into the cache, so that every session and process maps the same file.

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from '../checks/index.js';
import { cacheFolder, failedToBe } from '../platform/index.js';
import { findNotFinite } from './finite.js';
import { openSafetensors, readTensor, type SafetensorsFile, type TensorEntry } from './safetensors.js';
import { writeSafetensors } from './safetensors-writer.js';

/** The SHA-256 of a file. Throws at the first F32 number that is not finite, with the tensor's name. */
export async function inspectWeights({ path, tensors }: SafetensorsFile): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'r').catch(failedToBe('read', path));
  try {
    const starts = [...tensors].toSorted(([, a], [, b]) => a.offset - b.offset);
    const begin = starts[0]?.[1].offset ?? (await file.stat()).size;
    const header = Buffer.alloc(begin);
    await file.read(header, 0, begin, 0);
    hash.update(header);
    const piece = new ArrayBuffer(1 << 22);
    for (const [name, entry] of starts) {
      for (let done = 0; done < entry.length; ) {
        const wanted = Math.min(piece.byteLength, entry.length - done);
        const { bytesRead } = await file.read(new Uint8Array(piece), 0, wanted, entry.offset + done);
        if (bytesRead !== wanted) throw new FileError(`${path}: the file became shorter while it was read`);
        hash.update(new Uint8Array(piece, 0, wanted));
        if (entry.dtype === 'F32') expectFinite(new Float32Array(piece, 0, wanted / 4), path, name, done / 4);
        done += wanted;
      }
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

function expectFinite(numbers: Float32Array, path: string, name: string, first: number): void {
  const bad = findNotFinite(numbers);
  if (bad !== -1) throw new FileError(`${path}: tensor ${name} holds ${numbers[bad]} at element ${first + bad}`);
}

/** A file with the same tensors as F32: the file itself, or its copy in the cache. */
export async function asFloat32(file: SafetensorsFile, digest: string): Promise<SafetensorsFile> {
  const floats = [...file.tensors].filter(([, { dtype }]) => isHalf(dtype) || dtype === 'F32');
  if (floats.every(([, { dtype }]) => dtype === 'F32')) return file;
  const folder = join(cacheFolder(), 'weights');
  const path = join(folder, `${digest.slice(0, 32)}.safetensors`);
  const found = await openCached(path, digest);
  if (found !== undefined) return found;
  const tensors = Object.fromEntries(
    floats.map(([name, { shape }]) => [name, { shape, data: () => readTensor(file, name) }]),
  );
  await writeSafetensors(path, tensors, { digest }, { ownerOnly: true });
  return openSafetensors(path);
}

const isHalf = (dtype: TensorEntry['dtype']): boolean => dtype === 'F16' || dtype === 'BF16';

/** Opens the cached file; undefined if it is damaged or belongs to another one. */
async function openCached(path: string, digest: string): Promise<SafetensorsFile | undefined> {
  if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
  try {
    const file = await openSafetensors(path);
    return file.metadata.digest === digest ? file : undefined;
  } catch {
    return undefined;
  }
}
