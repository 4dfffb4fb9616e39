// The interface of random sources. Samplers take a source as their first argument, so the same code works with the seeded
// generator and with the cryptographic one.

/** A source of random 32-bit words. */
export type RandomSource = {
  /** The next 32 random bits, a whole number in [0, 2^32). */
  next(): number;
  /** Fills the array with the next words: the same numbers as one `next()` per element. */
  fill(words: Uint32Array): void;
};

/** The part of a source that samplers of single values need. */
export type WordSource = Pick<RandomSource, 'next'>;
