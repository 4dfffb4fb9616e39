// The lower bound from runs, where the truth is known. Seeds are fixed; false alarms are below 1e-6 unless stated.

import { describe, expect, it } from 'vitest';
import { lowerBoundEpsilon } from '../../src/mechanisms/index.js';
import { gaussianEpsilon } from '../../src/privacy/index.js';
import { bernoulli, fillNormal, seededSource } from '../../src/random/index.js';

const normals = (name: string, count: number, mean: number) =>
  fillNormal(seededSource('empirical').stream(name), new Float64Array(count), { mean });

describe('the bound from runs', () => {
  it.each([
    [1, 0.05],
    [1, 1e-3],
    [0.5, 0.01],
    [2, 0.1],
  ])('of normal noise at μ = %f, δ = %f is below the truth and near it', (mu, delta) => {
    const truth = gaussianEpsilon(delta, mu);
    const bound = lowerBoundEpsilon(normals('first', 200_000, mu), normals('second', 200_000, 0), { delta });
    expect(bound.epsilonLowerBound).toBeLessThanOrEqual(truth);
    expect(bound.epsilonLowerBound).toBeGreaterThan(0.7 * truth);
    expect(bound).toMatchObject({ delta, confidence: 1 - 1e-6, runs: [100_000, 100_000] });
  });

  it('exceeds the truth as rarely as stated', () => {
    const [truth, rounds] = [gaussianEpsilon(0.1, 1), 400];
    let above = 0;
    for (let round = 0; round < rounds; round++) {
      const scores = [normals(`a${round}`, 2000, 1), normals(`b${round}`, 2000, 0)] as const;
      if (lowerBoundEpsilon(...scores, { delta: 0.1, confidence: 0.9 }).epsilonLowerBound > truth) above++;
    }
    // At most a tenth is allowed: 70 of 400 would be 5 standard deviations more.
    expect(above).toBeLessThan(70);
  });

  it('finds the side that distinguishes the inputs', () => {
    const source = seededSource('side');
    const rare = (probability: number) =>
      Float64Array.from({ length: 40_000 }, () => Number(bernoulli(source, probability)));
    const high = lowerBoundEpsilon(rare(0.1), rare(0.01));
    expect(high).toMatchObject({ side: 'at least', threshold: 1 });
    const low = lowerBoundEpsilon(rare(0.99), rare(0.9));
    expect(low).toMatchObject({ side: 'at most', threshold: 0 });
    for (const { epsilonLowerBound } of [high, low]) {
      expect(epsilonLowerBound).toBeLessThan(Math.log(10));
      expect(epsilonLowerBound).toBeGreaterThan(Math.log(6));
    }
  });

  it('is 0 where runs prove nothing, and finite where they separate completely', () => {
    const same = lowerBoundEpsilon(normals('one', 10_000, 0), normals('other', 10_000, 0));
    expect(same.epsilonLowerBound).toBe(0);
    const apart = lowerBoundEpsilon(normals('one', 10_000, 100), normals('other', 10_000, 0));
    expect(apart.epsilonLowerBound).toBeGreaterThan(5);
    expect(apart.epsilonLowerBound).toBeLessThan(7);
    const constant = lowerBoundEpsilon(new Float64Array(100), new Float64Array(100));
    expect(constant.epsilonLowerBound).toBe(0);
  });

  it('refuses invalid runs, δ and confidence', () => {
    expect(() => lowerBoundEpsilon([1], [1, 2])).toThrow('invalid runs of the first input: expected at least 2, got 1');
    expect(() => lowerBoundEpsilon([1, 2], [1, Number.NaN])).toThrow('invalid scores of the second input');
    expect(() => lowerBoundEpsilon([1, 2], [1, 2], { delta: 1 })).toThrow('invalid delta');
    expect(() => lowerBoundEpsilon([1, 2], [1, 2], { confidence: 1 })).toThrow('invalid confidence');
  });
});
