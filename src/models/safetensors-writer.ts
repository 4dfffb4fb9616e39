// Writes safetensors files, whole or not at all.

import { ArgumentError } from '../checks/index.js';
import { writePrivate, writeWhole } from '../platform/index.js';
import { findNotFinite } from './finite.js';
import { toBF16, toF16 } from './half.js';

/** A tensor for `writeSafetensors`. */
export interface TensorToWrite {
  readonly shape: readonly number[];
  /** Row-major numbers, as many as the shape has, all finite; or how to read them when it is their turn, so that they need not be in memory at once. */
  readonly data: Float32Array | (() => Promise<Float32Array>);
  /** Stored type. Default: F32. */
  readonly dtype?: 'F32' | 'F16' | 'BF16';
}

/** Who may read a file of tensors. */
export interface WriteOptions {
  /** Only its owner may read the file and the folders made for it (on POSIX). Default: false, the usual mode. */
  readonly ownerOnly?: boolean;
}

/**
 * Writes tensors by name, with optional metadata, under a temporary name that is then renamed: a crash leaves no half file.
 * Throws on NaN, infinities, and numbers too large for F16.
 */
export async function writeSafetensors(
  path: string,
  tensors: Readonly<Record<string, TensorToWrite>>,
  metadata: Readonly<Record<string, string>> = {},
  options: WriteOptions = {},
): Promise<void> {
  const parts = Object.entries(tensors).map(([name, tensor]) => pieceOf(name, tensor));
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { shape, dtype = 'F32' }]) => {
    const start = end;
    end += countOf(shape) * (dtype === 'F32' ? 4 : 2);
    return [name, { dtype, shape, data_offsets: [start, end] }];
  });
  const json = JSON.stringify({
    ...(Object.keys(metadata).length > 0 && { __metadata__: metadata }),
    ...Object.fromEntries(entries),
  });
  const text = Buffer.from(json);
  // Spaces pad the header so that the data is aligned.
  const header = Buffer.alloc(8 + Math.ceil(text.length / 8) * 8, ' ');
  header.writeBigUInt64LE(BigInt(header.length - 8));
  text.copy(header, 8);
  const write = options.ownerOnly ? writePrivate : writeWhole;
  await write(path, header, ...parts);
}

const countOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** The bytes of a tensor, or how to make them. */
function pieceOf(name: string, tensor: TensorToWrite): Uint8Array | (() => Promise<Uint8Array>) {
  const { data } = tensor;
  if (typeof data !== 'function') return encode(name, { ...tensor, data });
  return async () => encode(name, { ...tensor, data: await data() });
}

/** A tensor whose numbers are in memory. */
export type NumbersToWrite = TensorToWrite & { readonly data: Float32Array };

function encode(name: string, { shape, data, dtype = 'F32' }: NumbersToWrite): Uint8Array {
  const count = countOf(shape);
  if (count !== data.length)
    throw new ArgumentError(`tensor ${name}: expected ${count} numbers for [${shape}], got ${data.length}`);
  const bad = findNotFinite(data);
  if (bad !== -1)
    throw new ArgumentError(
      `tensor ${name} holds ${data[bad]} at element ${bad}: expected finite numbers; nothing was written`,
    );
  if (dtype === 'F32') return new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const halves = Uint16Array.from(data, dtype === 'F16' ? toF16 : toBF16);
  const infinite = dtype === 'F16' ? halves.findIndex((half) => (half & 0x7fff) === 0x7c00) : -1;
  if (infinite !== -1) {
    throw new ArgumentError(
      `tensor ${name}: ${data[infinite]} at element ${infinite} is too large for F16: write F32 or BF16`,
    );
  }
  return new Uint8Array(halves.buffer);
}
