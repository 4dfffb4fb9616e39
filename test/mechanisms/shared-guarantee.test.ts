import { describe, expect, it } from 'vitest';
import { guaranteeOfShared, type Protection, protect } from '../../src/mechanisms/index.js';
import { seededSource } from '../../src/random/index.js';

const gaussian = (noiseMultiplier: number, rest: object = {}): Protection => ({
  mechanism: 'gaussian',
  scope: 'joint',
  clipping: 'clip',
  clipNorm: 1,
  noiseMultiplier,
  ...rest,
});

describe('the guarantee of a shared gradient', () => {
  // ε of δ(ε; μ) with μ = 2√(rounds · vectors)/σ, computed with mpmath 1.3 (40 digits).
  it.each([
    [1, 1, 1, 1e-5, 9.9972561464343],
    [0.1, 1, 1, 1e-4, 273.46370692461],
    [2, 10, 1, 1e-5, 17.856586830108],
    [3, 1, 6, 1e-6, 8.6292322651397],
    [0.01, 1, 1, 1e-4, 20742.812488896],
  ])('with noise %s, %s rounds, %s vectors and δ = %s is ε = %s', (noise, rounds, vectors, delta, epsilon) => {
    const found = guaranteeOfShared(gaussian(noise), { vectors, rounds, delta });
    expect(found).toMatchObject({ neighbours: 'replace-one', bound: 'exact', delta });
    expect(found?.epsilon).toBeCloseTo(epsilon, 6 - Math.ceil(Math.log10(epsilon)));
    expect(found?.epsilon).toBeGreaterThanOrEqual(epsilon * (1 - 1e-12));
  });

  it('of directional noise is twice κ per round and vector, without a δ', () => {
    const protection: Protection = { mechanism: 'directional', scope: 'tensor', concentration: 3 };
    expect(guaranteeOfShared(protection, { vectors: 4, rounds: 5, delta: 1e-5 })).toMatchObject({
      epsilon: 2 * 3 * 4 * 5,
      delta: 0,
      neighbours: 'replace-one',
    });
  });

  it('is none without a bound or without noise', () => {
    const releases = { vectors: 1, delta: 1e-5 };
    expect(guaranteeOfShared(gaussian(1, { clipping: 'none' }), releases)).toBeUndefined();
    expect(guaranteeOfShared(gaussian(0), releases)).toBeUndefined();
    expect(guaranteeOfShared({ mechanism: 'none' }, releases)).toBeUndefined();
  });

  it('counts how far replacing an example moves what is shared', () => {
    const tensors = (sign: number) => ({ a: Float32Array.of(3 * sign, 4 * sign), b: Float32Array.of(9 * sign) });
    for (const [scope, vectors] of [
      ['joint', 1],
      ['tensor', 2],
    ] as const) {
      const sum = (sign: number) =>
        protect([tensors(sign), tensors(1)], gaussian(0, { scope }), seededSource(1)).gradients;
      const [one, other] = [sum(1), sum(-1)];
      const moved = Math.hypot(
        ...Object.keys(one).flatMap((name) =>
          [...(one[name] as Float32Array)].map((value, at) => value - (other[name]?.[at] as number)),
        ),
      );
      expect(moved).toBeCloseTo(2 * Math.sqrt(vectors), 5);
    }
  });

  it('refuses rounds that are no number of rounds', () => {
    expect(() => guaranteeOfShared(gaussian(1), { vectors: 1, rounds: 0, delta: 1e-5 })).toThrow('rounds');
  });
});
