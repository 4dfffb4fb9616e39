// BERT-base shapes with random weights, for the benchmarks of the engine.

import {
  add,
  affine,
  constant,
  crossEntropy,
  input,
  layerNorm,
  reduceSum,
  type Shape,
  sizeOf,
  sliceAxis,
  squeeze,
  tanh,
  type Value,
} from '../src/engine/index.js';
import { bertBlock, bertBlockLayout, makeLayers, type ParameterOf } from '../src/models/index.js';
import { fillNormal, seededSource } from '../src/random/index.js';

export const base = { hidden: 768, heads: 12, intermediateSize: 3072, epsilon: 1e-12 };

export function randomArray(name: string, shape: Shape, standardDeviation: number): Float32Array {
  const array = new Float32Array(sizeOf(shape));
  fillNormal(seededSource('bench').stream(name), array, { standardDeviation });
  return array;
}

const startingArray = (name: string, shape: Shape): Float32Array =>
  /norm\.weight$/i.test(name) ? new Float32Array(sizeOf(shape)).fill(1) : randomArray(name, shape, 0.02);

export interface Parameters {
  readonly parameter: ParameterOf;
  readonly values: Record<string, Value>;
  readonly arrays: Record<string, Float32Array>;
}

/** Parameters as inputs (trainable) or constants (frozen, or known to an attacker). */
export function makeParameters(kind: 'inputs' | 'constants'): Parameters {
  const values: Record<string, Value> = {};
  const arrays: Record<string, Float32Array> = {};
  const parameter = (name: string, shape: Shape): Value => {
    const array = startingArray(name, shape);
    const value = kind === 'inputs' ? input(name, shape) : constant(array, shape);
    arrays[name] = array;
    values[name] = value;
    return value;
  };
  return { parameter, values, arrays };
}

export function encoder(x: Value, layers: number, parameter: ParameterOf): Value {
  const made = makeLayers(parameter);
  let hidden = x;
  for (let layer = 0; layer < layers; layer++)
    hidden = bertBlock(bertBlockLayout(`layer.${layer}`), hidden, base, made);
  return hidden;
}

/** Loss of BERT for two classes from word embeddings [batch, tokens, hidden]. */
export function classifierLoss(words: Value, layers: number, parameter: ParameterOf, labels: Value): Value {
  const { hidden } = base;
  const [, tokens] = words.shape as [number, number];
  const embedded = layerNorm(
    add(words, parameter('positions', [tokens, hidden])),
    parameter('embeddings.norm.weight', [hidden]),
    parameter('embeddings.norm.bias', [hidden]),
    1e-12,
  );
  const states = encoder(embedded, layers, parameter);
  const first = squeeze(sliceAxis(states, 1, 0, 1), 1);
  const pooled = tanh(affine(first, parameter('pooler.weight', [hidden, hidden]), parameter('pooler.bias', [hidden])));
  const logits = affine(pooled, parameter('classifier.weight', [hidden, 2]), parameter('classifier.bias', [2]));
  return reduceSum(crossEntropy(logits, labels));
}
