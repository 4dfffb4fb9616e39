import { describe, expect, it } from 'vitest';
import { ArgumentError } from '../../src/checks/index.js';
import { ln } from '../../src/math/index.js';
import { exponential, laplace, seededSource } from '../../src/random/index.js';
import { ONES, scripted } from './scripted.js';
import { CRITICAL_NORMAL, kolmogorovRatio } from './statistics.js';

/** The upper and the lower word of a uniform number k / 2^53. */
const wordsOf = (k: number) => [Math.floor(k / 2 ** 32) * 2 ** 11, k % 2 ** 32];

describe('exponential', () => {
  it('is minus the logarithm of a uniform number, never 0', () => {
    expect(exponential(scripted(2 ** 31, 0))).toBe(Math.LN2);
    expect(exponential(scripted(...wordsOf(12_345_678_901)), 2)).toBe(-2 * ln(12_345_678_901 / 2 ** 53));
    expect(exponential(scripted(ONES, ONES))).toBe(2 ** -53);
  });

  it('begins again beyond the smallest uniform number, so that the tail has no end', () => {
    const step = 53 * Math.LN2;
    expect(exponential(scripted(...wordsOf(1)))).toBeCloseTo(step, 13);
    expect(exponential(scripted(0, 0, 2 ** 31, 0))).toBeCloseTo(step + Math.LN2, 13);
    expect(exponential(scripted(0, 0, 0, 0, 2 ** 30, 0))).toBeCloseTo(2 * step + 2 * Math.LN2, 13);
  });

  it.each([1, 1e-12, 2.5e8])('has the distribution of scale %d', (scale) => {
    const source = seededSource(71);
    const draws = Float64Array.from({ length: 200_000 }, () => exponential(source, scale));
    expect(kolmogorovRatio(draws, (value) => -Math.expm1(-value / scale))).toBeLessThan(1);
    // The means of x and x² with their variances, 1 and 20.
    const mean = (power: number) => draws.reduce((sum, value) => sum + (value / scale) ** power, 0) / draws.length;
    expect(Math.abs(mean(1) - 1) * Math.sqrt(draws.length)).toBeLessThan(CRITICAL_NORMAL);
    expect(Math.abs(mean(2) - 2) * Math.sqrt(draws.length / 20)).toBeLessThan(CRITICAL_NORMAL);
  });
});

describe('laplace', () => {
  it('gives an exponential number either sign', () => {
    expect(laplace(scripted(2 ** 30, 0, 0), 3)).toBe(6 * Math.LN2);
    expect(laplace(scripted(2 ** 30, 0, 2 ** 31 - 1), 3)).toBe(6 * Math.LN2);
    expect(laplace(scripted(2 ** 30, 0, 2 ** 31), 3)).toBe(-6 * Math.LN2);
    expect(laplace(scripted(2 ** 30, 0, ONES))).toBe(-2 * Math.LN2);
  });

  it.each([1, 0.01, 40])('has the distribution of scale %d', (scale) => {
    const source = seededSource(72);
    const draws = Float64Array.from({ length: 200_000 }, () => laplace(source, scale));
    const below = (value: number) => (value < 0 ? 0.5 * Math.exp(value / scale) : 1 - 0.5 * Math.exp(-value / scale));
    expect(kolmogorovRatio(draws, below)).toBeLessThan(1);
    const square = draws.reduce((sum, value) => sum + (value / scale) ** 2, 0) / draws.length;
    expect(Math.abs(square - 2) * Math.sqrt(draws.length / 20)).toBeLessThan(CRITICAL_NORMAL);
  });
});

describe('the scale', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('cannot be %d', (scale) => {
    for (const draw of [exponential, laplace]) {
      expect(() => draw(seededSource(1), scale)).toThrow(ArgumentError);
      expect(() => draw(seededSource(1), scale)).toThrow(`invalid scale: expected > 0, got ${scale}`);
    }
  });
});
