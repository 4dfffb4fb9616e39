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

interface Twiddles {
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

/** exp(−2πi k/size) for k below size/2, kept by size: they take longer to compute than to use. */
const kept = new Map<number, Twiddles>();
const largestKept = 2 ** 20;

function twiddlesOf(size: number): Twiddles {
  const known = kept.get(size);
  if (known !== undefined) return known;
  const angle = (k: number) => (2 * Math.PI * k) / size;
  const made = {
    cosines: Float64Array.from({ length: size / 2 }, (_, k) => Math.cos(angle(k))),
    sines: Float64Array.from({ length: size / 2 }, (_, k) => -Math.sin(angle(k))),
  };
  if (size <= largestKept) kept.set(size, made);
  return made;
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
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    const { cosines, sines } = twiddlesOf(size);
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
