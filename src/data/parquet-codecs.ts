// The doorway to hyparquet-compressors. Every codec gets the length it must unpack to, and none may write more.

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompressZstd, compressors as packaged } from 'hyparquet-compressors';

export type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

const unpackers: Readonly<Record<string, Unpack | undefined>> = {
  UNCOMPRESSED: (packed) => packed,
  SNAPPY: (packed, length) => {
    expectLength(snappyLength(packed), length); // what is missing would be what the page before left in its memory
    return packaged.SNAPPY?.(packed, length) as Uint8Array;
  },
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: length }),
  BROTLI: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: length }),
  ZSTD: (packed, length) => {
    expectLength(zstdLength(packed) ?? length, length);
    return decompressZstd(packed, new Uint8Array(length)); // with the result's place given, it makes no window of its own
  },
  LZ4: packaged.LZ4,
  LZ4_RAW: packaged.LZ4_RAW,
};

export function unpackerFor(codec: string | undefined): Unpack {
  const unpack = codec !== undefined && Object.hasOwn(unpackers, codec) ? unpackers[codec] : undefined;
  if (unpack === undefined) {
    throw new Error(`packed with ${codec}, which is not supported; expected ${Object.keys(unpackers).join(', ')}`);
  }
  return (packed, length) => {
    if (length === 0) return new Uint8Array(0);
    const page = unpack(packed, length);
    expectLength(page.length, length);
    return page;
  };
}

/** For hyparquet, which unpacks a second time what has been checked. */
export const compressors = Object.fromEntries(Object.keys(unpackers).map((codec) => [codec, unpackerFor(codec)]));

function expectLength(got: number, length: number): void {
  if (got !== length) throw new Error(`expected a page of ${length} bytes, got ${got}`);
}

/** The length in front of the data: seven bits a byte. */
function snappyLength(packed: Uint8Array): number {
  const end = packed.findIndex((byte) => byte < 0x80);
  return packed.slice(0, end + 1).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

/** The length that a frame may declare (RFC 8878, 3.1.1.1). */
function zstdLength(packed: Uint8Array): number | undefined {
  const flags = packed[4] ?? 0;
  const single = (flags >> 5) & 1;
  const size = [single, 2, 4, 8][flags >> 6] as number;
  if (size === 0) return undefined;
  const start = 6 - single + ([0, 1, 2, 4][flags & 3] as number);
  const value = packed.slice(start, start + size).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return size === 2 ? value + 256 : value;
}
