// Noise on gradients lies on a grid that does not depend on them.

import { describe, expect, it } from 'vitest';
import { addGradientNoise, gridFor, roundToGrid } from '../../src/mechanisms/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

describe('noise on a sum', () => {
  it('lies on the grid: sum and noise are each rounded to it, whatever their size', () => {
    for (const deviation of [1e-3, 1, 37]) {
      const grid = gridFor(deviation);
      const values = [0, 1, -1 / 3, 1e-9, 12345.678, -1e9, 3e20, deviation * 2 ** -41].map((x) => Math.fround(x));
      const numbers = Array.from({ length: 9000 }, (_, i) => values[i % values.length] as number);
      // Drawn in pieces of 8192.
      const source = seededSource(5);
      const noise = [8192, 9000 - 8192].flatMap((size) => [
        ...fillNormal(source, new Float64Array(size), { standardDeviation: deviation }),
      ]);
      const wanted = numbers.map((x, i) => roundToGrid(x, grid) + roundToGrid(noise[i] as number, grid));
      // In float64 every digit of the sum can be seen; float32 rounds it once more, and stays on the grid.
      const wide = Float64Array.from(numbers);
      addGradientNoise(seededSource(5), { gradients: { w: wide as unknown as Float32Array } }, { deviation });
      expect([...wide]).toEqual(wanted);
      const sums = { w: Float32Array.from(numbers) };
      addGradientNoise(seededSource(5), { gradients: sums }, { deviation });
      expect([...sums.w]).toEqual(wanted.map(Math.fround));
      expect(sums.w.every((x) => Number.isInteger(x / grid))).toBe(true);
    }
  });
});
