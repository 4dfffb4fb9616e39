// Mechanisms published with a claim that does not hold: the event is what holds, and the statement gives the claim. Also the
// particulars of each sound form.

import { describe, expect, it } from 'vitest';
import {
  checkRoom,
  directionMechanism,
  encodingGaussian,
  encodingKNorm,
  encodingLaplaceL1,
  encodingLaplaceScaled,
  gridFor,
  laplaceMechanism,
  partitionedDirectionMechanism,
  publishedEncodingGaussian,
  publishedEncodingLaplace,
  publishedPartitionedDirectionMechanism,
  roundingRoom,
  type VectorMechanism,
} from '../../src/mechanisms/index.js';
import {
  basicAccountant,
  composed,
  gaussianEpsilon,
  laplace,
  metricAccountant,
  pldAccountant,
} from '../../src/privacy/index.js';
import { seededSource } from '../../src/random/index.js';

const epsilonOf = ({ event }: VectorMechanism, delta = 0) =>
  basicAccountant({ neighbours: 'replace-one' }).compose(event).epsilon(delta).epsilon;

/** Mean length² of the noise on a zero vector, over the dimension. */
function noiseSquare({ release }: VectorMechanism, dimension: number, rounds: number): number {
  const source = seededSource('noise');
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    for (const number of release(source, new Float64Array(dimension))) sum += number * number;
  }
  return sum / rounds / dimension;
}

describe('Laplace noise for encodings', () => {
  const options = { epsilon: 1, clipNorm: 2, dimension: 768 };

  it('as published keeps √d times the ε it claims', () => {
    const mechanism = publishedEncodingLaplace(options);
    expect(epsilonOf(mechanism)).toBeCloseTo(27.712812921102035, 10);
    expect(mechanism.statement.sound).toContain('about 27.71');
    for (const make of [encodingLaplaceL1, encodingLaplaceScaled, encodingKNorm]) {
      expect(epsilonOf(make(options))).toBeCloseTo(1, 12);
    }
  });

  it('has the variance of its formula', () => {
    const rounds = 100;
    const close = (found: number, right: number) => expect(Math.abs(found / right - 1)).toBeLessThan(0.05); // 5.5 sd and more
    close(noiseSquare(publishedEncodingLaplace(options), 768, rounds), 2 * 4 ** 2);
    close(noiseSquare(encodingLaplaceL1(options), 768, rounds), 2 * 4 ** 2);
    close(noiseSquare(encodingLaplaceScaled(options), 768, rounds), 2 * 4 ** 2 * 768);
    // Gamma(d, s): E r² = d(d + 1)s². About half the variance of the scaled one.
    close(noiseSquare(encodingKNorm(options), 768, rounds), 4 ** 2 * 769);
  });

  it('clips in the norm it names', () => {
    const mean = (mechanism: VectorMechanism) => {
      const source = seededSource('clip');
      let sum = 0;
      for (let i = 0; i < 200; i++) sum += mechanism.release(source, Float64Array.of(300, 400))[0] as number;
      return sum / 200;
    };
    const precise = { epsilon: 1e6, clipNorm: 2, dimension: 2 };
    expect(mean(encodingLaplaceL1(precise))).toBeCloseTo((2 * 3) / 7, 4);
    for (const make of [publishedEncodingLaplace, encodingLaplaceScaled, encodingKNorm]) {
      expect(mean(make(precise))).toBeCloseTo((2 * 3) / 5, 4);
    }
  });

  it('is counted as the Laplace event of all its ℓ₁ sensitivity in one coordinate, which is the worst case', () => {
    const delta = (event: Parameters<typeof composed>[0][number], epsilon: number) =>
      pldAccountant().compose(event).delta(epsilon);
    for (const epsilon of [0.1, 0.7, 1.3, 1.9]) {
      const one = delta(laplace(1 / 2), epsilon).lower as number;
      for (const parts of [2, 5]) {
        const split = composed(Array.from({ length: parts }, () => laplace(parts / 2)));
        expect(delta(split, epsilon).upper).toBeLessThanOrEqual(one * 1.005);
      }
    }
  });
});

describe('Gaussian noise for encodings', () => {
  const delta = 1e-5;

  // From the exact curve at sensitivity 2C, by mpmath.
  it.each([
    [0.1, 0.37446499499411],
    [1, 1.319913644613668],
    [2, 1.938816637661962],
    [20, 7.291444020357853],
  ])('as published claims ε = %f and has %f', (epsilon, truth) => {
    const mechanism = publishedEncodingGaussian({ epsilon, delta, clipNorm: 3, dimension: 5 });
    expect(epsilonOf(mechanism, delta)).toBeCloseTo(truth, 10);
    expect(mechanism.statement.sound).toContain(`about ${truth.toPrecision(4)} at delta`);
    expect(epsilonOf(encodingGaussian({ epsilon, delta, clipNorm: 3, dimension: 5 }), delta)).toBeCloseTo(epsilon, 9);
  });

  it('covers everything that replacing the vector can change, with any option', () => {
    const options = { epsilon: 1, delta, clipNorm: 1, dimension: 1 };
    // A mixture's weights say nothing about a vector that is clipped after mixing.
    const unknown = { weights: [0.25] };
    for (const found of [encodingGaussian(options), encodingGaussian({ ...options, ...unknown })]) {
      // The same noise twice, so that the difference is that of what was clipped.
      const [one, other] = [50, -50].map((x) => found.release(seededSource('moved'), Float64Array.of(x))[0] as number);
      const moved = (one as number) - (other as number);
      expect(moved).toBeCloseTo(2, 9);
      expect(gaussianEpsilon(delta, moved / found.deviation)).toBeLessThanOrEqual(1);
    }
  });
});

describe('directions', () => {
  it('state the mean cosine of κ, and keep κ per unit of distance', () => {
    const { event, statement } = directionMechanism({ dimension: 768, concentration: 1000 });
    expect(statement.releases).toMatch(/mean cosine to the input is about 0.6874 at kappa = 1000 in 768 dimensions/);
    const { epsilon, metric } = metricAccountant().compose(event).epsilon(0);
    expect(epsilon).toBe(2000);
    expect(metric?.factor).toBe(1000);
  });

  it('in parts keep 2κm, not the 2κ√m claimed', () => {
    const options = { partSizes: [3, 3, 3, 3], concentration: 5 };
    const { event, statement } = publishedPartitionedDirectionMechanism(options);
    expect(metricAccountant().compose(event).epsilon(0).epsilon).toBe(40);
    expect(statement.formula).toContain('2 kappa sqrt(m), here 20.00');
    expect(statement.sound).toContain('2 kappa m, here 40.00');
    expect(partitionedDirectionMechanism(options).event).toEqual(event);
    expect(() => partitionedDirectionMechanism({ partSizes: [], concentration: 1 })).toThrow('at least one part');
    expect(() => partitionedDirectionMechanism({ partSizes: [3, 1], concentration: 1 })).toThrow('invalid dimension');
  });

  it('of a zero vector, or part, are uniform', () => {
    const whole = directionMechanism({ dimension: 2, concentration: 50 });
    const parts = partitionedDirectionMechanism({ partSizes: [2, 2], concentration: 50 });
    const source = seededSource('zero');
    const [sums, count] = [[0, 0, 0, 0], 4000];
    for (let i = 0; i < count; i++) {
      const [a, b] = whole.release(source, new Float64Array(2));
      const [c, , d] = parts.release(source, Float64Array.of(7, 0, 0, 0));
      for (const [k, number] of [a, b, c, d].entries()) sums[k] = (sums[k] as number) + (number as number) / count;
    }
    const [a, b, c, d] = sums as [number, number, number, number];
    for (const mean of [a, b, d]) expect(Math.abs(mean)).toBeLessThan((5.2 * Math.SQRT1_2) / Math.sqrt(count));
    expect(c).toBeGreaterThan(0.98 * Math.SQRT1_2);
  });
});

describe('rounding', () => {
  it('is refused where it would exceed its room', () => {
    const { release } = laplaceMechanism({ epsilon: 1e-4, sensitivity: 1 });
    expect(() => release(seededSource(1), new Float64Array(100))).toThrow(
      /invalid length of the input: expected at most \d\d, or rounding exceeds its room, got 100/,
    );
    expect(release(seededSource(1), new Float64Array(50)).length).toBe(50);
  });

  it('of 10^8 numbers fits the room of normal noise, and of fewer that of Laplace noise', () => {
    const room = { grid: gridFor(10), sensitivity: 1 };
    expect(() => checkRoom(1e8, { ...room, norm: 'l2' })).not.toThrow();
    expect(() => checkRoom(1e8, { ...room, norm: 'l1' })).toThrow('rounding exceeds its room, got 100000000');
    // The rest of the room: the sensitivity with all its grid steps over the widened noise is below that of the formula.
    expect((1 + Math.sqrt(1e8) * room.grid) / (1 + roundingRoom)).toBeLessThan(1);
  });

  it('puts every release on one grid', () => {
    const { release } = laplaceMechanism({ epsilon: 1, sensitivity: 1 });
    const output = release(
      seededSource('grid'),
      Float64Array.from({ length: 1000 }, (_, i) => Math.sqrt(i) / 7),
    );
    expect(output.every((number) => Number.isInteger(number * 2 ** 40))).toBe(true);
    expect(output.some((number) => !Number.isInteger(number * 2 ** 39))).toBe(true);
  });
});
