// The demonstration's classifier and its training step, built on the engine.

import {
  add,
  affine,
  argMax,
  cast,
  compile,
  crossEntropy,
  equal,
  gather,
  gradients,
  input,
  mul,
  type Program,
  reduceMean,
  reshape,
  sizeOf,
  sliceAxis,
  squeeze,
  type Value,
} from '../engine/index.js';
import { bertBlock, blockFlops, makeLayers } from '../models/index.js';
import { fillNormal, type SeededSource } from '../random/index.js';
import { words } from './demo-text.js';

export const sizes = {
  batch: 64,
  tokens: 16,
  layers: 2,
  hidden: 128,
  heads: 4,
  intermediateSize: 512,
  epsilon: 1e-12,
  classes: 2,
};
export const stepFlops = 3 * sizes.layers * blockFlops(sizes.batch, sizes.tokens, sizes);

export interface Classifier {
  /** Loss, accuracy and, under the parameter's name, the gradient of each parameter. */
  readonly train: Program;
  readonly test: Program<'loss' | 'accuracy'>;
  readonly parameters: Readonly<Record<string, Float32Array>>;
}

export async function buildClassifier(random: SeededSource): Promise<Classifier> {
  const { batch, tokens, layers, hidden, classes } = sizes;
  const values: Record<string, Value> = {};
  const parameters: Record<string, Float32Array> = {};
  const parameter = (name: string, shape: readonly number[]): Value => {
    const start = new Float32Array(sizeOf(shape));
    if (name.endsWith('LayerNorm.weight')) start.fill(1);
    else if (!name.endsWith('bias')) fillNormal(random.stream(name), start, { standardDeviation: 0.05 });
    parameters[name] = start;
    values[name] = input(name, shape);
    return values[name];
  };

  const ids = input('ids', [batch, tokens], 'i64');
  const labels = input('labels', [batch], 'i64');
  const padding = cast(equal(ids, 0), 'f32');
  const mask = reshape(mul(padding, -1e4), [batch, 1, 1, tokens]);
  const made = makeLayers(parameter);
  let x = add(gather(parameter('words', [words.length, hidden]), ids), parameter('positions', [tokens, hidden]));
  for (let layer = 0; layer < layers; layer++) {
    x = bertBlock(`layer ${layer}`, x, sizes, made, mask);
  }
  const first = squeeze(sliceAxis(x, 1, 0, 1), 1); // [batch, hidden]
  const logits = affine(
    first,
    parameter('classifier.weight', [hidden, classes]),
    parameter('classifier.bias', [classes]),
  );
  const loss = reduceMean(crossEntropy(logits, labels));
  const accuracy = reduceMean(cast(equal(argMax(logits), labels), 'f32'));

  const names = Object.keys(values);
  const slopes = gradients(loss, Object.values(values));
  const train = await compile({
    loss,
    accuracy,
    ...Object.fromEntries(names.map((name, i) => [name, slopes[i] as Value])),
  });
  const test = await compile({ loss, accuracy });
  return { train, test, parameters };
}
