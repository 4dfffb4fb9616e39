// The contract of every random source, seeded or not.

import { describe, expect, it } from 'vitest';
import type { RandomSource } from '../../src/random/index.js';
import { CRITICAL_NORMAL } from './statistics.js';

export function describeSource(name: string, make: () => RandomSource): void {
  describe(`${name} as a source`, () => {
    it('gives whole numbers of 32 bits', () => {
      const source = make();
      for (let draw = 0; draw < 1000; draw += 1) {
        const word = source.next();
        expect(Number.isInteger(word) && word >= 0 && word < 2 ** 32).toBe(true);
      }
    });

    it('fills every element, of any length', () => {
      const source = make();
      for (const length of [0, 1, 3, 4, 15, 16, 17, 63, 20_000]) {
        const words = new Uint32Array(length);
        source.fill(words);
        // One zero in 20,000 words has a chance of 5e-6.
        expect(words.indexOf(0)).toBe(-1);
      }
    });

    it('sets each of the 32 bits half of the time, in both ways of drawing', () => {
      const source = make();
      const filled = new Uint32Array(40_000);
      source.fill(filled);
      const drawn = Uint32Array.from(filled, () => source.next());
      for (const words of [filled, drawn]) {
        for (let bit = 0; bit < 32; bit += 1) {
          const ones = words.reduce((count, word) => count + ((word >>> bit) & 1), 0);
          const deviation = Math.abs(ones - words.length / 2) / Math.sqrt(words.length / 4);
          // 64 comparisons, so one more unit than for a single one: still below 1e-4 together.
          expect(deviation).toBeLessThan(CRITICAL_NORMAL + 1);
        }
      }
    });
  });
}
