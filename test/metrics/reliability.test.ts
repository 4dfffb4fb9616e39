// Whether stated probabilities can be believed: planted ones can, boastful ones cannot.

import { describe, expect, it } from 'vitest';
import { clopperPearson } from '../../src/math/index.js';
import {
  answersFrom,
  calibrationError,
  poolBins,
  reliabilityBins,
  reliabilityShares,
  type StatedAnswer,
} from '../../src/metrics/index.js';
import { seededSource, uniform } from '../../src/random/index.js';

const answer = (confidence: number, right: boolean): StatedAnswer => ({ confidence, right });
/** Right with the probability that `truth` makes of the stated one. */
const drawn = (count: number, truth: (confidence: number) => number): StatedAnswer[] => {
  const random = seededSource('answers');
  return Array.from({ length: count }, () => {
    const confidence = uniform(random);
    return answer(confidence, uniform(random) < truth(confidence));
  });
};

describe('bins of confidence', () => {
  it('count every answer once, at the edge in the higher bin, and 1 in the last', () => {
    const bins = reliabilityBins([0, 0.0999, 0.1, 0.3, 0.89, 0.9, 0.99, 1].map((one) => answer(one, one >= 0.9)));
    expect(bins.map(({ answers }) => answers)).toEqual([2, 1, 1, 0, 1, 1, 2]);
    expect(bins.map(({ right }) => right)).toEqual([0, 0, 0, 0, 0, 1, 2]);
    expect(bins.at(-1)).toMatchObject({ from: 0.99, to: 1, confidence: 0.995 });
    expect(bins[3]).toEqual({ from: 0.5, to: 0.7, answers: 0, right: 0, confidence: 0 });
    expect(answersFrom(bins, 0.9)).toEqual({ answers: 3, right: 3 });
  });

  it('have shares with exact intervals, where they hold answers', () => {
    const shares = reliabilityShares(reliabilityBins([answer(0.95, true), answer(0.91, false), answer(0.2, false)]));
    expect(shares.map(({ share }) => share)).toEqual([0, 0.5]);
    expect(shares[1]).toMatchObject(clopperPearson(1, 2, 0.95));
  });

  it('that are pooled are those of all answers', () => {
    const [first, second] = [drawn(300, (p) => p), drawn(200, () => 0.3)];
    const pooled = poolBins([first, second].map(reliabilityBins));
    for (const [place, bin] of reliabilityBins([...first, ...second]).entries()) {
      expect(pooled[place]).toEqual({ ...bin, confidence: expect.closeTo(bin.confidence, 12) });
    }
    expect(poolBins([])).toEqual(reliabilityBins([]));
  });
});

describe('probabilities', () => {
  it('that are true lie in the intervals of their bins, and err little', () => {
    // Seven intervals of 1 − 1e-4 each: a false alarm in fewer than 1 of 1,000 seeds.
    const bins = reliabilityBins(drawn(20_000, (p) => p));
    for (const { answers, right, confidence } of bins) {
      const { lower, upper } = clopperPearson(right, answers, 1 - 1e-4);
      expect(confidence).toBeGreaterThan(lower);
      expect(confidence).toBeLessThan(upper);
    }
    expect(calibrationError(bins)).toBeLessThan(0.03);
  });

  it('that promise too much are told from true ones', () => {
    // Half of what is stated: the error is the mean of p/2, a quarter.
    expect(calibrationError(reliabilityBins(drawn(20_000, (p) => p / 2)))).toBeCloseTo(0.25, 1);
    const sure = Array.from({ length: 50 }, (_, k) => answer(0.995, k % 2 === 0));
    expect(reliabilityShares(reliabilityBins(sure))[0]?.upper).toBeLessThan(0.7);
    expect(calibrationError(reliabilityBins(sure))).toBeCloseTo(0.495, 12);
  });

  it('of no answers have no error', () => {
    expect(calibrationError(reliabilityBins([]))).toBeUndefined();
    expect(reliabilityShares(reliabilityBins([]))).toEqual([]);
  });
});
