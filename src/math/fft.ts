// A complex fast Fourier transform in float64: radix 4, in place, unscaled. The length is a power of two.
// One constant per line in the loops: destructuring several from an array makes them four times slower.

import { check } from '../checks/index.js';

const isPowerOfTwo = (n: number) => Number.isSafeInteger(n) && n >= 1 && Math.log2(n) % 1 === 0;

/** Reorders by reversed bits of the index. */
function reverseBits(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const x = re[i] as number;
      const y = im[i] as number;
      re[i] = re[j] as number;
      im[i] = im[j] as number;
      re[j] = x;
      im[j] = y;
    }
  }
}

interface Twiddles {
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
}

/** exp(−2πi k/size) for k below 3·size/4, cached by size, because they take longer to compute than to use. */
const cached = new Map<number, Twiddles>();
const largestCached = 2 ** 20;

function twiddlesOf(size: number): Twiddles {
  const known = cached.get(size);
  if (known !== undefined) return known;
  const angle = (k: number) => (2 * Math.PI * k) / size;
  const made = {
    cosines: Float64Array.from({ length: (3 * size) / 4 }, (_, k) => Math.cos(angle(k))),
    sines: Float64Array.from({ length: (3 * size) / 4 }, (_, k) => -Math.sin(angle(k))),
  };
  if (size <= largestCached) cached.set(size, made);
  return made;
}

/** X_k = Σ x_j exp(−2πi jk/n), in place. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  check(
    { 'length of the transform': n },
    'a power of two, the same for both parts',
    () => isPowerOfTwo(n) && im.length === n,
  );
  reverseBits(re, im);
  const isOdd = Math.log2(n) % 2 === 1;
  if (isOdd) joinPairs(re, im);
  for (let quarter = isOdd ? 2 : 1; quarter < n; quarter *= 4) joinQuarters(re, im, quarter);
}

/** Transforms of length 2 from those of length 1. */
function joinPairs(re: Float64Array, im: Float64Array): void {
  for (let a = 0; a < re.length; a += 2) {
    const x = re[a + 1] as number;
    const y = im[a + 1] as number;
    re[a + 1] = (re[a] as number) - x;
    im[a + 1] = (im[a] as number) - y;
    re[a] = (re[a] as number) + x;
    im[a] = (im[a] as number) + y;
  }
}

type Element = number | undefined;
const turnedReal = (x: Element, y: Element, c: Element, s: Element) =>
  (x as number) * (c as number) - (y as number) * (s as number);
const turnedImaginary = (x: Element, y: Element, c: Element, s: Element) =>
  (x as number) * (s as number) + (y as number) * (c as number);

/** Transforms four times as long, from neighbours. The bit reversal has exchanged the second and third of each four. */
function joinQuarters(re: Float64Array, im: Float64Array, quarter: number): void {
  const { cosines, sines } = twiddlesOf(4 * quarter);
  for (let start = 0; start < re.length; start += 4 * quarter) {
    for (let k = 0; k < quarter; k++) {
      const a = start + k;
      const b = a + quarter;
      const c = b + quarter;
      const d = c + quarter;
      // All but the first are turned before they are joined.
      const xb = turnedReal(re[b], im[b], cosines[2 * k], sines[2 * k]);
      const yb = turnedImaginary(re[b], im[b], cosines[2 * k], sines[2 * k]);
      const xc = turnedReal(re[c], im[c], cosines[k], sines[k]);
      const yc = turnedImaginary(re[c], im[c], cosines[k], sines[k]);
      const xd = turnedReal(re[d], im[d], cosines[3 * k], sines[3 * k]);
      const yd = turnedImaginary(re[d], im[d], cosines[3 * k], sines[3 * k]);
      const xSum = (re[a] as number) + xb;
      const ySum = (im[a] as number) + yb;
      const xGap = (re[a] as number) - xb;
      const yGap = (im[a] as number) - yb;
      re[a] = xSum + (xc + xd);
      im[a] = ySum + (yc + yd);
      re[c] = xSum - (xc + xd);
      im[c] = ySum - (yc + yd);
      // A quarter turn: −i (c − d).
      re[b] = xGap + (yc - yd);
      im[b] = yGap - (xc - xd);
      re[d] = xGap - (yc - yd);
      im[d] = yGap + (xc - xd);
    }
  }
}

/** The inverse, scaled by 1/n: exchanging real and imaginary parts turns one direction into the other. */
export function inverseFft(re: Float64Array, im: Float64Array): void {
  fft(im, re);
  const scale = 1 / re.length;
  for (let i = 0; i < re.length; i++) {
    re[i] = (re[i] as number) * scale;
    im[i] = (im[i] as number) * scale;
  }
}
