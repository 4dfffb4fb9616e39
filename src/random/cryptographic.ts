// The generator for noise that nobody may predict: bytes of the platform's cryptographic generator, taken in large
// pieces because each call costs about as much as a thousand bytes. There is no seed, no stream and no state to save.

import { check } from '../checks/index.js';
import type { RandomSource } from './source.js';

/** Overwrites all of the array with unpredictable bytes before it returns; never asked for more than 65,536 at once. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

// The most that crypto.getRandomValues of a browser gives in one call.
const POOL_BYTES = 65_536;
const POOL_WORDS = POOL_BYTES / 4;
const PROBE_WORDS = 8;

/** Looked up rather than imported, so that the room also loads where there is no Node. */
const nodeFill = (): FillRandom | undefined => globalThis.process?.getBuiltinModule?.('node:crypto').randomFillSync;

/**
 * A source of unpredictable words: from node:crypto, or from the function given, in a browser
 * `(bytes) => crypto.getRandomValues(bytes)`. Words are wiped from its memory as they are drawn.
 */
export function cryptographicSource(fillRandom: FillRandom | undefined = nodeFill()): RandomSource {
  check({ fillRandom }, 'a function that fills bytes', (value) => typeof value === 'function');
  const fillPool = fillRandom as FillRandom;
  const bytes = new Uint8Array(POOL_BYTES);
  const pool = new Uint32Array(bytes.buffer);
  let used = POOL_WORDS;

  function refill(): void {
    fillPool(bytes);
    // The pool was all zeros, so bytes that were not written (by a promise, say) show; the chance of a mistake is 2^-256.
    if (pool.subarray(-PROBE_WORDS).every((word) => word === 0)) {
      throw new Error('fillRandom left bytes unset: it must fill the whole array before it returns');
    }
    used = 0;
  }

  return {
    next() {
      if (used === POOL_WORDS) refill();
      const word = pool[used] as number;
      pool[used++] = 0;
      return word;
    },
    fill(words) {
      for (let done = 0; done < words.length; ) {
        if (used === POOL_WORDS) refill();
        const end = Math.min(POOL_WORDS, used + words.length - done);
        words.set(pool.subarray(used, end), done);
        pool.fill(0, used, end);
        done += end - used;
        used = end;
      }
    },
  };
}
