// The textbook mechanisms: their laws by statistics (fixed seeds, false alarms below 1e-6), their events and their errors.

import { describe, expect, it } from 'vitest';
import {
  exponentialMechanism,
  gaussianMechanism,
  laplaceMechanism,
  randomizedResponse,
} from '../../src/mechanisms/index.js';
import { basicAccountant, gaussianDelta } from '../../src/privacy/index.js';
import { seededSource } from '../../src/random/index.js';

const count = 40_000;

describe('randomised response', () => {
  it('tells the truth with the stated probability, and its estimate is unbiased', () => {
    const mechanism = randomizedResponse(0.75);
    const source = seededSource('response');
    const answers = Array.from({ length: count }, (_, i) => mechanism.release(source, i % 10 < 3));
    expect(Math.abs(mechanism.estimate(answers) - 0.3)).toBeLessThan((5 * 0.5) / 0.5 / Math.sqrt(count));
    const accountant = basicAccountant({ neighbours: 'replace-one' });
    expect(accountant.compose(mechanism.event).epsilon(0).epsilon).toBeCloseTo(Math.log(3), 12);
  });

  it('refuses probabilities that protect nobody or carry no information', () => {
    for (const p of [0.5, 1, 0, Number.NaN]) expect(() => randomizedResponse(p)).toThrow('invalid truthProbability');
    expect(() => randomizedResponse(0.75).estimate([])).toThrow('invalid answers');
  });
});

function moments(release: (x: Float64Array) => Float64Array) {
  const noise = release(new Float64Array(count).fill(3)).map((number) => number - 3);
  const mean = noise.reduce((sum, number) => sum + number, 0) / count;
  const size = noise.reduce((sum, number) => sum + Math.abs(number), 0) / count;
  const square = noise.reduce((sum, number) => sum + number * number, 0) / count;
  return { mean, size, square };
}

describe('Laplace', () => {
  it('adds noise of scale sensitivity / ε', () => {
    const mechanism = laplaceMechanism({ epsilon: 0.5, sensitivity: 2 });
    const { mean, size, square } = moments((x) => mechanism.release(seededSource('laplace'), x));
    expect(Math.abs(mean)).toBeLessThan((5 * 4 * Math.SQRT2) / Math.sqrt(count));
    expect(Math.abs(size / 4 - 1)).toBeLessThan(5 / Math.sqrt(count));
    expect(Math.abs(square / 32 - 1)).toBeLessThan((5 * Math.sqrt(5)) / Math.sqrt(count));
    expect(basicAccountant().compose(mechanism.event).epsilon(0).epsilon).toBeCloseTo(0.5, 12);
  });
});

describe('Gaussian', () => {
  it('adds the least noise that keeps ε and δ', () => {
    const mechanism = gaussianMechanism({ epsilon: 2, delta: 1e-5, sensitivity: 3 });
    const { mean, square } = moments((x) => mechanism.release(seededSource('gaussian'), x));
    expect(gaussianDelta(2, 3 / mechanism.deviation)).toBeLessThanOrEqual(1e-5);
    expect(gaussianDelta(2, 3 / (mechanism.deviation * 0.999))).toBeGreaterThan(1e-5);
    expect(Math.abs(mean)).toBeLessThan((5 * mechanism.deviation) / Math.sqrt(count));
    expect(Math.abs(square / mechanism.deviation ** 2 - 1)).toBeLessThan((5 * Math.SQRT2) / Math.sqrt(count));
  });

  it('has the classic form below ε = 1 only, with more noise', () => {
    const setting = { epsilon: 0.9, delta: 1e-5, sensitivity: 1 };
    const classic = gaussianMechanism({ ...setting, calibration: 'classic' });
    expect(classic.deviation / (1 + 2 ** -20)).toBeCloseTo(Math.sqrt(2 * Math.log(1.25e5)) / 0.9, 10);
    expect(classic.deviation).toBeGreaterThan(gaussianMechanism(setting).deviation);
    expect(() => gaussianMechanism({ ...setting, epsilon: 1, calibration: 'classic' })).toThrow('epsilon');
  });

  it('refuses input that is not finite', () => {
    const { release } = gaussianMechanism({ epsilon: 1, delta: 1e-5, sensitivity: 1 });
    expect(() => release(seededSource(1), Float64Array.of(0, Number.NaN))).toThrow('got NaN at 1');
  });
});

describe('exponential', () => {
  it('chooses with the probabilities of its formula', () => {
    const mechanism = exponentialMechanism({ epsilon: 1, sensitivity: 0.5 });
    const scores = [0, 1, 2, -1, 1e-9];
    const weights = scores.map((score) => Math.exp(score));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const source = seededSource('exponential');
    const found = scores.map(() => 0);
    for (let i = 0; i < count; i++) {
      const index = mechanism.release(source, scores);
      found[index] = (found[index] as number) + 1;
    }
    for (const [index, weight] of weights.entries()) {
      const p = weight / total;
      expect(Math.abs((found[index] as number) / count - p)).toBeLessThan(5.2 * Math.sqrt((p * (1 - p)) / count));
    }
  });

  it('handles scores that are far apart, and refuses an empty list', () => {
    const { release } = exponentialMechanism({ epsilon: 1, sensitivity: 1 });
    expect(release(seededSource(1), [-1e9, 0, -1e9])).toBe(1);
    expect(() => release(seededSource(1), [])).toThrow('invalid scores');
    expect(() => exponentialMechanism({ epsilon: 0, sensitivity: 1 })).toThrow('invalid epsilon');
  });
});
