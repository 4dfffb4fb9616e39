// The contract of both pretraining tasks: parameters, a training step, a measurement on held-out text.

import {
  add,
  div,
  gradients,
  input,
  min,
  mul,
  reduceSum,
  sizeOf,
  sqrt,
  square,
  type Value,
} from '../../src/engine/index.js';
import type { ParameterOf } from '../../src/models/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';
import type { Arrays, StepOutcome } from '../../src/training/index.js';

export interface Task {
  readonly parameters: Arrays;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Tokens per step on average, padding excluded. */
  readonly tokensPerStep: number;
  readonly compute: (step: number) => Promise<StepOutcome>;
  readonly measure: () => Promise<Record<string, number>>;
  /** config.json of the finished model. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Parameters used in training only, which are not exported. */
  readonly scaffolding: readonly string[];
}

export interface ParameterStore {
  readonly parameterOf: ParameterOf;
  readonly values: Record<string, Value>;
  readonly arrays: Record<string, Float32Array>;
  readonly shapes: Record<string, readonly number[]>;
}

/** Parameters as inputs, initialised as in BERT and GPT-2: normal with standard deviation .02, norms 1, biases 0. */
export function makeStore(name: string): ParameterStore {
  const store: ParameterStore = { parameterOf, values: {}, arrays: {}, shapes: {} };
  function parameterOf(parameter: string, shape: readonly number[]): Value {
    const known = store.values[parameter];
    if (known !== undefined) return known;
    const array = new Float32Array(sizeOf(shape));
    if (/(LayerNorm|ln_\w)\.weight$/.test(parameter)) array.fill(1);
    else if (!parameter.endsWith('bias')) {
      fillNormal(seededSource(name).stream(parameter), array, { standardDeviation: 0.02 });
    }
    store.arrays[parameter] = array;
    store.shapes[parameter] = shape;
    store.values[parameter] = input(parameter, shape);
    return store.values[parameter];
  }
  return store;
}

/** Gradients by parameter name, clipped together to norm 1. */
export function clippedGradients(loss: Value, values: Readonly<Record<string, Value>>): Record<string, Value> {
  const names = Object.keys(values);
  const slopes = gradients(loss, Object.values(values));
  const squares = slopes.map((slope) => reduceSum(square(slope)));
  const norm = sqrt(squares.reduce((sum, one) => add(sum, one)));
  const factor = min(div(1, add(norm, 1e-6)), 1);
  return Object.fromEntries(slopes.map((slope, index) => [names[index] as string, mul(slope, factor)]));
}
