// The generator for noise that nobody may predict: bytes of the platform's cryptographic generator, fetched in large
// pieces because each call costs about as much as a thousand bytes. There is no seed, no stream and no state to save.

import { check } from '../checks/index.js';
import type { RandomSource } from './source.js';

/** Overwrites the whole array with unpredictable bytes before it returns. It is never asked for more than 65,536 bytes. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => void;

// The most that crypto.getRandomValues gives in one call.
const POOL_BYTES = 65_536;
const POOL_WORDS = POOL_BYTES / 4;
const PROBE_WORDS = 8;

/** Web Crypto, which Node and browsers share; for pieces of this size it is as fast as node:crypto. */
function webFill(): FillRandom | undefined {
  const { crypto } = globalThis;
  return crypto && ((bytes) => void crypto.getRandomValues(bytes));
}

/**
 * A source of unpredictable words, for private releases. Words are wiped from its memory as they are drawn. They come from
 * Web Crypto unless `fillRandom` is given, for a platform that lacks it or has a generator of its own.
 */
export function cryptographicSource(fillRandom: FillRandom | undefined = webFill()): RandomSource {
  check({ fillRandom }, 'a function that fills bytes', (value) => typeof value === 'function');
  const fillPool = fillRandom as FillRandom;
  const bytes = new Uint8Array(POOL_BYTES);
  const pool = new Uint32Array(bytes.buffer);
  let used = POOL_WORDS;

  function refill(): void {
    fillPool(bytes);
    // The pool was all zeros, so bytes that were not written (by a promise, say) are noticed; a false alarm has probability 2^-256.
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
