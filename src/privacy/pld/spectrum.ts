// Fourier transforms of both bounds of a sum. The two real sequences are transformed as one complex one, upper + i · lower.

import { fft, inverseFft } from '../../math/index.js';
import type { Lattice } from './lattice.js';

interface Complex {
  readonly re: Float64Array;
  readonly im: Float64Array;
}

/** Elements 0 … size/2; the others are their mirror images. */
export interface Spectrum {
  readonly size: number;
  readonly upper: Complex;
  readonly lower: Complex;
}

/** The transform of an empty sum. */
export function emptySpectrum(size: number): Spectrum {
  const half = size / 2 + 1;
  const one = () => ({ re: new Float64Array(half).fill(1), im: new Float64Array(half) });
  return { size, upper: one(), lower: one() };
}

/** Multiplies by the transforms of one lattice, each to the power of its count. */
export function multiply({ size, ...spectrum }: Spectrum, { upper, lower, first }: Lattice, count: number): void {
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0, at = modulo(first, size); i < upper.length; i++, at = at + 1 === size ? 0 : at + 1) {
    re[at] = (re[at] as number) + (upper[i] as number);
    im[at] = (im[at] as number) + (lower[i] as number);
  }
  fft(re, im);
  for (let k = 0; k <= size / 2; k++) {
    const mirror = (size - k) % size;
    const a = re[k] as number;
    const b = im[k] as number;
    const c = re[mirror] as number;
    const d = im[mirror] as number;
    power((a + c) / 2, (b - d) / 2, count, spectrum.upper, k);
    power((b + d) / 2, (c - a) / 2, count, spectrum.lower, k);
  }
}

/** Multiplies element k by (x + iy)^count, by repeated squaring. */
function power(x: number, y: number, count: number, { re, im }: Complex, k: number): void {
  let a = re[k] as number;
  let b = im[k] as number;
  if (a === 0 && b === 0) return;
  if (0.5 * count * Math.log(x * x + y * y) < -90) {
    re[k] = 0;
    im[k] = 0;
    return;
  }
  for (let rest = count, p = x, q = y; ; ) {
    if (rest % 2 === 1) {
      const real = a * p - b * q;
      b = a * q + b * p;
      a = real;
    }
    rest = Math.floor(rest / 2);
    if (rest === 0) break;
    const real = p * p - q * q;
    q = 2 * p * q;
    p = real;
  }
  re[k] = a;
  im[k] = b;
}

/** Back to masses on the circle, beginning at the point `first`. */
export function massesFrom({ size, upper, lower }: Spectrum, first: number) {
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0; k <= size / 2; k++) {
    const ur = upper.re[k] as number;
    const ui = upper.im[k] as number;
    const lr = lower.re[k] as number;
    const li = lower.im[k] as number;
    re[k] = ur - li;
    im[k] = ui + lr;
    const mirror = (size - k) % size;
    if (mirror === k) continue;
    re[mirror] = ur + li;
    im[mirror] = lr - ui;
  }
  inverseFft(re, im);
  return { upper: unroll(re, first), lower: unroll(im, first) };
}

function unroll(circle: Float64Array, first: number): Float64Array {
  const start = modulo(first, circle.length);
  const line = new Float64Array(circle.length);
  line.set(circle.subarray(start), 0);
  line.set(circle.subarray(0, start), circle.length - start);
  return line;
}

const modulo = (index: number, size: number) => ((index % size) + size) % size;
