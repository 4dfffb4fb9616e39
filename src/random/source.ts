// What every sampler draws from. Samplers take a source as their first argument, so the seeded generator and a
// cryptographic one can serve the same code.

export type RandomSource = {
  /** The next 32 random bits, a whole number in [0, 2^32). */
  next(): number;
  /** Fills the array with the next words: the same numbers as one `next()` per element. */
  fill(words: Uint32Array): void;
};

/** All that a sampler drawing one value at a time needs. */
export type WordSource = Pick<RandomSource, 'next'>;
