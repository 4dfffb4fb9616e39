import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bisect, bracket, log1mExp, logAdd, logSubtract, logSumExp, narrow } from '../../src/math/index.js';

describe('bisect', () => {
  it('returns the side asked for, with no number between', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (root) => {
        const right = bisect((x) => x >= root, -2e6, 2e6);
        const left = bisect((x) => x >= root, -2e6, 2e6, { side: 'fails' });
        expect(right).toBeGreaterThanOrEqual(root);
        expect(left).toBeLessThan(root);
        expect(right - left).toBeLessThanOrEqual(Math.max(2 ** -52 * Math.abs(root), 2 ** -1070));
      }),
    );
  });

  it('stops early when asked to, still on the right side', () => {
    const right = bisect((x) => x * x >= 2, 0, 2, { relative: 1e-3 });
    expect(right ** 2).toBeGreaterThanOrEqual(2);
    expect(right).toBeLessThan(Math.SQRT2 * 1.0011);
    expect(() => bisect(() => true, 1, 1)).toThrow('invalid high: expected a finite number above 1, got 1');
  });
});

describe('narrow', () => {
  const relative = 1e-5;

  it('returns a point where the condition holds, within the tolerance of one where it fails, for any monotone function', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1.001, max: 1.999, noNaN: true }),
        fc.constantFrom(
          (x: number, root: number) => Math.log(root / x),
          (x: number, root: number) => (root - x) ** 3,
          (x: number, root: number) => (x < root ? Number.POSITIVE_INFINITY : -1),
          (x: number, root: number) => (x < root ? 1e-300 : -1e300),
          (x: number, root: number) => (x < root ? 1 : 0),
          (x: number, root: number) => Math.expm1(50 * (root - x)),
        ),
        (root, shape) => {
          let evaluations = 0;
          const excess = (x: number) => {
            evaluations++;
            return shape(x, root);
          };
          const found = narrow(excess, 1, 2, { relative });
          expect(found).toBeGreaterThanOrEqual(root);
          expect(shape(found * (1 - relative) * (1 - 1e-12), root)).toBeGreaterThan(0);
          // Bisection takes 17 and the two ends; every third round does as much as three of its steps, or repeats one.
          expect(evaluations).toBeLessThan(60);
        },
      ),
    );
  });

  it('takes few evaluations of a smooth function', () => {
    let evaluations = 0;
    const found = narrow(
      (x) => {
        evaluations++;
        return Math.log(3 / x ** 2);
      },
      1,
      2,
      { relative },
    );
    expect(found).toBeCloseTo(Math.sqrt(3), 4);
    // Bisection takes 19.
    expect(evaluations).toBeLessThanOrEqual(10);
  });

  it('refuses an empty interval and no tolerance', () => {
    expect(() => narrow(() => 0, 1, 1, { relative })).toThrow('invalid high: expected a finite number above 1, got 1');
    expect(() => narrow((x) => 1 - x, 0, 2, { relative: 0 })).toThrow('invalid relative: expected > 0, got 0');
  });
});

describe('bracket', () => {
  it('finds both ends by doubling or halving', () => {
    const limits = { least: 1e-3, most: 1e3 };
    for (const root of [0.0015, 0.4, 1, 70, 999]) {
      const { low, high } = bracket((x) => x >= root, 1, limits);
      expect(low).toBeLessThan(root);
      expect(high).toBeGreaterThanOrEqual(root);
    }
    expect(bracket(() => true, 1, limits).high).toBe(1e-3);
    expect(() => bracket(() => false, 1, limits)).toThrow('no value up to 1000 is enough');
  });
});

describe('sums of logarithms', () => {
  const logs = fc.double({ min: -800, max: 800, noNaN: true });

  it('add and subtract back, with sign', () => {
    fc.assert(
      fc.property(logs, logs, (a, b) => {
        const sum = logAdd(a, b);
        expect(sum).toBeGreaterThanOrEqual(Math.max(a, b));
        expect(logSumExp([a, b])).toBeCloseTo(sum, 10);
        const difference = logSubtract(a, b);
        expect(difference.sign).toBe(Math.sign(a - b));
        expect(logSubtract(b, a).log).toBe(difference.log);
        if (difference.sign > 0) expect(logAdd(difference.log, b)).toBeCloseTo(a, 10);
      }),
    );
  });

  it('know zero, infinity and both ends of log(1 − eˣ)', () => {
    const zero = Number.NEGATIVE_INFINITY;
    expect(logAdd(zero, 3)).toBe(3);
    expect(logAdd(zero, zero)).toBe(zero);
    expect(logAdd(Number.POSITIVE_INFINITY, 3)).toBe(Number.POSITIVE_INFINITY);
    expect(logSubtract(zero, zero)).toEqual({ sign: 0, log: zero });
    expect(logSumExp([])).toBe(zero);
    expect(logSumExp([zero, zero])).toBe(zero);
    expect(log1mExp(-1e-20)).toBeCloseTo(Math.log(1e-20), 12);
    expect(log1mExp(-50)).toBeCloseTo(-Math.exp(-50), 30);
  });
});
