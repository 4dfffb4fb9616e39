// Reads the safetensors format: 8 bytes of header length (little-endian), a JSON header, then the tensors' bytes, which must
// cover the rest of the file without gaps or overlaps. All of this is checked before any data is used.

import { open, realpath } from 'node:fs/promises';
import { FileError } from '../checks/index.js';
import { failedToBe } from '../platform/index.js';
import { findNotFinite } from './finite.js';
import { widenBF16, widenF16 } from './half.js';

const elementSize = { F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, I16: 2, I8: 1, U8: 1, BOOL: 1 } as const;
/** Element types that a safetensors file may hold; F32, F16 and BF16 can be read as numbers. */
export type TensorType = keyof typeof elementSize;

/** Where a tensor lies in its file. */
export interface TensorEntry {
  readonly dtype: TensorType;
  readonly shape: readonly number[];
  /** Position of its first byte in the file. */
  readonly offset: number;
  /** Number of bytes. */
  readonly length: number;
}

/** The checked header of a safetensors file; `readTensor` reads the numbers. */
export interface SafetensorsFile {
  readonly path: string;
  /** The header's `__metadata__`. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Tensors by name. */
  readonly tensors: ReadonlyMap<string, TensorEntry>;
}

const longestHeader = 100_000_000;

/** Opens a safetensors file: reads its header and checks that the tensors fill the file exactly. */
export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  const file = await open(path, 'r').catch(failedToBe('read', path));
  try {
    const stats = await file.stat();
    if (stats.isDirectory()) throw new FileError(`${path}: expected a file, got a folder: give the path of a file`);
    const { size } = stats;
    const start = Buffer.alloc(8);
    if (size < 8 || (await file.read(start, 0, 8, 0)).bytesRead < 8) {
      throw new FileError(`${path}: expected a safetensors file, got ${size} bytes`);
    }
    const headerLength = start.readBigUInt64LE();
    if (headerLength > BigInt(Math.min(longestHeader, size - 8))) {
      const advice = isPickle(start)
        ? '; it looks like a pickle file, which can run code when loaded: convert it to safetensors'
        : '';
      throw new FileError(
        `${path}: expected a header of at most ${Math.min(longestHeader, size - 8)} bytes, got ${headerLength}${advice}`,
      );
    }
    const header = Buffer.alloc(Number(headerLength));
    await file.read(header, 0, header.length, 8);
    const { metadata, entries } = parseHeader(path, header);
    return { path: await realpath(path), metadata, tensors: layOut(path, entries, 8 + header.length, size) };
  } finally {
    await file.close();
  }
}

/** Recognises zip archives (PyTorch since 1.6) and bare pickles. */
const isPickle = (start: Buffer): boolean => start.subarray(0, 2).toString('latin1') === 'PK' || start[0] === 0x80;

interface HeaderEntry {
  readonly name: string;
  readonly dtype: TensorType;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

function parseHeader(path: string, bytes: Buffer): { metadata: Record<string, string>; entries: HeaderEntry[] } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FileError(`${path}: the header is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (!isRecord(header)) throw new FileError(`${path}: expected a JSON object as header`);
  const { __metadata__: metadata = {}, ...tensors } = header;
  if (!isRecord(metadata) || Object.values(metadata).some((value) => typeof value !== 'string')) {
    throw new FileError(`${path}: expected __metadata__ to map text to text`);
  }
  const entries = Object.entries(tensors).map(([name, value]) => parseEntry(path, name, value));
  return { metadata: metadata as Record<string, string>, entries };
}

function parseEntry(path: string, name: string, value: unknown): HeaderEntry {
  const wrong = (what: string) => new FileError(`${path}: tensor ${name}: ${what}`);
  if (!isRecord(value)) throw wrong('expected an object');
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !Object.hasOwn(elementSize, dtype)) {
    throw wrong(`expected a type of ${Object.keys(elementSize).join(', ')}, got ${JSON.stringify(dtype)}`);
  }
  if (!isCounts(shape)) throw wrong(`expected a shape of whole numbers, got ${JSON.stringify(shape)}`);
  if (!isCounts(offsets) || offsets.length !== 2 || (offsets[0] as number) > (offsets[1] as number)) {
    throw wrong(`expected two rising offsets, got ${JSON.stringify(offsets)}`);
  }
  const [start, end] = offsets as [number, number];
  const needed = shape.reduce((product, size) => product * size, elementSize[dtype as TensorType]);
  if (needed !== end - start) throw wrong(`expected ${needed} bytes for ${dtype}[${shape}], got ${end - start}`);
  return { name, dtype: dtype as TensorType, shape, start, end };
}

/** Tensors by name, after checking that their bytes fill the file exactly once. */
function layOut(path: string, entries: HeaderEntry[], begin: number, size: number): Map<string, TensorEntry> {
  let covered = 0;
  for (const { name, start, end } of entries.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (start !== covered) {
      const what =
        start < covered ? 'overlaps the tensor before it' : `leaves a gap of ${start - covered} bytes before it`;
      throw new FileError(`${path}: tensor ${name} ${what}`);
    }
    covered = end;
  }
  if (begin + covered !== size) {
    throw new FileError(`${path}: expected ${begin + covered} bytes by its header, got ${size}`);
  }
  return new Map(
    entries.map(({ name, dtype, shape, start, end }) => [
      name,
      { dtype, shape, offset: begin + start, length: end - start },
    ]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);

/** Reads one F32, F16 or BF16 tensor as F32. NaN and infinities are errors: a model that holds them is broken. */
export async function readTensor(file: SafetensorsFile, name: string): Promise<Float32Array> {
  const entry = file.tensors.get(name);
  if (entry === undefined) throw new FileError(`${file.path}: no tensor ${name}`);
  const bytes = await readBytes(file.path, entry);
  const numbers = widen(file.path, name, entry.dtype, bytes);
  const bad = findNotFinite(numbers);
  if (bad !== -1) throw new FileError(`${file.path}: tensor ${name} holds ${numbers[bad]} at element ${bad}`);
  return numbers;
}

async function readBytes(path: string, { offset, length }: TensorEntry): Promise<ArrayBuffer> {
  const bytes = new ArrayBuffer(length);
  const file = await open(path, 'r').catch(failedToBe('read', path));
  try {
    let done = 0;
    while (done < length) {
      const { bytesRead } = await file.read(
        new Uint8Array(bytes),
        done,
        Math.min(length - done, 1 << 30),
        offset + done,
      );
      if (bytesRead === 0) throw new FileError(`${path}: the file became shorter while it was read`);
      done += bytesRead;
    }
  } finally {
    await file.close();
  }
  return bytes;
}

function widen(path: string, name: string, dtype: TensorType, bytes: ArrayBuffer): Float32Array {
  switch (dtype) {
    case 'F32':
      return new Float32Array(bytes);
    case 'F16':
      return widenF16(new Uint16Array(bytes));
    case 'BF16':
      return widenBF16(new Uint16Array(bytes));
    default:
      throw new FileError(`${path}: tensor ${name}: expected F32, F16 or BF16, got ${dtype}`);
  }
}
