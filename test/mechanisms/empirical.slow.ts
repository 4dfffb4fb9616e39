// Every mechanism, run on two neighbouring inputs: the lower bound from the runs must not exceed the ε of its event, and with half
// the noise it must. Each bound exceeds the truth with probability at most 1e-6, so all of them together raise a false alarm with
// probability below 1e-4; seeds are fixed.

import { describe, expect, it } from 'vitest';
import {
  directionMechanism,
  drawDirectionSum,
  type EmpiricalBound,
  encodingGaussian,
  encodingKNorm,
  encodingLaplaceL1,
  encodingLaplaceScaled,
  exponentialMechanism,
  gaussianMechanism,
  kNormMechanism,
  laplaceMechanism,
  lowerBoundEpsilon,
  type Mechanism,
  partitionedDirectionMechanism,
  publishedEncodingGaussian,
  publishedEncodingLaplace,
  publishedPartitionedDirectionMechanism,
  randomizedResponse,
  type VectorMechanism,
} from '../../src/mechanisms/index.js';
import { basicAccountant, metricAccountant, type PrivacyEvent } from '../../src/privacy/index.js';
import { seededSource } from '../../src/random/index.js';

const cheap = 160_000;

interface Inputs<In, Out> {
  readonly first: In;
  readonly second: In;
  /** High for outputs that indicate the first input. */
  readonly score: (output: Out) => number;
  readonly delta?: number;
  readonly runs?: number;
}

function bound<In, Out>(mechanism: Mechanism<In, Out>, inputs: Inputs<In, Out>): EmpiricalBound {
  const { first, second, score, delta = 0, runs = cheap } = inputs;
  const source = seededSource('empirical privacy');
  const scores = (input: In) => Float64Array.from({ length: runs }, () => score(mechanism.release(source, input)));
  return lowerBoundEpsilon(scores(first), scores(second), { delta });
}

function epsilonOf(event: PrivacyEvent, delta: number): number {
  const accountant = event.kind === 'metric' ? metricAccountant() : basicAccountant({ neighbours: 'replace-one' });
  return accountant.compose(event).epsilon(delta).epsilon;
}

/** `weak` has half the noise. At least the share `found` of the true ε must be proved, or the test could not fail. */
function describePair<In, Out>(
  name: string,
  mechanism: Mechanism<In, Out>,
  weak: Mechanism<In, Out>,
  inputs: Inputs<In, Out>,
  found = 0.5,
): void {
  it(`${name} keeps its ε, and half the noise does not`, () => {
    const claimed = epsilonOf(mechanism.event, inputs.delta ?? 0);
    const { epsilonLowerBound } = bound(mechanism, inputs);
    const caught = bound(weak, inputs).epsilonLowerBound;
    expect(epsilonLowerBound).toBeLessThanOrEqual(claimed);
    expect(epsilonLowerBound).toBeGreaterThan(found * claimed);
    expect(caught).toBeGreaterThan(claimed);
  });
}

const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, number, i) => sum + number * (b[i] as number), 0);
const distance = (a: Float64Array, b: Float64Array, power: 1 | 2) =>
  a.reduce((sum, number, i) => sum + Math.abs(number - (b[i] as number)) ** power, 0) ** (1 / power);

/** Two vectors, distinguished by the projection on their difference or by how much nearer the output is to the first. */
const along = (first: Float64Array, second: Float64Array): Inputs<Float64Array, Float64Array> => {
  const difference = first.map((number, i) => number - (second[i] as number));
  return { first, second, score: (output) => dot(output, difference) };
};
const nearer = (first: Float64Array, second: Float64Array, power: 1 | 2): Inputs<Float64Array, Float64Array> => ({
  first,
  second,
  score: (output) => distance(output, second, power) - distance(output, first, power),
});
const opposite = (x: Float64Array) => x.map((number) => -number);

describe('textbook mechanisms', () => {
  describePair(
    'randomised response',
    randomizedResponse(0.75),
    randomizedResponse(0.875),
    {
      first: true,
      second: false,
      score: Number,
    },
    0.9,
  );

  const laplace = (sensitivity: number) => laplaceMechanism({ epsilon: 1, sensitivity });
  describePair('Laplace', laplace(1), laplace(0.5), nearer(Float64Array.of(1), Float64Array.of(0), 1), 0.9);
  const three = [Float64Array.of(0.5, -0.3, 0.2), new Float64Array(3)] as const;
  describePair('Laplace in 3 dimensions', laplace(1), laplace(0.5), nearer(...three, 1));

  for (const [calibration, epsilon, found] of [
    ['analytic', 1, 0.5],
    ['classic', 0.5, 0.3],
  ] as const) {
    const make = (sensitivity: number) => gaussianMechanism({ epsilon, delta: 0.01, sensitivity, calibration });
    const inputs = { ...along(Float64Array.of(0.6, 0.8), new Float64Array(2)), delta: 0.01 };
    describePair(`Gaussian, ${calibration}`, make(1), make(0.5), inputs, found);
  }

  const kNorm = (sensitivity: number) => kNormMechanism({ epsilon: 1, sensitivity });
  describePair('K-norm', kNorm(1), kNorm(0.5), nearer(Float64Array.of(0.6, 0.8), new Float64Array(2), 2));

  const exponential = (sensitivity: number) => exponentialMechanism({ epsilon: 1, sensitivity });
  const nine = Array.from({ length: 9 });
  describePair('exponential', exponential(1), exponential(0.5), {
    first: [1, ...nine.map(() => 0)],
    second: [0, ...nine.map(() => 1)],
    score: (index) => Number(index === 0),
  });
});

describe('noise for encodings', () => {
  const options = { clipNorm: 2, dimension: 4 };
  const diagonal = new Float64Array(4).fill(1);
  const axis = Float64Array.of(2, 0, 0, 0);
  const pure: [string, (epsilon: number) => VectorMechanism, Inputs<Float64Array, Float64Array>][] = [
    ['Laplace, l1 clipping', (epsilon) => encodingLaplaceL1({ ...options, epsilon }), nearer(axis, opposite(axis), 1)],
    [
      'Laplace, scaled',
      (epsilon) => encodingLaplaceScaled({ ...options, epsilon }),
      nearer(diagonal, opposite(diagonal), 1),
    ],
    ['K-norm', (epsilon) => encodingKNorm({ ...options, epsilon }), nearer(diagonal, opposite(diagonal), 2)],
  ];
  for (const [name, make, inputs] of pure) describePair(name, make(1), make(2), inputs);

  const target = { epsilon: 1, delta: 0.01 };
  // Noise for C where replacing a vector moves it by 2C.
  const half = gaussianMechanism({ ...target, sensitivity: options.clipNorm });
  const far = { ...along(axis, opposite(axis)), delta: target.delta };
  describePair('Gaussian', encodingGaussian({ ...options, ...target }), half, far);
});

describe('directions', () => {
  const up = Float64Array.of(0, 0, 1);
  const direction = (concentration: number) => directionMechanism({ dimension: 3, concentration });
  describePair('opposite directions', direction(1), direction(2), along(up, opposite(up)));

  it('keep κ per unit of distance, and half the noise does not', () => {
    const near = Float64Array.of(Math.sqrt(0.75), 0, 0.5); // at distance 1
    const kept = bound(direction(1), along(up, near)).epsilonLowerBound;
    const caught = bound(direction(2), along(up, near)).epsilonLowerBound;
    expect(kept).toBeLessThanOrEqual(1);
    expect(kept).toBeGreaterThan(0.5);
    expect(caught).toBeGreaterThan(1);
  });

  it('of a zero vector are within 2κ of all others', () => {
    const kept = bound(direction(2), { ...along(up, new Float64Array(3)), score: (output) => output[2] as number });
    expect(kept.epsilonLowerBound).toBeLessThanOrEqual(4);
    expect(kept.epsilonLowerBound).toBeGreaterThan(2); // more than κ · 1, the distance from zero
  });

  const parts = (concentration: number) => partitionedDirectionMechanism({ partSizes: [2, 2], concentration });
  const both = Float64Array.of(0, Math.SQRT1_2, 0, Math.SQRT1_2);
  describePair('two parts', parts(0.5), parts(1), along(both, opposite(both)));

  it('as a sum of draws keep 2κ for one of them, and half the noise does not', async () => {
    const runs = 40_000;
    const source = seededSource('empirical sum');
    const sums = async (concentration: number, sign: 1 | -1) => {
      const signs = [sign, 1, 1]; // all draws along one axis, the first one turned round
      const gram = Float64Array.from(signs.flatMap((a) => signs.map((b) => a * b)));
      const scores = new Float64Array(runs);
      for (let run = 0; run < runs; run++) {
        const { coefficients, noise, noiseScale } = await drawDirectionSum(source, {
          dimension: 3,
          concentration,
          gram,
          products: (n) => signs.map((s) => s * (n[0] as number)),
        });
        scores[run] = signs.reduce(
          (sum, s, i) => sum + s * (coefficients[i] as number),
          noiseScale * (noise[0] as number),
        );
      }
      return scores;
    };
    const proved = async (concentration: number) =>
      lowerBoundEpsilon(await sums(concentration, 1), await sums(concentration, -1)).epsilonLowerBound;
    const [kept, caught] = [await proved(1), await proved(2)];
    expect(kept).toBeLessThanOrEqual(2);
    expect(kept).toBeGreaterThan(1);
    expect(caught).toBeGreaterThan(2);
  });
});

describe('claims as published', () => {
  function describeFalse(
    name: string,
    claimed: number,
    mechanism: VectorMechanism,
    inputs: Inputs<Float64Array, Float64Array>,
  ) {
    it(`${name} does not keep its claim, and keeps its event`, () => {
      const truth = epsilonOf(mechanism.event, inputs.delta ?? 0);
      const { epsilonLowerBound } = bound(mechanism, inputs);
      expect(epsilonLowerBound).toBeGreaterThan(claimed);
      expect(epsilonLowerBound).toBeLessThanOrEqual(truth);
    });
  }

  const [epsilon, delta] = [0.1, 1e-5];
  describeFalse(
    'Gaussian noise for encodings',
    epsilon,
    publishedEncodingGaussian({ epsilon, delta, clipNorm: 1, dimension: 1 }),
    { ...along(Float64Array.of(1), Float64Array.of(-1)), delta, runs: 1_000_000 },
  );

  const corner = new Float64Array(768).fill(1 / Math.sqrt(768));
  describeFalse(
    'Laplace noise for encodings, d = 768',
    2,
    publishedEncodingLaplace({ epsilon: 2, clipNorm: 1, dimension: 768 }),
    { ...nearer(corner, opposite(corner), 1), runs: 4000 },
  );

  const quarter = Float64Array.from({ length: 32 }, (_, i) => (i % 2) / 4);
  describeFalse(
    'directions in 16 parts',
    2,
    publishedPartitionedDirectionMechanism({ partSizes: new Array(16).fill(2), concentration: 0.25 }),
    { ...along(quarter, opposite(quarter)), runs: 40_000 },
  );
});
