// How much of a singular vector is signal, against matrices that were made with a known one.

import { describe, expect, it } from 'vitest';
import { signalShare } from '../../src/attacks/span/subspace.js';
import { leadingEigen } from '../../src/math/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

describe('the share of signal in a singular vector', () => {
  it.each([
    [240, 80, 2],
    [240, 80, 4],
    [80, 160, 3],
  ])('of %d × %d numbers with a signal of %d is what it is on average', (rows, columns, strength) => {
    const source = seededSource(`${rows} ${columns} ${strength}`);
    const rounds = 30;
    let [predicted, measured] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const unit = (name: string, size: number) => {
        const vector = fillNormal(source.stream(`${name} ${round}`), new Float64Array(size));
        const length = Math.hypot(...vector);
        return vector.map((x) => x / length);
      };
      const [u, v] = [unit('u', rows), unit('v', columns)];
      const size = strength * Math.sqrt(Math.max(rows, columns)); // in units of the noise
      const matrix = fillNormal(source.stream(`noise ${round}`), new Float64Array(rows * columns)).map(
        (x, i) => x + size * (u[Math.floor(i / columns)] as number) * (v[i % columns] as number),
      );
      const gram = new Float64Array(columns * columns);
      for (let k = 0; k < rows; k++) {
        for (let i = 0; i < columns; i++) {
          const left = matrix[k * columns + i] as number;
          for (let j = 0; j < columns; j++) {
            gram[i * columns + j] = (gram[i * columns + j] as number) + left * (matrix[k * columns + j] as number);
          }
        }
      }
      const start = fillNormal(source.stream(`start ${round}`), new Float64Array(8 * columns));
      const { values, vectors } = leadingEigen(gram, { size: columns, count: 1, start, iterations: 30 });
      const value = Math.sqrt(values[0] as number);
      predicted += signalShare(value, 1, rows, columns, value) / rounds;
      measured += v.reduce((sum, x, i) => sum + x * (vectors[i] as number), 0) ** 2 / rounds;
    }
    // Limits of large matrices, with an error of order one over the size.
    expect(Math.abs(predicted - measured)).toBeLessThan(0.02);
  });

  it('is 0 where a value could be noise, and 1 without noise', () => {
    expect(signalShare(1 + Math.sqrt(1 / 3) - 0.01, 1 / Math.sqrt(300), 300, 100, 2)).toBe(0);
    expect(signalShare(1, 0, 300, 100, 1)).toBe(1);
    expect(signalShare(1e-8, 0, 300, 100, 1)).toBe(0);
  });
});
