// The distribution of a sum of independent lattice losses, by Fourier transform on a circle that is long enough: what wraps
// around is bounded (Chernoff) and counted against the result, as is the rounding of the transform.

import { fft, inverseFft } from '../../math/index.js';
import type { Lattice } from './discretise.js';

export interface Part {
  readonly lattice: Lattice;
  readonly count: number;
}

export interface Total {
  readonly step: number;
  readonly first: number;
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  readonly upperInfinity: number;
  readonly lowerInfinity: number;
  /** What δ may be wrong by: wrapping and rounding. */
  readonly error: number;
}

/** The losses outside which each of both sums has at most `tail` on either side. */
export function window(parts: readonly Part[], tail: number): readonly [low: number, high: number] {
  const variance = parts.reduce((sum, { lattice, count }) => sum + count * varianceOf(lattice), 0);
  const cost = -Math.log(tail);
  const typical = Math.sqrt((2 * cost) / Math.max(variance, 1e-300));
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Tilts around the one a normal distribution would want; heavy tails want smaller ones. All are valid.
  for (let tilt = typical * 2; tilt > typical / 200; tilt /= 1.7) {
    high = Math.min(high, (logMoment(parts, tilt) + cost) / tilt);
    low = Math.max(low, (logMoment(parts, -tilt) + cost) / -tilt);
  }
  const ends = parts.map(({ lattice: { first, step, upper }, count }) =>
    [first, first + upper.length - 1].map((i) => i * step * count),
  );
  const least = ends.reduce((sum, [end]) => sum + (end as number), 0);
  const most = ends.reduce((sum, [, end]) => sum + (end as number), 0);
  return [Math.max(low, least), Math.min(high, most)];
}

function varianceOf({ upper, first, step }: Lattice): number {
  let [sum, squares, mass] = [0, 0, 0];
  for (let i = 0; i < upper.length; i++) {
    const [p, loss] = [upper[i] as number, (first + i) * step];
    mass += p;
    sum += p * loss;
    squares += p * loss * loss;
  }
  return Math.max(0, squares / mass - (sum / mass) ** 2);
}

/** Σ count · log E[e^{tL}], the larger of both discretisations. */
function logMoment(parts: readonly Part[], tilt: number): number {
  let total = 0;
  for (const { lattice, count } of parts) {
    const { upper, lower, first, step } = lattice;
    // Scaled at the end where the exponential is largest.
    const [from, to] = tilt > 0 ? [upper.length - 1, -1] : [0, upper.length];
    const decay = Math.exp(-Math.abs(tilt) * step);
    const stride = Math.sign(to - from);
    let [u, l, weight] = [0, 0, 1];
    for (let i = from; i !== to && weight > 0; i += stride, weight *= decay) {
      u += (upper[i] as number) * weight;
      l += (lower[i] as number) * weight;
    }
    total += count * (Math.log(Math.max(u, l, 1e-300)) + tilt * (first + from) * step);
  }
  return total;
}

/** Both sums on `size` points, beginning at the window's low end. */
export function compose(parts: readonly Part[], size: number, low: number, tail: number): Total {
  const step = (parts[0] as Part).lattice.step;
  const half = size / 2;
  const spectrum = {
    ur: new Float64Array(half + 1).fill(1),
    ui: new Float64Array(half + 1),
    lr: new Float64Array(half + 1).fill(1),
    li: new Float64Array(half + 1),
  };
  let [steps, upperSafe, lowerSafe] = [0, 0, 0];
  for (const { lattice, count } of parts) {
    multiply(spectrum, lattice, count, size);
    steps += count;
    upperSafe += count * Math.log1p(-lattice.upperInfinity);
    lowerSafe += count * Math.log1p(-lattice.lowerInfinity);
  }
  // Two real sequences are one complex one: upper + i · lower.
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let k = 0; k <= half; k++) {
    const [ur, ui, lr, li] = [spectrum.ur[k], spectrum.ui[k], spectrum.lr[k], spectrum.li[k]] as number[] as [
      number,
      number,
      number,
      number,
    ];
    re[k] = ur - li;
    im[k] = ui + lr;
    const mirror = (size - k) % size;
    if (mirror === k) continue;
    re[mirror] = ur + li;
    im[mirror] = lr - ui;
  }
  inverseFft(re, im);
  const first = Math.floor(low / step);
  // Rounding, and as a check on it what the whole mass differs by from what it must be.
  const rounding = 4e-16 * (steps + 16 * Math.log2(size)) + Math.abs(sumOf(re) - Math.exp(upperSafe));
  return {
    step,
    first,
    upper: unroll(re, first),
    lower: unroll(im, first),
    upperInfinity: -Math.expm1(upperSafe),
    lowerInfinity: -Math.expm1(lowerSafe),
    error: 2 * tail + rounding,
  };
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] as number;
  return sum;
}

function unroll(circle: Float64Array, first: number): Float64Array {
  const size = circle.length;
  const start = ((first % size) + size) % size;
  const line = new Float64Array(size);
  line.set(circle.subarray(start), 0);
  line.set(circle.subarray(0, start), size - start);
  return line;
}

interface Spectrum {
  readonly ur: Float64Array;
  readonly ui: Float64Array;
  readonly lr: Float64Array;
  readonly li: Float64Array;
}

/** Multiplies by the transforms of one lattice, each to the power of its count. */
function multiply(spectrum: Spectrum, { upper, lower, first }: Lattice, count: number, size: number): void {
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  for (let i = 0; i < upper.length; i++) {
    const at = (((first + i) % size) + size) % size;
    re[at] = (re[at] as number) + (upper[i] as number);
    im[at] = (im[at] as number) + (lower[i] as number);
  }
  fft(re, im);
  for (let k = 0; k <= size / 2; k++) {
    const mirror = (size - k) % size;
    const [a, b] = [re[k] as number, im[k] as number];
    const [c, d] = [re[mirror] as number, im[mirror] as number];
    power((a + c) / 2, (b - d) / 2, count, spectrum.ur, spectrum.ui, k);
    power((b + d) / 2, (c - a) / 2, count, spectrum.lr, spectrum.li, k);
  }
}

/** Multiplies element k by (x + iy)^count, by repeated squaring. */
function power(x: number, y: number, count: number, re: Float64Array, im: Float64Array, k: number): void {
  let [a, b] = [re[k] as number, im[k] as number];
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
