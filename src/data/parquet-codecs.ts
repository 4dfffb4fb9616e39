// The doorway to hyparquet-compressors. Every codec gets the unpacked length and must not write more.

import { type Context, createContext, runInContext } from 'node:vm';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompressZstd, compressors as packaged } from 'hyparquet-compressors';

export type Unpack = (packed: Uint8Array, length: number) => Uint8Array;

const unpackers: Readonly<Record<string, Unpack | undefined>> = {
  UNCOMPRESSED: (packed) => packed,
  SNAPPY: (packed, length) => {
    expectLength(snappyLength(packed), length); // otherwise the gap would hold what the previous page left in memory
    return packaged.SNAPPY?.(packed, length) as Uint8Array;
  },
  GZIP: (packed, length) => gunzipSync(packed, { maxOutputLength: length }),
  BROTLI: (packed, length) => brotliDecompressSync(packed, { maxOutputLength: length }),
  ZSTD: (packed, length) => {
    expectZstd(packed, length);
    // Passing an output buffer would make it four times slower.
    return withinTime(2000 + length / 1000, () => decompressZstd(packed));
  },
  LZ4: packaged.LZ4,
  LZ4_RAW: packaged.LZ4_RAW,
};

/** The function that unpacks this codec's pages and checks their length. */
export function unpackerFor(codec: string | undefined): Unpack {
  const unpack = codec !== undefined && Object.hasOwn(unpackers, codec) ? unpackers[codec] : undefined;
  if (unpack === undefined) {
    throw new Error(
      `compressed with ${codec}, which is not supported; expected one of ${Object.keys(unpackers).join(', ')}`,
    );
  }
  return (packed, length) => {
    if (length === 0) return new Uint8Array(0);
    const page = unpack(packed, length);
    expectLength(page.length, length);
    return page;
  };
}

const calls: { run?: () => unknown } = {};
let context: Context | undefined;

/** A page of 24 bytes can occupy the package's decoder for minutes; only the time limit of a script can stop it. */
function withinTime<T>(milliseconds: number, run: () => T): T {
  context ??= createContext(calls);
  calls.run = run;
  return runInContext('run()', context, { timeout: Math.ceil(milliseconds) });
}

function expectLength(got: number, length: number): void {
  if (got !== length) throw new Error(`expected a page of ${length} bytes, got ${got}`);
}

/** The length in front of the data, seven bits per byte. */
function snappyLength(packed: Uint8Array): number {
  const end = packed.findIndex((byte) => byte < 0x80);
  return packed.slice(0, end + 1).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

/** A frame declares its length or its window, and memory is allocated for it before it is read (RFC 8878, 3.1.1.1). */
function expectZstd(packed: Uint8Array, length: number): void {
  const flags = packed[4] ?? 0;
  const single = (flags >> 5) & 1;
  const size = [single, 2, 4, 8][flags >> 6] as number;
  const start = 6 - single + ([0, 1, 2, 4][flags & 3] as number);
  const declared = packed.slice(start, start + size).reduceRight((sum, byte) => sum * 256 + byte, 0);
  if (size > 0) expectLength(size === 2 ? declared + 256 : declared, length);
  else if ((packed[5] ?? 0) >> 3 > 17) throw new Error('a page needs a window of more than 128 MiB');
}
