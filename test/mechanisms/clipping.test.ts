// Clipping lengths and rounding to a grid.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clipFactor, gridFor, normOf, roundToGrid, scaleFactor } from '../../src/mechanisms/index.js';

const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), { minLength: 1 });

describe('norms', () => {
  it('are those of the definition', () => {
    expect(normOf(Float64Array.of(3, -4))).toBe(5);
    expect(normOf(Float64Array.of(3, -4), 'l1')).toBe(7);
    expect(normOf(new Float32Array(4))).toBe(0);
  });

  it('neither overflow nor vanish', () => {
    expect(normOf(Float64Array.of(3e300, 4e300)) / 5e300).toBeCloseTo(1, 12);
    expect(normOf(Float64Array.of(3e-300, 4e-300)) / 5e-300).toBeCloseTo(1, 12);
    expect(normOf(Float64Array.of(1, Number.POSITIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
    expect(normOf(Float64Array.of(1, Number.NaN))).toBeNaN();
  });
});

describe('clipping', () => {
  it('never leaves a norm above the bound, and leaves shorter vectors alone', () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (list, clipNorm) => {
        const x = Float64Array.from(list);
        const factor = clipFactor(normOf(x), clipNorm);
        expect(normOf(x.map((number) => number * factor))).toBeLessThanOrEqual(clipNorm * (1 + 1e-12));
        if (normOf(x) <= clipNorm) expect(factor).toBe(1);
      }),
    );
  });

  it('drops vectors that are not finite, and refuses an invalid bound', () => {
    expect(clipFactor(Number.NaN, 1)).toBe(0);
    expect(clipFactor(Number.POSITIVE_INFINITY, 1)).toBe(0);
    expect(() => clipFactor(1, 0)).toThrow('invalid clipNorm: expected > 0, got 0');
  });
});

describe('scaling', () => {
  it('gives every vector the same length, except a zero vector', () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const x = Float64Array.from(list);
        const factor = scaleFactor(normOf(x), 2);
        if (normOf(x) > 1e-300) expect(normOf(x.map((number) => number * factor)) / 2).toBeCloseTo(1, 9);
      }),
    );
    expect(scaleFactor(0)).toBe(0);
    expect(scaleFactor(Number.NaN)).toBe(0);
    expect(() => scaleFactor(1, -1)).toThrow('invalid length');
  });
});

describe('the grid', () => {
  it('is a power of two about 2^-40 of the noise', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e12, noNaN: true }), (deviation) => {
        const grid = gridFor(deviation);
        expect(Number.isInteger(Math.log2(grid))).toBe(true);
        expect(grid / deviation).toBeLessThanOrEqual(2 ** -40);
        expect(grid / deviation).toBeGreaterThan(2 ** -41.0001);
      }),
    );
  });

  it('moves a number by at most half a step, to a multiple; ties go to the even one', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.integer({ min: -20, max: 10 }), (x, power) => {
        const grid = 2 ** power;
        const rounded = roundToGrid(x, grid);
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(grid / 2);
        expect(Number.isInteger(rounded / grid)).toBe(true);
      }),
    );
    expect([0.5, 1.5, 2.5, -0.5, -1.5].map((x) => roundToGrid(x, 1))).toEqual([0, 2, 2, 0, -2]); // never -0, whose sign would tell
  });

  it('refuses other grids and numbers that are not finite', () => {
    expect(() => roundToGrid(1, 0.3)).toThrow('expected a power of two, got 0.3');
    expect(() => roundToGrid(Number.NaN, 1)).toThrow('invalid number');
    expect(() => gridFor(0)).toThrow('invalid noiseDeviation');
  });
});
