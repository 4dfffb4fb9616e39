// The transform against its definition, and what convolution rests on.

import { describe, expect, it } from 'vitest';
import { fft, inverseFft } from '../../src/math/index.js';
import { normal, seededSource } from '../../src/random/index.js';

function draw(n: number, name: string): Float64Array {
  const source = seededSource(name);
  return Float64Array.from({ length: n }, () => normal(source));
}

describe('fft', () => {
  it('is the sum that defines it, for every small power of two', () => {
    for (const n of [1, 2, 4, 8, 64]) {
      const [re, im] = [draw(n, 're'), draw(n, 'im')];
      const [x, y] = [Float64Array.from(re), Float64Array.from(im)];
      fft(x, y);
      for (let k = 0; k < n; k++) {
        let [real, imaginary] = [0, 0];
        for (let j = 0; j < n; j++) {
          const [c, s] = [Math.cos((2 * Math.PI * j * k) / n), -Math.sin((2 * Math.PI * j * k) / n)];
          real += (re[j] as number) * c - (im[j] as number) * s;
          imaginary += (re[j] as number) * s + (im[j] as number) * c;
        }
        expect(x[k]).toBeCloseTo(real, 12);
        expect(y[k]).toBeCloseTo(imaginary, 12);
      }
    }
  });

  it('is undone by its inverse to the last digits', () => {
    const [re, im] = [draw(2 ** 14, 'a'), draw(2 ** 14, 'b')];
    const [x, y] = [Float64Array.from(re), Float64Array.from(im)];
    fft(x, y);
    inverseFft(x, y);
    let worst = 0;
    for (let i = 0; i < x.length; i++) {
      worst = Math.max(worst, Math.abs((x[i] as number) - (re[i] as number)));
      worst = Math.max(worst, Math.abs((y[i] as number) - (im[i] as number)));
    }
    expect(worst).toBeLessThan(1e-14);
  });

  it('refuses other lengths', () => {
    expect(() => fft(new Float64Array(6), new Float64Array(6))).toThrow('expected a power of two');
    expect(() => fft(new Float64Array(8), new Float64Array(4))).toThrow('the same for both parts');
    expect(() => fft(new Float64Array(0), new Float64Array(0))).toThrow('length of the transform');
  });
});
