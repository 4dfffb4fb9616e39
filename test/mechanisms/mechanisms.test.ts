// The contract, for every mechanism.

import { expect, it } from 'vitest';
import {
  directionMechanism,
  encodingGaussian,
  encodingKNorm,
  encodingLaplaceL1,
  encodingLaplaceScaled,
  exponentialMechanism,
  gaussianMechanism,
  kNormMechanism,
  laplaceMechanism,
  normOf,
  partitionedDirectionMechanism,
  publishedEncodingGaussian,
  publishedEncodingLaplace,
  publishedPartitionedDirectionMechanism,
  randomizedResponse,
  type VectorMechanism,
} from '../../src/mechanisms/index.js';
import * as room from '../../src/mechanisms/public.js';
import { describeMechanism, type MechanismCase } from './describe-mechanism.js';

const described: string[] = [];

describeMechanism('randomizedResponse', () => randomizedResponse(0.75), {
  input: true,
  bad: [
    [Number.NaN, 'invalid truth: expected true or false, got NaN'],
    [undefined, 'got undefined'],
  ],
  checkOutput: (output) => expect(typeof output).toBe('boolean'),
});

describeMechanism('exponentialMechanism', () => exponentialMechanism({ epsilon: 1, sensitivity: 1 }), {
  input: [0, 1, 2],
  bad: [
    [[], 'invalid scores: expected at least one finite number'],
    [[1, Number.NaN], 'invalid scores'],
  ],
  checkOutput: (output) => expect([0, 1, 2]).toContain(output),
});

type VectorCase = MechanismCase<Float64Array, Float64Array>;

const vectorCase = (input: Float64Array, checkOutput: VectorCase['checkOutput'] = () => {}): VectorCase => ({
  input,
  bad: [
    [new Float64Array(0), 'length of the input'],
    [input.map((number, i) => (i === 1 ? Number.NaN : number)), 'expected finite numbers, got NaN at 1'],
    [input.map((number, i) => (i === 1 ? Number.NEGATIVE_INFINITY : number)), 'got -Infinity at 1'],
  ],
  checkOutput: (output) => {
    expect(output.length).toBe(input.length);
    expect(output.every(Number.isFinite)).toBe(true);
    checkOutput(output);
  },
});

const long = (found: VectorCase): VectorCase => ({
  ...found,
  bad: [...found.bad, [Float64Array.of(...found.input, 0), `expected ${found.input.length}, got`]],
});

const unit = Float64Array.of(0.6, 0, -0.8, 0);
const isUnit = (output: Float64Array) => expect(Math.abs(normOf(output) - 1)).toBeLessThan(1e-11);
const encoding = { epsilon: 1, clipNorm: 2, dimension: 4 };
const directions = { partSizes: [2, 2], concentration: 3 };

const vectors: Record<string, readonly [() => VectorMechanism, VectorCase]> = {
  laplaceMechanism: [() => laplaceMechanism({ epsilon: 1, sensitivity: 1 }), vectorCase(unit)],
  gaussianMechanism: [() => gaussianMechanism({ epsilon: 1, delta: 1e-5, sensitivity: 1 }), vectorCase(unit)],
  kNormMechanism: [() => kNormMechanism({ epsilon: 1, sensitivity: 1 }), vectorCase(unit)],
  publishedEncodingLaplace: [() => publishedEncodingLaplace(encoding), long(vectorCase(unit))],
  encodingLaplaceL1: [() => encodingLaplaceL1(encoding), long(vectorCase(unit))],
  encodingLaplaceScaled: [() => encodingLaplaceScaled(encoding), long(vectorCase(unit))],
  encodingKNorm: [() => encodingKNorm(encoding), long(vectorCase(unit))],
  publishedEncodingGaussian: [() => publishedEncodingGaussian({ ...encoding, delta: 1e-5 }), long(vectorCase(unit))],
  encodingGaussian: [() => encodingGaussian({ ...encoding, delta: 1e-5 }), long(vectorCase(unit))],
  directionMechanism: [() => directionMechanism({ dimension: 4, concentration: 3 }), long(vectorCase(unit, isUnit))],
  partitionedDirectionMechanism: [
    () => partitionedDirectionMechanism(directions),
    long(vectorCase(Float64Array.of(3, 4, 0, 0), isUnit)),
  ],
  publishedPartitionedDirectionMechanism: [
    () => publishedPartitionedDirectionMechanism(directions),
    long(vectorCase(unit, isUnit)),
  ],
};

for (const [name, [make, found]] of Object.entries(vectors)) {
  described.push(name);
  describeMechanism(name, make, found);
}

it('covers every public mechanism', () => {
  const offered = Object.keys(room).filter((name) => /Mechanism|[eE]ncoding/.test(name));
  expect([...described, 'exponentialMechanism'].sort()).toEqual(offered.sort());
});
