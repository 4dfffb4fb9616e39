// Writes safetensors files, whole or not at all.

import { ArgumentError } from '../checks/index.js';
import { writePrivate, writeWhole } from '../platform/index.js';
import { toBF16, toF16 } from './half.js';

/** A tensor for `writeSafetensors`. */
export interface TensorToWrite {
  readonly shape: readonly number[];
  /** Row-major numbers, as many as the shape has; all finite. */
  readonly data: Float32Array;
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
  const parts = Object.entries(tensors).map(([name, tensor]) => ({ name, tensor, bytes: encode(name, tensor) }));
  let end = 0;
  const entries = parts.map(({ name, tensor, bytes }) => {
    const start = end;
    end += bytes.byteLength;
    return [name, { dtype: tensor.dtype ?? 'F32', shape: tensor.shape, data_offsets: [start, end] }];
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
  await write(path, header, ...parts.map(({ bytes }) => bytes));
}

function encode(name: string, { shape, data, dtype = 'F32' }: TensorToWrite): Uint8Array {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count !== data.length)
    throw new ArgumentError(`tensor ${name}: expected ${count} numbers for [${shape}], got ${data.length}`);
  const bad = data.findIndex((number) => !Number.isFinite(number));
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
