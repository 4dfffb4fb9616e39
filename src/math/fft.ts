// A complex fast Fourier transform in float64: radix 2, in place, unscaled. The length is a power of two.

import { check } from './check.js';

const isPowerOfTwo = (n: number) => Number.isSafeInteger(n) && n >= 1 && Math.log2(n) % 1 === 0;

/** Reorders by reversed bits of the index. */
function reverseBits(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const [a, b] = [re[i] as number, im[i] as number];
      re[i] = re[j] as number;
      im[i] = im[j] as number;
      re[j] = a;
      im[j] = b;
    }
  }
}

/** X_k = Σ x_j exp(−2πi jk/n), over the arrays given. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  check(
    { 'length of the transform': n },
    'a power of two, the same for both parts',
    () => isPowerOfTwo(n) && im.length === n,
  );
  reverseBits(re, im);
  const cosines = new Float64Array(n / 2);
  const sines = new Float64Array(n / 2);
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    // Twiddles of this stage side by side: neighbours in memory are neighbours in the loop.
    for (let k = 0; k < half; k++) {
      cosines[k] = Math.cos((2 * Math.PI * k) / size);
      sines[k] = -Math.sin((2 * Math.PI * k) / size);
    }
    for (let start = 0; start < n; start += size) {
      for (let k = 0, a = start, b = start + half; k < half; k++, a++, b++) {
        const [c, s] = [cosines[k] as number, sines[k] as number];
        const [x, y] = [re[b] as number, im[b] as number];
        const real = x * c - y * s;
        const imaginary = x * s + y * c;
        re[b] = (re[a] as number) - real;
        im[b] = (im[a] as number) - imaginary;
        re[a] = (re[a] as number) + real;
        im[a] = (im[a] as number) + imaginary;
      }
    }
  }
}

/** The inverse, scaled by 1/n: exchanging the parts turns one direction into the other. */
export function inverseFft(re: Float64Array, im: Float64Array): void {
  fft(im, re);
  const scale = 1 / re.length;
  for (let i = 0; i < re.length; i++) {
    re[i] = (re[i] as number) * scale;
    im[i] = (im[i] as number) * scale;
  }
}
